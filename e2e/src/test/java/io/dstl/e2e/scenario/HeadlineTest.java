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

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dstl.e2e.scenario.FlightsScenario.Headline;
import io.dstl.harness.report.RunReport.CheckpointRun;
import io.dstl.harness.rest.CheckpointStatistics;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeadlineTest {
    private final CheckpointRun off = run("off", 480);
    private final CheckpointRun on = run("on", 72);
    private final CheckpointRun rescaled = run("on, rescaled", 1500);

    @Test
    void comparesTheMediansOfTheSamePace() {
        assertThat(Headline.of(List.of(off, on, rescaled)))
                .isEqualTo(
                        "Half of the checkpoints took at most 72 ms with the changelog, and 480 ms"
                                + " without: 0.15 of the time");
        assertThat(Headline.measured(List.of(rescaled, on, off))).containsExactly(off, on);
    }

    @Test
    void comparesNothingWhereOneOfThemIsMissing() {
        assertThat(Headline.of(List.of(run("1 stock", 480), run("2 dstl", 72))))
                .isEqualTo("One job, from one backend to the next");
    }

    private static CheckpointRun run(String label, int medianMillis) {
        ObjectNode json = new ObjectMapper().createObjectNode();
        json.putObject("counts").put("completed", 1).put("failed", 0).put("restored", 0);
        ObjectNode summary = json.putObject("summary");
        for (String figure : List.of("end_to_end_duration", "checkpointed_size", "state_size")) {
            ObjectNode distribution = summary.putObject(figure);
            for (String name : List.of("p50", "p90", "p95", "p99", "p999")) {
                distribution.put(name, medianMillis);
            }
        }
        json.putArray("history");
        return new CheckpointRun(label, CheckpointStatistics.of(json));
    }
}
