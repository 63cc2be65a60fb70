/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dstl.changelog.bulk;

import javax.annotation.Nullable;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.execution.CancelTaskException;

/**
 * Tells whether a restore has to end because its task is cancelled. Every loop that may take longer
 * than a moment asks it. Any thread.
 */
@FunctionalInterface
public interface Cancellation {
    boolean isRequested();

    /**
     * @param ofTask closed when the task is cancelled
     */
    static Cancellation of(CloseableRegistry ofTask) {
        return () -> ofTask.isClosed() || Thread.currentThread().isInterrupted();
    }

    /** Throws a {@link CancelTaskException} if the restore is to end. */
    default void check() {
        check(null);
    }

    /** Likewise after a failure, which is then the cause. */
    default void check(@Nullable Exception failure) {
        if (isRequested()) {
            throw exception(failure);
        }
    }

    static CancelTaskException exception(@Nullable Exception cause) {
        CancelTaskException cancelled =
                new CancelTaskException("The task was cancelled while its log was replayed");
        cancelled.initCause(cause);
        return cancelled;
    }

    /**
     * Waits for the end of a thread of the restore, and goes on waiting when interrupted.
     *
     * @return whether the caller was interrupted; its interrupt is cleared
     */
    static boolean awaitEnd(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        return interrupted;
    }
}
