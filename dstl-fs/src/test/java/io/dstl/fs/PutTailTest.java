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
package io.dstl.fs;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.option.DstlOptions;
import io.dstl.fs.option.DstlSettings;
import io.dstl.store.Cleanups;
import io.dstl.store.PutContext;
import io.dstl.store.PutObserver;
import io.dstl.store.PutRace;
import io.dstl.store.PutRules;
import io.dstl.store.RetrySettings;
import io.dstl.store.SegmentStore.Naming;
import io.dstl.store.testing.CountedNames;
import io.dstl.store.testing.ScriptedStore;
import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The tail of puts to a store at which one request in a hundred takes two seconds, from the first
 * put of a job on, with the defaults of all options. In simulated time; all by the seed.
 */
class PutTailTest {

    private static final int JOBS = 20;
    private static final int PUTS = 600;
    private static final double MEDIAN_NANOS = 68e6;
    private static final long HANGING_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final List<Long> tookNanos = new ArrayList<>();
    private int requests;

    /** One job, and all of its puts. */
    private void run(long seed, Duration gap, double deviation) {
        Random random = new Random(seed);
        ManualTimer timer = new ManualTimer();
        ScriptedStore store = new ScriptedStore(Naming.REPLACES);
        store.onPut(
                request -> {
                    requests++;
                    request.begin();
                    long latency = latency(random, deviation);
                    timer.schedule(() -> request.succeed(), latency, TimeUnit.NANOSECONDS);
                });
        Configuration config = new Configuration();
        config.set(DstlOptions.BASE_PATH, "file:///unused");
        RetrySettings defaults = DstlSettings.from(config).retry();
        PutContext puts =
                new PutContext(
                        store,
                        PutRules.of(
                                defaults,
                                Long.MAX_VALUE,
                                random::nextDouble,
                                timer::nanos,
                                PutObserver.NONE),
                        timer,
                        new CountedNames("segment-"),
                        new Cleanups(Runnable::run, timer),
                        PutObserver.NONE);
        for (int put = 0; put < PUTS; put++) {
            long begunAt = timer.nanos();
            PutRace.put(puts, out -> out.write(1))
                    .thenRun(() -> tookNanos.add(timer.nanos() - begunAt));
            timer.advance(gap);
        }
        timer.advance(Duration.ofMinutes(1));
    }

    /**
     * @param deviation of its logarithm
     */
    private static long latency(Random random, double deviation) {
        return random.nextInt(100) == 0
                ? HANGING_NANOS
                : (long) (MEDIAN_NANOS * Math.exp(deviation * random.nextGaussian()));
    }

    private long quantile(double which) {
        Collections.sort(tookNanos);
        return tookNanos.get((int) Math.ceil(which * tookNanos.size()) - 1);
    }

    private void runJobs(long gapMillis, double deviation) {
        for (long seed = 1; seed <= JOBS; seed++) {
            run(seed, Duration.ofMillis(gapMillis), deviation);
        }
        assertThat(tookNanos).hasSize(JOBS * PUTS);
    }

    private double requestsMore() {
        return (double) requests / (JOBS * PUTS) - 1;
    }

    /**
     * Without hedges it is 15 medians: that of the timeout. At ten a second and more there are
     * fewer hedges for each put, and it takes longer to know for how many.
     */
    @ParameterizedTest
    @CsvSource({"1000, 0.2, 4, 0.05", "1000, 0.3, 4, 0.05", "50, 0.2, 6, 0.02", "50, 0.3, 6, 0.02"})
    void isShortFromTheFirstPutOnForFewRequestsMore(
            long gapMillis, double deviation, double medians, double share) {
        runJobs(gapMillis, deviation);

        assertThat((double) quantile(0.999) / quantile(0.5)).isBetween(2.0, medians);
        assertThat(requestsMore()).isBetween(0.01, share);
    }

    /** Requests that take twice the median are common there, and not worth their hedges. */
    @ParameterizedTest
    @CsvSource({"1000, 0.05", "50, 0.02"})
    void takesFewRequestsMoreWhereLatenciesVaryMuch(long gapMillis, double share) {
        runJobs(gapMillis, 0.5);

        assertThat(requestsMore()).isBetween(0.01, share);
    }
}
