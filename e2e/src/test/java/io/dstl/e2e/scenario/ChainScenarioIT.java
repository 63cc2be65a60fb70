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
package io.dstl.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dstl.e2e.scenario.ClusterPlan.Provider;
import io.dstl.testkit.Matrix.MatrixCase;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * One job goes over from Flink's backend to ours, back, and over again, on real clusters. The same
 * way between single processes, in {@code parity/}, stands for it.
 */
@ExtendWith(MatrixCase.class)
class ChainScenarioIT {
    private static final String OUR_LINE = "changelog on for ";

    @TempDir Path directory;

    @Test
    void aRetainedCheckpointGoesFromOneBackendToTheOther() throws Exception {
        try (ScenarioRun run =
                ScenarioRun.chain(
                        directory, Provider.STOCK, Provider.DSTL, Provider.STOCK, Provider.DSTL)) {
            assertThat(run.outcome().comparison().shown()).isEmpty();
            assertThat(run.outcome().comparison().summary())
                    .isEqualTo("12,000 of 12,000 flights, 0 differences");
        }
        JsonNode report = new ObjectMapper().readTree(directory.resolve("report.json").toFile());
        assertThat(report.at("/runs").findValuesAsText("label"))
                .containsExactly("1 stock", "2 dstl", "3 stock", "4 dstl");
        assertThat(taskManagerLog("chain-1-stock")).doesNotContain(OUR_LINE);
        assertThat(taskManagerLog("chain-2-dstl")).contains(OUR_LINE);
        assertThat(taskManagerLog("chain-3-stock")).doesNotContain(OUR_LINE);
        assertThat(taskManagerLog("chain-4-dstl")).contains(OUR_LINE);
    }

    private String taskManagerLog(String cluster) throws Exception {
        return Files.readString(
                directory.resolve("cluster-" + cluster).resolve("log/taskmanager-1.log"));
    }
}
