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

import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/** How often a put is attempted, and when the next attempt or a hedge begins. */
public final class RetrySettings {

    private static final HedgeSettings NO_HEDGES = new HedgeSettings(0, 1);

    private final int maxAttempts;
    private final Optional<Duration> timeout;
    private final Duration pauseAfterError;
    private final HedgeSettings hedges;

    /**
     * Without hedges.
     *
     * @param maxAttempts the first included
     * @param timeout from the start of an attempt to the next one beside it; empty: never
     * @param pauseAfterError mean pause from the first error other than a timeout to the next
     *     attempt; the pause is random
     */
    public RetrySettings(int maxAttempts, Optional<Duration> timeout, Duration pauseAfterError) {
        this(maxAttempts, timeout, pauseAfterError, NO_HEDGES);
    }

    /**
     * @param hedges beside late attempts
     */
    public RetrySettings(
            int maxAttempts,
            Optional<Duration> timeout,
            Duration pauseAfterError,
            HedgeSettings hedges) {
        this.hedges = hedges;
        this.maxAttempts = maxAttempts;
        this.timeout = timeout;
        this.pauseAfterError = pauseAfterError;
    }

    /** At least 1. */
    public int maxAttempts() {
        return maxAttempts;
    }

    public Optional<Duration> timeout() {
        return timeout;
    }

    public HedgeSettings hedges() {
        return hedges;
    }

    public Duration pauseAfterError() {
        return pauseAfterError;
    }

    /**
     * Pauses that double from failure to failure, each randomly up to a half shorter or longer, so
     * that what failed together does not retry together. The mean of the first is the base.
     *
     * <p><b>Threading.</b> Any thread; holds no state.
     */
    public static final class Backoff {

        /** Pauses grow to this, or to the base if that is longer. */
        private static final Duration LONGEST = Duration.ofSeconds(10);

        private static final int MAX_DOUBLINGS = 20;

        private final Duration base;
        private final DoubleSupplier random;

        /**
         * @param base 0: no pauses
         * @param random from 0 (inclusive) to 1 (exclusive)
         */
        public Backoff(Duration base, DoubleSupplier random) {
            this.base = base;
            this.random = random;
        }

        /**
         * @param failures so far, in a row; at least 1
         */
        public Duration after(int failures) {
            long longest = Math.max(LONGEST.toNanos(), base.toNanos());
            double doubled =
                    (double) base.toNanos() * (1L << Math.min(failures - 1, MAX_DOUBLINGS));
            double pause = Math.min(doubled, longest) * (0.5 + random.getAsDouble());
            return Duration.ofNanos((long) pause);
        }
    }

    /** Limits of hedges. */
    public static final class HedgeSettings {

        private final double share;
        private final int maxInFlight;

        /**
         * @param share of all puts, from 0 (no hedges) to 1, both inclusive
         * @param maxInFlight at the same time, at least 1
         */
        public HedgeSettings(double share, int maxInFlight) {
            this.share = share;
            this.maxInFlight = maxInFlight;
        }

        public double share() {
            return share;
        }

        public int maxInFlight() {
            return maxInFlight;
        }
    }
}
