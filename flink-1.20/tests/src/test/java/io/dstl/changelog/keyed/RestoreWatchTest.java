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
package io.dstl.changelog.keyed;

import static io.dstl.changelog.testing.Awaiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.option.CapturedLog;
import io.dstl.changelog.replay.RestoreProgress;
import io.dstl.changelog.testing.Gauges;
import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A restore that takes long is heard of, and one that does not is not. */
class RestoreWatchTest {
    private static final Duration PERIOD = RestoreWatch.PERIOD;

    private final ManualClock clock = new ManualClock();
    private final ManualTimer timer = new ManualTimer();
    private final Gauges gauges = new Gauges();
    private final RestoreWatch.Turns turns = new RestoreWatch.Turns();
    private final CapturedLog heard = new CapturedLog(RestoreWatch.class.getName());

    @AfterEach
    void leave() {
        heard.close();
        assertThat(timer.size()).as("left on the timer").isZero();
    }

    @Test
    void saysEveryFiveSecondsHowFarItIsAndInTheEndWhereItsTimeWent() {
        RestoreProgress progress = new RestoreProgress(clock);
        try (RestoreWatch watch = begin(progress)) {
            pass(PERIOD.minusMillis(1));
            assertThat(heard.messages()).isEmpty();
            pass(Duration.ofMillis(1));
            pass(PERIOD);
            progress.baseRestored();
            pass(Duration.ofSeconds(2));
            watch.succeeded();
        }
        pass(PERIOD);

        String base =
                "its materialized state is being restored; of its log 0 of 0 change sets are read"
                        + " ahead";
        assertThat(heard.messages())
                .containsExactly(
                        "Restoring operator for 5 s: " + base,
                        "Restoring operator for 10 s: " + base,
                        "Restored operator in 12000 ms: 10000 ms for its materialized state, 2000 ms"
                                + " to apply its log, 0 ms waiting for that. Beside it, reading the"
                                + " log took 0 ms to fetch and 0 ms to decode");
    }

    @Test
    void saysNothingOfAShortOneWithoutALog() {
        RestoreProgress progress = new RestoreProgress(clock);
        try (RestoreWatch watch = begin(progress)) {
            pass(PERIOD.minusMillis(1));
            watch.succeeded();
        }

        assertThat(heard.messages()).isEmpty();
    }

    @Test
    void showsTheSameAsMetricsAndOfASecondAttemptInstead() {
        RestoreProgress failed = new RestoreProgress(clock);
        try (RestoreWatch first = begin(failed)) {
            pass(Duration.ofSeconds(1));
            assertThat(gauges.of(ChangelogBackendMetrics.OfRestore.BASE_TIME)).isEqualTo(1_000);
            assertThat(gauges.of(ChangelogBackendMetrics.OfRestore.TIME_LEFT))
                    .isEqualTo(RestoreProgress.UNKNOWN);
        }

        RestoreProgress progress = new RestoreProgress(clock);
        try (RestoreWatch second = begin(progress)) {
            pass(Duration.ofSeconds(2));
            progress.baseRestored();
            pass(Duration.ofSeconds(1));
            second.succeeded();
        }
        pass(Duration.ofSeconds(1));

        assertThat(gauges.of(ChangelogBackendMetrics.OfRestore.TIME)).isEqualTo(3_000);
        assertThat(gauges.of(ChangelogBackendMetrics.OfRestore.BASE_TIME)).isEqualTo(2_000);
        assertThat(gauges.of(ChangelogBackendMetrics.OfRestore.APPLY_TIME)).isEqualTo(1_000);
        assertThat(gauges.of(ChangelogBackendMetrics.OfRestore.TIME_LEFT)).isZero();
        assertThat(gauges.of(ChangelogBackendMetrics.OfRestore.CHANGES)).isZero();
    }

    /** The timer's thread and those of metrics have other work. */
    @Test
    void waitsForNoDiskAndLooksAgain() {
        RestoreProgress progress = new RestoreProgress(clock);
        CompletableFuture<Long> hangs = new CompletableFuture<>();
        AtomicInteger looks = new AtomicInteger();
        progress.baseBegins(100, () -> look(looks.incrementAndGet(), hangs));
        try (RestoreWatch watch = begin(progress)) {
            pass(PERIOD);
            await().atMost(HeldReplay.LONG).until(() -> looks.get() == 1);
            pass(PERIOD);
            assertThat(heard.messages()).hasSize(2).allMatch(line -> line.contains(", 100 bytes;"));
            assertThat(gauges.of(ChangelogBackendMetrics.OfRestore.BASE_BYTES)).isZero();
            assertThat(lookingThreads()).as("while one looks").hasSize(1);

            hangs.complete(30L);
            await().atMost(HeldReplay.LONG)
                    .until(() -> gauges.of(ChangelogBackendMetrics.OfRestore.BASE_BYTES) == 30);
            await().atMost(HeldReplay.LONG)
                    .until(
                            () -> {
                                pass(PERIOD);
                                return gauges.of(ChangelogBackendMetrics.OfRestore.BASE_BYTES)
                                        == 60;
                            });

            progress.baseRestored();
            await().atMost(HeldReplay.LONG).until(() -> lookingThreads().isEmpty());
            int before = looks.get();
            pass(PERIOD);
            assertThat(lookingThreads()).as("the base is restored").isEmpty();
            assertThat(looks).hasValue(before);
        }
    }

    private static long look(int number, CompletableFuture<Long> hangs) {
        if (number == 1) {
            return hangs.join();
        }
        if (number == 2) {
            throw new OutOfMemoryError("as if");
        }
        return 60;
    }

    private static List<Thread> lookingThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("dstl-restore-disk"))
                .collect(Collectors.toList());
    }

    /** Each TaskManager of a large job restores hundreds of operators at once. */
    @Test
    void manyRestoresTellInTurnAndTheLastOnesEveryFiveSecondsAgain() {
        int lines = RestoreWatch.Turns.LINES_OF_PERIOD;
        List<RestoreWatch> many = new ArrayList<>();
        for (int i = 0; i < 4 * lines; i++) {
            many.add(begin("operator " + i));
        }
        Set<String> told = new HashSet<>();
        for (int period = 1; period <= 4; period++) {
            pass(PERIOD);
            assertThat(heard.messages()).hasSize(period * lines);
        }
        heard.messages().forEach(line -> told.add(line.substring(0, line.indexOf(" for "))));
        assertThat(told).hasSameSizeAs(many);

        many.subList(1, many.size()).forEach(RestoreWatch::close);
        for (int period = 1; period <= 2; period++) {
            pass(PERIOD);
            assertThat(heard.messages()).hasSize(4 * lines + period);
            assertThat(heard.messages().get(4 * lines + period - 1))
                    .startsWith("Restoring operator 0 for " + 5 * (4 + period) + " s");
        }
        many.get(0).close();
    }

    @Test
    void asManyAsThereMayBeLinesTellEveryFiveSeconds() {
        int lines = RestoreWatch.Turns.LINES_OF_PERIOD;
        List<RestoreWatch> some = new ArrayList<>();
        for (int i = 0; i < lines; i++) {
            some.add(begin("operator " + i));
            pass(Duration.ofMillis(10));
        }
        pass(PERIOD.multipliedBy(3).minusMillis(lines * 10));

        for (int i = 0; i < lines; i++) {
            String operator = "Restoring operator " + i + " for ";
            assertThat(heard.messages().stream().filter(line -> line.startsWith(operator)))
                    .hasSize(i == 0 ? 3 : 2);
        }
        some.forEach(RestoreWatch::close);
    }

    private RestoreWatch begin(String operator) {
        RestoreProgress progress = new RestoreProgress(clock);
        return RestoreWatch.begin(operator, progress, new UnregisteredMetricsGroup(), timer, turns);
    }

    private RestoreWatch begin(RestoreProgress progress) {
        return RestoreWatch.begin("operator", progress, gauges, timer, turns);
    }

    private void pass(Duration time) {
        clock.advanceTime(time.toNanos(), TimeUnit.NANOSECONDS);
        timer.advance(time);
    }
}
