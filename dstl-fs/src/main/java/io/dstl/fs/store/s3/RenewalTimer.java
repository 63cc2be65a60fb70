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
package io.dstl.fs.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When credentials are renewed next: at most one time is set.
 *
 * <p><b>Threading.</b> Any thread. The lock is never held for I/O, so nobody waits here for a
 * service that hangs: a job is closed on the TaskManager's main thread.
 */
final class RenewalTimer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RenewalTimer.class);

    private final ScheduledExecutorService timer;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private Optional<Future<?>> next = Optional.empty();

    @GuardedBy("lock")
    private boolean closed;

    RenewalTimer(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    /** Instead of when it was to be before; never, once closed. */
    void after(Duration wait, Runnable renewal) {
        synchronized (lock) {
            next.ifPresent(scheduled -> scheduled.cancel(false));
            next = Optional.empty();
            if (closed) {
                return;
            }
            try {
                next = Optional.of(timer.schedule(renewal, wait.toMillis(), TimeUnit.MILLISECONDS));
            } catch (RejectedExecutionException e) {
                LOG.debug("Credentials for S3 are renewed by the request that needs them", e);
            }
        }
    }

    boolean isClosed() {
        synchronized (lock) {
            return closed;
        }
    }

    /** Idempotent. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            next.ifPresent(scheduled -> scheduled.cancel(false));
            next = Optional.empty();
        }
    }
}
