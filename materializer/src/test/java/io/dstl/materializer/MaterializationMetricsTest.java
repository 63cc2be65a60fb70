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
package io.dstl.materializer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.materializer.MaterializationPolicy.Reason;
import io.dstl.testkit.RecordedMetrics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MaterializationMetricsTest {

    @ParameterizedTest
    @EnumSource
    void eachReasonIsCounted(Reason reason) {
        RecordedMetrics recorded = new RecordedMetrics();
        LogLimit none = new LogLimit(0, 0, Duration.ZERO, new ReplayRate());
        MaterializationMetrics metrics =
                new MaterializationMetrics(recorded, none, new ManualClock());

        metrics.started(reason);

        assertThat(recorded.count(MaterializationMetrics.STARTED)).isOne();
        for (Reason each : Reason.values()) {
            assertThat(recorded.count(each.metric()))
                    .as(each.metric())
                    .isEqualTo(each == reason ? 1 : 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachReasonIsExplained(Reason reason) throws Exception {
        assertThat(Files.readAllLines(Path.of("..", "docs", "metrics.md")))
                .anyMatch(row -> row.startsWith("| `" + reason.metric() + "` | counter |"));
    }
}
