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
import java.util.OptionalLong;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Cuts off requests whose answer is late, so that their callers store the content elsewhere. For
 * requests that block a thread; those of segments are hedged by a {@link PutRace}. When an answer
 * is late, and how many requests may be cut off, is decided by a {@link HedgePolicy}; none is cut
 * off for a minute after the store has asked for fewer.
 *
 * <p>The time counts from the last byte that was handed to the transport: a request that still
 * sends is never cut off. Nor is one of more than {@link #MAX_BYTES}, which would have too much to
 * send again.
 *
 * <p><b>Threading.</b> Any thread.
 */
public final class LateRequests {

    static final long MAX_BYTES = 8L << 20;
    static final Duration AFTER_THROTTLING = Duration.ofMinutes(1);

    private final HedgePolicy policy;
    private final ScheduledExecutorService timer;
    private final NanoClock clock;

    @GuardedBy("this")
    private OptionalLong throttledAt = OptionalLong.empty();

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
     * Call this before the first request for an object, and close the watch after the last.
     *
     * @param bytes that are sent
     * @param cutOff ends the request under way; runs at most once, on the timer's thread and under
     *     the lock of the watch, so it must not block
     */
    public Watch watch(long bytes, Runnable cutOff) {
        policy.putBegun();
        return new Watch(bytes, cutOff);
    }

    /** The store has answered that it wants fewer requests. */
    public synchronized void throttled() {
        throttledAt = OptionalLong.of(clock.nanos());
    }

    private synchronized boolean isThrottled() {
        return throttledAt.isPresent()
                && clock.nanos() - throttledAt.getAsLong() < AFTER_THROTTLING.toNanos();
    }

    /** The requests for one object, one after the other, until one of them is cut off. */
    public final class Watch implements AutoCloseable {

        private final SizeClass size;
        private final boolean isLarge;
        private final Runnable cutOff;

        @GuardedBy("this")
        private Optional<Future<?>> alarm = Optional.empty();

        /** When the last request had been handed to the transport; empty once it is recorded. */
        @GuardedBy("this")
        private OptionalLong sentAt = OptionalLong.empty();

        @GuardedBy("this")
        private boolean isCutOff;

        @GuardedBy("this")
        private boolean closed;

        private Watch(long bytes, Runnable cutOff) {
            this.size = SizeClass.of(bytes);
            this.isLarge = bytes > MAX_BYTES;
            this.cutOff = cutOff;
        }

        /** The transport has the last byte of a request. */
        public synchronized void sent() {
            if (!closed && !isCutOff) {
                disarm();
                sentAt = OptionalLong.of(clock.nanos());
                if (!isLarge) {
                    policy.delay(size).ifPresent(this::arm);
                }
            }
        }

        @GuardedBy("this")
        private void arm(Duration delay) {
            try {
                alarm =
                        Optional.of(
                                timer.schedule(this::late, delay.toNanos(), TimeUnit.NANOSECONDS));
            } catch (RejectedExecutionException e) {
                // The storage is closed: the request takes as long as it takes.
                alarm = Optional.empty();
            }
        }

        @GuardedBy("this")
        private void disarm() {
            alarm.ifPresent(future -> future.cancel(false));
            alarm = Optional.empty();
        }

        private synchronized void late() {
            if (closed || isThrottled() || !policy.takeHedge()) {
                return;
            }
            policy.hedgeEnded();
            isCutOff = true;
            record();
            cutOff.run();
        }

        @GuardedBy("this")
        private void record() {
            sentAt.ifPresent(nanos -> policy.took(size, clock.nanos() - nanos));
            sentAt = OptionalLong.empty();
        }

        /** Whether the request was cut off; it may have been answered at the same time. */
        public synchronized boolean isCutOff() {
            return isCutOff;
        }

        /** The last request has succeeded. */
        public synchronized void succeeded() {
            record();
        }

        @Override
        public synchronized void close() {
            closed = true;
            disarm();
        }
    }
}
