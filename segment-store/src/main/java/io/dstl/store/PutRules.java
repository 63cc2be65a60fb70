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

import io.dstl.store.HedgePolicy.HedgeBudget;
import io.dstl.store.RetrySettings.HedgeSettings;
import java.util.function.DoubleSupplier;

/**
 * The rules of all puts of a storage: when another attempt starts, when a request gets a hedge, and
 * at which pace requests begin. Any thread.
 */
public final class PutRules {

    // Used by the puts.
    final RetryPolicy retries;
    final HedgePolicy hedges;
    final Pace pace;
    final long maxLosingBytes;

    PutRules(RetryPolicy retries, HedgePolicy hedges, Pace pace, long maxLosingBytes) {
        this.retries = retries;
        this.hedges = hedges;
        this.pace = pace;
        this.maxLosingBytes = maxLosingBytes;
    }

    /**
     * @param maxLosingBytes that lost requests hold at most: see {@link LosingRequests}
     * @param random from 0 (inclusive) to 1 (exclusive)
     * @param observer gets the latencies, and is notified when the store asks for fewer requests
     */
    public static PutRules of(
            RetrySettings settings,
            long maxLosingBytes,
            DoubleSupplier random,
            NanoClock clock,
            PutObserver observer) {
        Pace pace = new Pace(clock, observer::throttled);
        PutLatencies latencies = new PutLatencies();
        observer.latencies(latencies);
        HedgeBudget budget = new HedgeBudget(settings.hedges());
        return new PutRules(
                new RetryPolicy(settings, random, clock),
                new HedgePolicy(latencies, budget, pace::isBounded, clock),
                pace,
                maxLosingBytes);
    }

    /** For files that are stored beside the segments: with latencies and a budget of their own. */
    public HedgePolicy ofFiles(HedgeSettings settings) {
        return hedges.separate(settings);
    }
}
