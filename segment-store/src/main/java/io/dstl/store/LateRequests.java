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
 * Cuts off requests that are late, so that their callers store the content elsewhere. For requests
 * that block a thread; those of segments are hedged by a {@link PutRace}. When a request is late,
 * and how many may be cut off, is decided by a {@link HedgePolicy}; but none is late before {@link
 * #LEAST_PATIENCE}, and none is cut off for a minute after the store has asked for fewer.
 *
 * <p>What counts is the longest time without progress: to the first piece that the transport takes,
 * from one to the next, and from the last to the answer. So a request is not late because it has
 * much to send. But what is in the buffers of a socket is sent without progress, so a network that
 * becomes slower may make some late. A request of more than {@link #MAX_BYTES} is never cut off, as
 * it would have too much to send again.
 *
 * <p><b>Threading.</b> Any thread.
 */
public final class LateRequests {

    static final long MAX_BYTES = 8L << 20;
    static final Duration AFTER_THROTTLING = Duration.ofMinutes(1);

    /**
     * Nobody waits for milliseconds of a materialization, and sizes and durations differ more than
     * those of segments: what is left of the budget is for requests that hang.
     */
    static final Duration LEAST_PATIENCE = Duration.ofMillis(500);

    /**
     * An alarm that comes later than that tells of a pause of this process, and nothing of the
     * store: the time begins anew.
     */
    static final Duration MOST_OVERDUE = Duration.ofMillis(100);

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

    /** For an object whose requests are never cut off, nor counted: it is closed. */
    public Watch patient() {
        Watch closed = new Watch(0, () -> {});
        closed.close();
        return closed;
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

        /** After so long without progress the request under way is late. */
        @GuardedBy("this")
        private long delayNanos;

        @GuardedBy("this")
        private long alarmAt;

        /** The last progress of the request under way; empty if there is none. */
        @GuardedBy("this")
        private OptionalLong progressAt = OptionalLong.empty();

        @GuardedBy("this")
        private long longestNanos;

        @GuardedBy("this")
        private boolean isCutOff;

        @GuardedBy("this")
        private boolean closed;

        private Watch(long bytes, Runnable cutOff) {
            this.size = SizeClass.of(bytes);
            this.isLarge = bytes > MAX_BYTES;
            this.cutOff = cutOff;
        }

        /** A request begins: its connection, or the use of one. */
        public synchronized void begun() {
            disarm();
            if (!closed && !isCutOff) {
                progressAt = OptionalLong.of(clock.nanos());
                longestNanos = 0;
                Optional<Duration> delay = isLarge ? Optional.empty() : policy.delay(size);
                if (delay.isPresent()) {
                    delayNanos = Math.max(delay.get().toNanos(), LEAST_PATIENCE.toNanos());
                    arm(delayNanos);
                }
            }
        }

        /** The transport has taken some of its bytes. */
        public synchronized void progressed() {
            if (progressAt.isPresent()) {
                longestNanos = longestSilence();
                progressAt = OptionalLong.of(clock.nanos());
            }
        }

        /** With the one that lasts. */
        @GuardedBy("this")
        private long longestSilence() {
            return Math.max(longestNanos, clock.nanos() - progressAt.getAsLong());
        }

        @GuardedBy("this")
        private void arm(long nanos) {
            alarmAt = clock.nanos() + nanos;
            try {
                alarm = Optional.of(timer.schedule(this::look, nanos, TimeUnit.NANOSECONDS));
            } catch (RejectedExecutionException e) {
                // The storage is closed: the request takes as long as it takes.
                alarm = Optional.empty();
            }
        }

        @GuardedBy("this")
        private void disarm() {
            alarm.ifPresent(future -> future.cancel(false));
            alarm = Optional.empty();
            progressAt = OptionalLong.empty();
        }

        private synchronized void look() {
            if (progressAt.isEmpty()) {
                return;
            }
            long now = clock.nanos();
            long left = delayNanos - (now - progressAt.getAsLong());
            if (now - alarmAt > MOST_OVERDUE.toNanos()) {
                progressAt = OptionalLong.of(now);
                arm(delayNanos);
            } else if (left > 0) {
                arm(left);
            } else if (isThrottled() || !policy.takeHedge()) {
                arm(delayNanos);
            } else {
                policy.hedgeEnded();
                isCutOff = true;
                record();
                cutOff.run();
            }
        }

        /** Whether a request was cut off; it may have been answered at the same time. */
        public synchronized boolean isCutOff() {
            return isCutOff;
        }

        /** The request under way has failed; another may follow. */
        public synchronized void failed() {
            disarm();
        }

        /** The request under way has succeeded. */
        public synchronized void succeeded() {
            record();
        }

        @GuardedBy("this")
        private void record() {
            if (progressAt.isPresent()) {
                policy.took(size, longestSilence());
            }
            disarm();
        }

        @Override
        public synchronized void close() {
            closed = true;
            disarm();
        }
    }
}
