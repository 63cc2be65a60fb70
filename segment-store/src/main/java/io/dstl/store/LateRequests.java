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
package io.dstl.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.store.PutLatencies.SizeClass;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Cuts off a request that is late for its size, so that its caller sends it again at once. For
 * requests that block a thread, of content that must not be sent twice at a time; others are hedged
 * by a {@link PutRace}. When a request is late, and how many may be cut off, is decided by a {@link
 * HedgePolicy}.
 *
 * <p>A request of more than {@link #MAX_BYTES} is never cut off: it would have to send too much
 * again.
 *
 * <p><b>Threading.</b> Any thread.
 */
public final class LateRequests {

    static final long MAX_BYTES = 8L << 20;

    private final HedgePolicy policy;
    private final ScheduledExecutorService timer;
    private final NanoClock clock;

    /**
     * @param policy of these requests only
     * @param timer once it is shut down, no request is cut off
     */
    public LateRequests(HedgePolicy policy, ScheduledExecutorService timer, NanoClock clock) {
        this.policy = policy;
        this.timer = timer;
        this.clock = clock;
    }

    /**
     * Call this when a request begins, and close the watch when the caller sends it no more.
     *
     * @param bytes that are sent
     * @param cutOff ends the request; runs at most once, on the timer's thread and under the lock
     *     of the watch, so it must not block
     */
    public Watch watch(long bytes, Runnable cutOff) {
        SizeClass size = SizeClass.of(bytes);
        policy.putBegun();
        Watch watch = new Watch(size, cutOff);
        if (bytes <= MAX_BYTES) {
            policy.delay(size).ifPresent(watch::arm);
        }
        return watch;
    }

    /** One request, and the one that is sent in its place if it was cut off. */
    public final class Watch implements AutoCloseable {

        private final SizeClass size;
        private final Runnable cutOff;

        @GuardedBy("this")
        private Optional<Future<?>> alarm = Optional.empty();

        /** The request, or the one in its place. */
        @GuardedBy("this")
        private long begun;

        @GuardedBy("this")
        private boolean isCutOff;

        @GuardedBy("this")
        private boolean closed;

        private Watch(SizeClass size, Runnable cutOff) {
            this.size = size;
            this.cutOff = cutOff;
            this.begun = clock.nanos();
        }

        private synchronized void arm(Duration delay) {
            try {
                alarm =
                        Optional.of(
                                timer.schedule(this::late, delay.toNanos(), TimeUnit.NANOSECONDS));
            } catch (RejectedExecutionException e) {
                // The storage is closed: the request takes as long as it takes.
                alarm = Optional.empty();
            }
        }

        private synchronized void late() {
            if (!closed && policy.takeHedge()) {
                isCutOff = true;
                took();
                cutOff.run();
            }
        }

        @GuardedBy("this")
        private void took() {
            long now = clock.nanos();
            policy.took(size, now - begun);
            begun = now;
        }

        /** Whether the request was cut off: send it again, once. */
        public synchronized boolean isCutOff() {
            return isCutOff;
        }

        /** The request has succeeded, or the one in its place. */
        public synchronized void succeeded() {
            took();
        }

        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                alarm.ifPresent(future -> future.cancel(false));
                if (isCutOff) {
                    policy.hedgeEnded();
                }
            }
        }
    }
}
