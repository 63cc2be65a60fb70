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
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dstl.harness.store.S3Store;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** The whole run with nothing but this JVM's own S3 server, and what it leaves behind. */
@TestInstance(Lifecycle.PER_CLASS)
class EmbeddedStoreScenarioIT {
    private Path directory;
    private ScenarioRun run;

    /** Of the cluster; empty for the one that this is built with. */
    Optional<String> flinkVersion() {
        return Optional.empty();
    }

    @BeforeAll
    void runOnce(@TempDir Path shared) throws Exception {
        directory = shared;
        run = ScenarioRun.offAndOn(flinkVersion(), S3Store.Kind.EMBEDDED, directory);
    }

    @AfterAll
    void stop() throws Exception {
        if (run != null) {
            run.close();
        }
    }

    @Test
    void everyRowIsRight() {
        assertThat(run.outcome().comparison().shown()).isEmpty();
        assertThat(run.outcome().comparison().summary())
                .isEqualTo("12,000 of 12,000 flights, 0 differences");
        assertThat(run.outcome().allRight()).isTrue();
    }

    @Test
    void aTaskManagerDiedAndTheJobWasRescaled() throws Exception {
        JsonNode on = report().at("/timelines/1");

        assertThat(on.at("/events").findValuesAsText("what"))
                .containsExactly("faster", "SIGKILL", "restored", "stopped", "at parallelism 3");
        assertThat(directory.resolve("cluster-on/log/taskmanager-3.log"))
                .as("the replacement's log")
                .isNotEmptyFile();
    }

    @Test
    void theReportHasThePercentilesOfEachRun() throws Exception {
        for (JsonNode checkpoints : report().at("/runs")) {
            String label = checkpoints.at("/label").textValue();
            assertThat(checkpoints.at("/completed").intValue()).as(label).isPositive();
            for (String figure : List.of("durationMillis", "checkpointedBytes", "fullBytes")) {
                assertThat(checkpoints.at("/" + figure + "/p99.9").doubleValue())
                        .as(label + " " + figure)
                        .isPositive();
            }
        }
        assertThat(report().at("/runs").findValuesAsText("label"))
                .containsExactly("off", "on", "on, with the kill", "on, rescaled");
        assertThat(Files.readString(directory.resolve("report.html"))).contains("<svg");
    }

    @Test
    void theWebUiShowsThePercentiles(@TempDir Path profile) {
        boolean required = Boolean.parseBoolean(System.getenv("DSTL_REQUIRE_DOCKER"));
        assumeTrue(required || CheckpointPage.available(), "Chromium and its driver are installed");

        try (CheckpointPage page =
                new CheckpointPage(run.outcome().ui(), run.outcome().lastJob(), profile)) {
            Map<String, List<String>> percentiles = page.percentiles();

            assertThat(percentiles)
                    .containsKeys(
                            "50% percentile",
                            "90% percentile", "99% percentile", "99.9% percentile");
            percentiles.forEach(
                    (name, figures) ->
                            assertThat(figures.subList(0, 3))
                                    .as(name + ": duration and two sizes")
                                    .allMatch(figure -> figure.matches("\\d.*")));
        }
    }

    @Test
    void theClusterIsOfThatVersion() throws Exception {
        assertThat(report().at("/conditions/flink").textValue())
                .startsWith(flinkVersion().orElse("1.20."));
    }

    private JsonNode report() throws Exception {
        return new ObjectMapper().readTree(directory.resolve("report.json").toFile());
    }
}
