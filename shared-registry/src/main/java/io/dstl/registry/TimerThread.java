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
package io.dstl.registry;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import javax.annotation.Nullable;
import org.apache.flink.util.FatalExitExceptionHandler;

/**
 * A timer with one thread, for work that does not block. What is cancelled leaves its queue at
 * once; after a shutdown nothing begins.
 *
 * <p>An {@link Error} in its work is reported, since nobody reads the future that holds it:
 * otherwise a log whose timer ran out of memory would never be stored or materialized again. Any
 * other failure is the future's.
 */
public final class TimerThread extends ScheduledThreadPoolExecutor {
    private final Thread.UncaughtExceptionHandler ofErrors;

    public TimerThread(ThreadFactory threads, Thread.UncaughtExceptionHandler ofErrors) {
        super(1, threads);
        this.ofErrors = requireNonNull(ofErrors);
        setRemoveOnCancelPolicy(true);
        setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** A daemon; an {@link Error} ends the process, as on Flink's own threads. */
    public static TimerThread named(String name) {
        return new TimerThread(new DaemonThreads(name), FatalExitExceptionHandler.INSTANCE);
    }

    @Override
    protected void afterExecute(Runnable work, @Nullable Throwable uncaught) {
        super.afterExecute(work, uncaught);
        Future<?> future = (Future<?>) work;
        if (!future.isDone() || future.isCancelled()) {
            return;
        }
        try {
            future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error) {
                ofErrors.uncaughtException(Thread.currentThread(), e.getCause());
            }
        } catch (CancellationException | InterruptedException e) {
            throw new IllegalStateException(work + " has ended, and is not cancelled", e);
        }
    }
}
