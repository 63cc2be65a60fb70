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
package io.dstl.materializer;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.util.function.ThrowingRunnable;

/** A mailbox whose mails run when the test says so; a closed one takes none. */
final class QueuedMailbox implements MailboxExecutor {

    private final Queue<ThrowingRunnable<? extends Exception>> mails = new ArrayDeque<>();
    private boolean closed;
    private boolean held;

    @Override
    public void execute(
            MailOptions options,
            ThrowingRunnable<? extends Exception> command,
            String descriptionFormat,
            Object... descriptionArgs) {
        if (closed) {
            throw new RejectedExecutionException("closed");
        }
        mails.add(command);
    }

    int size() {
        return mails.size();
    }

    void close() {
        closed = true;
    }

    /** The task is busy: no mail runs, whoever asks. */
    void hold() {
        held = true;
    }

    void deliver() {
        held = false;
    }

    void runAll() {
        while (tryYield()) {}
    }

    @Override
    public void yield() {
        if (!tryYield()) {
            throw new IllegalStateException("no mail");
        }
    }

    @Override
    public boolean tryYield() {
        if (held || mails.isEmpty()) {
            return false;
        }
        try {
            mails.remove().run();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return true;
    }

    @Override
    public boolean shouldInterrupt() {
        return false;
    }
}
