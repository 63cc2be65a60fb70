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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.harness.store.S3Store;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RunPlanTest {
    private final RunPlan plan = new RunPlan(Path.of("p"), Path.of("d"), Path.of("j"));

    @Test
    void theMainRunRescalesTheProjectsFlights() {
        assertThat(plan.input()).isEqualTo(Path.of("p/e2e/data/flights-nyc-2013.csv.gz"));
        assertThat(plan.rescaledParallelism()).isNotEqualTo(plan.parallelism());
        assertThat(plan.store()).isEqualTo(S3Store.Kind.AUTO);
    }

    @Test
    void refusesARescaleToTheSame() {
        assertThatThrownBy(() -> plan.parallelism(3, 3))
                .hasMessage("--rescale-to is 3, as --parallelism: give another");
    }

    @Test
    void refusesWhatTheClusterHasNoSlotsFor() {
        assertThatThrownBy(() -> plan.parallelism(2, 5))
                .hasMessage("--rescale-to is 5: the cluster has 1 to 4 slots to give");
    }

    @Test
    void refusesAnEmptyRun() {
        assertThatThrownBy(() -> plan.scale(0)).hasMessage("--scale is 0: give 1 or more");
        assertThatThrownBy(() -> plan.rate(0)).hasMessage("--rate is 0: give 1 or more");
    }

    @Test
    void aShortRunHasTheSameFaultsSooner() {
        Duration full = plan.measured();

        assertThat(plan.isRateGiven()).isFalse();
        assertThat(plan.rate()).hasToString("3800");
        plan.isShort(true);
        assertThat(plan.rate()).hasToString("7600");
        assertThat(plan.measured().multipliedBy(2)).isEqualTo(full);
        assertThat(plan.rate(250).rate()).hasToString("250");
        assertThat(plan.isRateGiven()).isTrue();
    }

    @Test
    void runsOnAnotherFlinkOrOnADistribution() {
        Optional<String> older = Optional.of("1.20.0");

        assertThat(plan.flink(Optional.empty(), older).distribution())
                .contains(Path.of("p/e2e/flink-home/target/flink-1.20.0"));
        assertThatThrownBy(() -> plan.flink(Optional.of(Path.of("f")), older))
                .hasMessage(
                        "--flink-version is 1.20.0, and --flink-home is f: give one of the two");
    }

    @Test
    void storesGoByTheirNames() {
        assertThat(S3Store.Kind.of("minio-container")).isEqualTo(S3Store.Kind.MINIO_CONTAINER);
        assertThatThrownBy(() -> S3Store.Kind.of("s3"))
                .hasMessage("no store 's3': choose one of auto, minio-container, minio, embedded");
    }
}
