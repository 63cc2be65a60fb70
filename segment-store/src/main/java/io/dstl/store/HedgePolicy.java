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
import io.dstl.store.RetrySettings.HedgeSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * Whether and when a request gets a hedge: when it is late for its size ({@link PutLatencies}), if
 * the budget has a hedge to spend, and never while the store asks for fewer requests.
 *
 * <p><b>Threading.</b> Any thread.
 */
public final class HedgePolicy {

    private final PutLatencies latencies;
    private final HedgeBudget budget;
    private final BooleanSupplier throttled;
    private final NanoClock clock;

    /**
     * @param throttled whether the store asks for fewer requests
     */
    public HedgePolicy(
            PutLatencies latencies,
            HedgeBudget budget,
            BooleanSupplier throttled,
            NanoClock clock) {
        this.latencies = latencies;
        this.budget = budget;
        this.throttled = throttled;
        this.clock = clock;
    }

    /** For other requests to the same store: nothing of one counts for the other. */
    HedgePolicy separate(HedgeSettings settings) {
        return new HedgePolicy(new PutLatencies(), new HedgeBudget(settings), throttled, clock);
    }

    void putBegun() {
        budget.earn(clock.nanos());
    }

    /** The time after which a request is late. Empty: unknown yet, or hedges are off. */
    Optional<Duration> delay(SizeClass size) {
        double share = budget.share();
        return share > 0 ? latencies.late(size, share) : Optional.empty();
    }

    /** Whether a hedge may be sent now; if so, {@link #hedgeEnded} follows. */
    boolean takeHedge() {
        return !throttled.getAsBoolean() && budget.take();
    }

    void hedgeEnded() {
        budget.ended();
    }

    /** A request has succeeded, or was given up and has ended. */
    void took(SizeClass size, long nanos) {
        latencies.record(size, nanos);
    }

    /**
     * Bounds the number of hedges: a share of all puts, saved up by each, and a number at the same
     * time. The savings are bounded too, so that a bad minute after a good day stays within the
     * share of that minute.
     *
     * <p>When puts are few, each earns more, up to {@link #MOST} times the share if they come a
     * second apart: then a single one that hangs is the tail of the minute, and one more request
     * costs next to nothing. {@link #AT_THE_START} hedges exist before any put has earned one: one
     * of the first puts may hang.
     *
     * <p><b>Threading.</b> Any thread.
     */
    public static final class HedgeBudget {

        static final double MOST = 2.5;
        static final int AT_THE_START = 2;

        /** Gap at which a put earns the most; below 1 / {@link #MOST} of it, the share alone. */
        private static final double LONGEST_GAP_NANOS = 1e9;

        /** Weight of the latest gap in the mean: about ten puts count. */
        private static final double WEIGHT = 0.1;

        private final double share;
        private final int maxInFlight;

        /** In hedges. */
        @GuardedBy("this")
        private double saved;

        @GuardedBy("this")
        private int inFlight;

        /** Between the starts of two puts, each capped at the longest gap. */
        @GuardedBy("this")
        private double meanGapNanos;

        @GuardedBy("this")
        private OptionalLong lastPut = OptionalLong.empty();

        public HedgeBudget(HedgeSettings settings) {
            this.share = settings.share();
            this.maxInFlight = settings.maxInFlight();
            this.saved = share > 0 ? Math.min(AT_THE_START, maxInFlight) : 0;
        }

        /** What a put earns, in hedges, at the current rate of puts. */
        synchronized double share() {
            return share * Math.max(1, MOST * meanGapNanos / LONGEST_GAP_NANOS);
        }

        /** A put has begun. */
        synchronized void earn(long nowNanos) {
            if (lastPut.isPresent()) {
                double gap = Math.min(nowNanos - lastPut.getAsLong(), LONGEST_GAP_NANOS);
                meanGapNanos += WEIGHT * (gap - meanGapNanos);
            }
            lastPut = OptionalLong.of(nowNanos);
            saved = Math.min(saved + share(), maxInFlight);
        }

        /** Spends one hedge, if there is one to spend; {@link #ended} follows. */
        synchronized boolean take() {
            // A share such as 0.02 added up 50 times falls short of 1 by rounding.
            if (saved < 1 - 1e-9 || inFlight == maxInFlight) {
                return false;
            }
            saved = Math.max(saved - 1, 0);
            inFlight++;
            return true;
        }

        synchronized void ended() {
            if (inFlight == 0) {
                throw new IllegalStateException("More hedges ended than begun");
            }
            inFlight--;
        }
    }
}
