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
package io.dstl.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.e2e.chaos.Schedule.FaultKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChaosOutcomeTest {
    private final ChaosOutcome outcome = new ChaosOutcome(17);

    @Test
    void theTableCountsFaultsAndRestartsByKind() {
        outcome.faults(Map.of(FaultKind.DISK_FULL, 3, FaultKind.STORE_SLOW, 2), Map.of());
        outcome.restart(RestartCause.PROCESS);
        outcome.restart(RestartCause.PROCESS);
        outcome.fact("rows: all");
        assertThat(outcome.table("e2e/run.sh --chaos 4 --seed 17", "abc"))
                .contains("| local disk full | 3 |\n| store slow | 2 |\n")
                .contains("| by a process, a disk or ZooKeeper | 2 |\n")
                .contains("| by the store alone | 0 |\n")
                .contains("- rows: all\n")
                .contains("`e2e/run.sh --chaos 4 --seed 17` · commit abc");
    }

    @Test
    void aFailureIsInTheSummaryWithTheSeed() {
        assertThat(outcome.isClean()).isTrue();
        outcome.failure("a row is missing");
        assertThat(outcome.isClean()).isFalse();
        assertThat(outcome.summary()).contains("WRONG: a row is missing", "1 things", "seed 17");
    }

    /** It has put nothing to the test. */
    @Test
    void aFaultWithoutEffectIsToldOfItsKind() {
        outcome.faults(
                Map.of(FaultKind.ZOOKEEPER_ANSWER_LOST, 3, FaultKind.STORE_SLOW, 2),
                Map.of(FaultKind.ZOOKEEPER_ANSWER_LOST, 1));
        assertThat(outcome.summary())
                .contains("    3  ZooKeeper's answer lost after the write, 1 without effect\n")
                .contains("    2  store slow\n");
        assertThat(outcome.table("command", "abc"))
                .contains("| ZooKeeper's answer lost after the write, 1 without effect | 3 |\n")
                .contains("| store slow | 2 |\n");
    }

    /** What comes after it was not put to the test, however clean it looks. */
    @Test
    void anInputThatEndsBeforeTheFaultsIsAFailure() {
        outcome.inputEndedEarly();
        assertThat(outcome.isClean()).isFalse();
        assertThat(outcome.summary())
                .contains("WRONG: the input was read before the time was over")
                .contains("on a machine with more cores");
    }

    @Test
    void theEvidenceIsPutAsideUnderTheSeed(@TempDir Path directory) throws IOException {
        Path run = Files.createDirectories(directory.resolve("run"));
        Files.writeString(run.resolve("schedule.txt"), "round 1");
        outcome.failure("a row is missing");
        Path kept =
                outcome.keepEvidence(run, Clock.fixed(Instant.ofEpochSecond(99), ZoneOffset.UTC));
        assertThat(run).doesNotExist();
        assertThat(kept).isEqualTo(directory.resolve("chaos-seed-17-99"));
        assertThat(kept.resolve("schedule.txt")).hasContent("round 1");
        assertThat(kept.resolve("outcome.txt")).content().contains("a row is missing");
    }
}
