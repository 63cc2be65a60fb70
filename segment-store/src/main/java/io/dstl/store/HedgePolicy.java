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
import java.util.function.BooleanSupplier;

/**
 * Whether, and when, a request gets a second one beside it: when it is late for its size ({@link
 * PutLatencies}), if the budget has one to spend, and never while the store asks for fewer.
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

    void putBegun() {
        budget.earn(clock.nanos());
    }

    /** After which a request is late. Empty: not known yet, or there are no hedges at all. */
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
}
