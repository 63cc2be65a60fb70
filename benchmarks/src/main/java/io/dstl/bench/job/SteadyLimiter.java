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
package io.dstl.bench.job;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiter;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;

/**
 * Lets so many records pass per second, whatever held them up before: a reader that was
 * backpressured for a second may pass that second's records at once, so that each variant processes
 * the same number in the end. For one reader thread.
 */
final class SteadyLimiter implements RateLimiter {
    private static final double NANOS_PER_SECOND = 1e9;

    private final double perSecond;
    private final LongSupplier nanos;
    private final Executor afterStep;
    private final long start;
    private long passed;
    private long allowed;

    /**
     * @param perSecond records
     * @param nanos the time, from any origin
     * @param afterStep runs what it is given a short, constant time later
     */
    SteadyLimiter(double perSecond, LongSupplier nanos, Executor afterStep) {
        this.perSecond = perSecond;
        this.nanos = nanos;
        this.afterStep = afterStep;
        this.start = nanos.getAsLong();
    }

    /** Readers that together let so many records pass per second. */
    static RateLimiterStrategy overAll(double perSecond) {
        return parallelism -> SystemPace.limiter(perSecond / parallelism);
    }

    @Override
    public CompletionStage<Void> acquire() {
        return acquire(1);
    }

    /** What Flink calls from 2.2 on. */
    public CompletionStage<Void> acquire(int records) {
        passed += records;
        if (passed > allowed) {
            allowed = allowedByNow();
        }
        if (passed <= allowed) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> turn = new CompletableFuture<>();
        await(turn, passed);
        return turn;
    }

    private void await(CompletableFuture<Void> turn, long number) {
        afterStep.execute(
                () -> {
                    if (number <= allowedByNow()) {
                        turn.complete(null);
                    } else {
                        await(turn, number);
                    }
                });
    }

    private long allowedByNow() {
        return (long) ((nanos.getAsLong() - start) * perSecond / NANOS_PER_SECOND);
    }
}
