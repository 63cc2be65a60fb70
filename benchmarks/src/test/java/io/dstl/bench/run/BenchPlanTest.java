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
package io.dstl.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.bench.job.JobArguments.WorkloadKind;
import io.dstl.bench.job.Updates;
import io.dstl.bench.run.Variant.RunName;
import io.dstl.harness.store.S3Store;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class BenchPlanTest {
    private final BenchPlan plan =
            new BenchPlan(new BenchPaths(Path.of("p"), Path.of("r"), Path.of("j")));

    @Test
    void allVariantsAreRunBeforeOneIsRunAgain() {
        plan.repetitions(2);
        assertThat(plan.runs())
                .extracting(RunName::toString)
                .containsExactly("off-1", "stock-1", "dstl-1", "off-2", "stock-2", "dstl-2");
    }

    @Test
    void forStIsForFlink2Alone() {
        plan.variants(List.of(Variant.DSTL, Variant.FORST));

        assertThat(plan.backend(Variant.DSTL, "1.20.5")).isEqualTo("rocksdb");
        assertThat(plan.backend(Variant.FORST, "2.3.0")).isEqualTo("forst");
        assertThatThrownBy(() -> plan.backend(Variant.FORST, "1.20.5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--variants has forst, which Flink 1.20.5 does not have");
    }

    @Test
    void forStHasAsynchronousStateWhereTheJobHas() {
        RunName forst = new RunName(Variant.FORST, 1);
        plan.variants(List.of(Variant.DSTL, Variant.FORST));

        assertThat(plan.job(new RunName(Variant.DSTL, 1)).async()).isFalse();
        assertThat(plan.job(forst).async()).isTrue();
        assertThat(plan.conditions()).hasEntrySatisfying("forst", state("asynchronous"));
        plan.workload(new Workload(WorkloadKind.MAP, new Updates(1000, 0), 10, 200));
        assertThat(plan.job(forst).async()).isFalse();
        assertThat(plan.conditions()).hasEntrySatisfying("forst", state("synchronous"));
    }

    private static Consumer<String> state(String kind) {
        return text -> assertThat(text).startsWith(kind + " state");
    }

    @Test
    void theVariantsOfARepetitionMeetTheSameChance() {
        plan.repetitions(2);
        assertThat(plan.runs()).extracting(plan::seed).containsExactly(0L, 0L, 0L, 1L, 1L, 1L);
    }

    @Test
    void saysBeforehandHowLongItTakes() {
        List<Fault> faults = new ArrayList<>();
        Fault.stall("15s").ifReal(faults::add);
        plan.repetitions(3)
                .timing(new Timing(Duration.ofSeconds(10), Duration.ofSeconds(60)))
                .faults(faults)
                .recoveryLimit(Duration.ofSeconds(60));
        // 9 x (30 + 10 + 60 + 15 + 5) s; one run waits 60 s at most before each phase and after it.
        assertThat(plan.announcement())
                .isEqualTo(
                        "3 x (off, stock, dstl): about 18 min, and at most 5 min for each run that"
                                + " does not recover");
    }

    @Test
    void aProfileTakesAsLongAgainAndItsOptionsOnlyThen() {
        plan.timing(new Timing(Duration.ofSeconds(10), Duration.ofSeconds(60)))
                .recoveryLimit(Duration.ofSeconds(60));
        assertThat(plan.clusterSettings()).isEmpty();
        assertThat(plan.conditions()).doesNotContainKey("profile");
        plan.profile();
        assertThat(plan.clusterSettings())
                .containsOnlyKeys(
                        "env.java.opts.taskmanager", "state.changelog.replay.warm-up.enabled")
                .containsEntry("state.changelog.replay.warm-up.enabled", "false");
        assertThat(plan.conditions().get("profile"))
                .contains("for 60 s", "profile-off-1.collapsed", "profile-dstl-1.collapsed");
        // 3 x (30 + 10 + 60 + 60 + 5) s; one run waits 60 s at most before each phase.
        assertThat(plan.announcement())
                .isEqualTo(
                        "1 x (off, stock, dstl): about 9 min, and at most 5 min for each run that"
                                + " does not recover");
    }

    @Test
    void aBurstMeetsASmallHeapThatMayNotRunOut() {
        plan.burst(Fault.stall("2min"), 512);

        assertThat(plan.clusterSettings())
                .containsEntry("taskmanager.memory.task.heap.size", "384mb")
                .containsEntry("taskmanager.memory.process.size", "3072mb")
                .containsEntry("env.java.opts.taskmanager", "-XX:+ExitOnOutOfMemoryError");
        assertThat(plan.conditions().get("burst")).contains("stalled for 2min", "512 MB");
        assertThat(phases())
                .extracting(Phase::title)
                .containsExactly("undisturbed", "burst, all requests stalled for 2min", "totals");
        assertThatThrownBy(() -> plan.burst(Fault.stall("2min"), 128))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--heap is 128");
    }

    @Test
    void settingsTakeThePlaceOfThePlansOwnAndAreShown() {
        assertThat(plan.conditions()).doesNotContainKey("settings");

        plan.recovery(5, false).settings(Map.of("restart-strategy.type", "none", "a.key", "1mb"));

        assertThat(plan.clusterSettings())
                .containsEntry("restart-strategy.fixed-delay.delay", "1 s")
                .containsEntry("restart-strategy.type", "none")
                .containsEntry("a.key", "1mb");
        assertThat(plan.conditions().get("settings"))
                .isEqualTo("{a.key=1mb, restart-strategy.type=none}");
    }

    @Test
    void eachKillMayBeFollowedByAnother() {
        plan.timing(new Timing(Duration.ofSeconds(30), Duration.ofMinutes(20))).recovery(5, true);

        assertThat(phases().get(0).quantities())
                .extracting(quantity -> quantity.title())
                .anyMatch(title -> title.startsWith("Killed again"));
        assertThat(plan.conditions().get("measured"))
                .endsWith("another kill after the next checkpoint");
        // 3 x (30 + 30 + 5 x (2 x 60 + 2 x 30)) s
        assertThat(plan.announcement()).startsWith("1 x (off, stock, dstl): about 48 min");
    }

    @Test
    void killsTakeThePlaceOfWhatIsMeasured() {
        plan.timing(new Timing(Duration.ofSeconds(30), Duration.ofMinutes(20)))
                .recoveryLimit(Duration.ofSeconds(60))
                .recovery(5, false);

        assertThat(phases())
                .extracting(phase -> phase.getClass().getSimpleName())
                .containsExactly("RecoveryPhase", "TotalsPhase");
        assertThat(plan.conditions().get("measured"))
                .startsWith("5 kills of each run after 30 s of warm-up")
                .contains("at work for 60 s", "90% of the most that one had in the run");
        assertThat(plan.clusterSettings()).containsEntry("restart-strategy.type", "fixed-delay");
        // 3 x (30 + 30 + 5 x (2 x 60 + 30)) s; one run waits 5 x 3 x 60 s for a log, and 60 s at
        // most for a checkpoint before and after each kill.
        assertThat(plan.announcement())
                .isEqualTo(
                        "1 x (off, stock, dstl): about 41 min, and at most 33 min for each run that"
                                + " does not recover");
    }

    @Test
    void spaceIsMeasuredAsTheOthersAre() {
        String before = plan.announcement();
        plan.space();

        assertThat(phases())
                .extracting(phase -> phase.getClass().getSimpleName())
                .containsExactly("SpacePhase");
        assertThat(plan.conditions().get("measured")).contains("the bucket is listed every");
        assertThat(plan.announcement()).isEqualTo(before);
    }

    @Test
    void theClusterHasASlotForEachSubtask() {
        Workload workload = new Workload(WorkloadKind.MAP, new Updates(1000, 0), 10, 200);
        plan.workload(workload.parallelism(4));
        assertThat(plan.slots()).isEqualTo(4);
        assertThat(plan.conditions().get("workload")).endsWith("parallelism 4");
        plan.workload(workload.parallelism(1));
        assertThat(plan.slots()).as("one for each subtask of the source").isEqualTo(2);
    }

    private List<Phase> phases() {
        return plan.phases(new RunName(Variant.DSTL, 1), new NoStore(), null, null);
    }

    private static final class NoStore implements S3Store {
        @Override
        public URI endpoint() {
            return URI.create("http://127.0.0.1:9");
        }

        @Override
        public String description() {
            return "none";
        }

        @Override
        public void close() {}
    }

    @Test
    void aBurstsRunHasRoomForWhateverHeapItIsGiven() {
        plan.burst(Fault.stall("2min"), 4096);

        assertThat(plan.clusterSettings())
                .containsEntry("taskmanager.memory.task.heap.size", "3968mb")
                .containsEntry("taskmanager.memory.process.size", "6656mb");
    }

    @Test
    void keysWhoseTotalsCannotBeComputedAreRefusedBeforeTheRun() {
        Updates updates = new Updates(6_000_000, 0);
        plan.workload(new Workload(WorkloadKind.MAP, updates, 10, 200));
        plan.requireRunnable("1.20.5");
        plan.kill();

        assertThatThrownBy(() -> plan.requireRunnable("1.20.5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--keys is 6000000: give 5000000 or less");
        plan.workload(new Workload(WorkloadKind.TIMERS, updates, 10, 200));
        plan.requireRunnable("1.20.5");
    }

    @Test
    void unusableNumbersAreRefusedByName() {
        assertThatThrownBy(() -> plan.repetitions(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--repeat is 0");
        assertThatThrownBy(() -> plan.variants(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--variants");
    }
}
