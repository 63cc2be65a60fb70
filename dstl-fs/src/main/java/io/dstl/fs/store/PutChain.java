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
package io.dstl.fs.store;

import io.dstl.fs.metric.NanoClock;
import io.dstl.fs.metric.PutMetrics;
import io.dstl.fs.metric.StorageMetrics;
import io.dstl.fs.option.RetrySettings;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.DoubleSupplier;

/**
 * Decorates a store with all that a put goes through: retried, each attempt hedged, each request
 * paced and measured.
 */
public final class PutChain {

    /** Where chance, names and time come from. */
    public static final class Sources {
        private final NanoClock clock;
        private final SegmentNames names;
        private final DoubleSupplier random;
        private final ScheduledExecutorService timer;
        private final Executor cleanups;

        /**
         * @param random from 0 (inclusive) to 1 (exclusive)
         * @param cleanups see {@link RetryingSegmentStore}
         */
        public Sources(
                NanoClock clock,
                SegmentNames names,
                DoubleSupplier random,
                ScheduledExecutorService timer,
                Executor cleanups) {
            this.clock = clock;
            this.names = names;
            this.random = random;
            this.timer = timer;
            this.cleanups = cleanups;
        }
    }

    private PutChain() {}

    public static SegmentStore over(
            SegmentStore store,
            RetrySettings settings,
            Sources from,
            StorageMetrics storageMetrics,
            PutMetrics putMetrics) {
        Pace pace = new Pace(from.clock, putMetrics::throttled);
        SegmentStore paced =
                new PacedSegmentStore(
                        new MeteredSegmentStore(store, storageMetrics, from.clock),
                        pace,
                        from.timer);
        return new RetryingSegmentStore(
                hedged(paced, settings, from, pace, putMetrics),
                new RetryPolicy(settings, from.random, from.clock),
                from.timer,
                from.names,
                from.cleanups,
                attempts(storageMetrics, putMetrics));
    }

    private static SegmentStore hedged(
            SegmentStore store,
            RetrySettings settings,
            Sources from,
            Pace pace,
            PutMetrics metrics) {
        PutLatencies latencies = new PutLatencies();
        for (SizeClass size : SizeClass.values()) {
            metrics.showLatencies(size, latencies.of(size));
        }
        HedgePolicy policy =
                new HedgePolicy(
                        latencies, new HedgeBudget(settings.hedges()), pace::isBounded, from.clock);
        return new HedgingSegmentStore(store, policy, from.timer, from.names, hedges(metrics));
    }

    private static HedgeListener hedges(PutMetrics metrics) {
        return new HedgeListener() {
            @Override
            public void sent() {
                metrics.hedgeSent();
            }

            @Override
            public void won() {
                metrics.hedgeWon();
            }
        };
    }

    private static AttemptsListener attempts(StorageMetrics storage, PutMetrics puts) {
        return new AttemptsListener() {
            @Override
            public void succeeded(int winner, int started) {
                storage.uploadSucceeded(winner, started);
            }

            @Override
            public void retried() {
                puts.retried();
            }
        };
    }
}
