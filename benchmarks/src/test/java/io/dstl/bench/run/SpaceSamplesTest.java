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

import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.run.SpacePhase.SpaceSamples;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SpaceSamplesTest {
    private static final String LOG = "dstl-1/changelog/job/dstl/a";
    private static final String FILE = "dstl-1/checkpoints/job/shared/b";

    private final SpaceSamples samples = new SpaceSamples();

    @Test
    void theBucketIsSummedUpLookByLook() {
        samples.bucket(Map.of(LOG, 1_000_000L, FILE, 4_000_000L));
        samples.bucket(Map.of(LOG, 3_000_000L, FILE, 6_000_000L));
        samples.bucket(Map.of(FILE, 7_000_000L));
        assertThat(found())
                .containsEntry("restMegabytes.p50", 7.0)
                .containsEntry("restMegabytes.max", 9.0)
                .containsEntry("restMegabytes.log", 1.0)
                .containsEntry("restObjects.p50", 2.0);
    }

    @Test
    void ofMaterializationsTheUsualAndTheLongestCount() {
        samples.bucket(Map.of());
        samples.materialization(OptionalDouble.of(-1));
        samples.materialization(OptionalDouble.of(900));
        samples.materialization(OptionalDouble.of(700));
        samples.materialization(OptionalDouble.of(600));
        samples.materializations(12);
        assertThat(found())
                .containsEntry("materializations.count", 12.0)
                .containsEntry("materializations.usualMillis", 700.0)
                .containsEntry("materializations.durationMillis", 900.0);
    }

    @Test
    void theirNumberIsUnknownIfTheTasksWereStartedAnew() {
        samples.bucket(Map.of());
        assertThat(found()).containsEntry("materializations.count", MeasuredPhase.RESTARTED);
    }

    @Test
    void eachPartInATaskThreadThatALookFindsCountsOnce() {
        samples.bucket(Map.of());
        samples.inTaskThread("a", 3, 999);
        samples.inTaskThread("b", 0, -1);
        for (int started = 1; started <= 60; started++) {
            samples.inTaskThread("a", 3 + started, 100 + started);
            samples.inTaskThread("b", started, started);
            samples.inTaskThread("b", started, started);
        }
        assertThat(found())
                .containsEntry("materializations.synchronousMillis.p99", 159.0)
                .containsEntry("materializations.synchronousMillis", 160.0);
    }

    @Test
    void aTaskThatWasStartedAnewCountsAnew() {
        samples.bucket(Map.of());
        samples.inTaskThread("a", 3, 999);
        samples.inTaskThread("a", 0, -1);
        samples.inTaskThread("a", 1, 20);
        assertThat(found()).containsEntry("materializations.synchronousMillis", 20.0);
    }

    @Test
    void whatAVariantDoesNotReportIsNoZero() {
        samples.bucket(Map.of());
        samples.materialization(OptionalDouble.of(-1));
        assertThat(found())
                .doesNotContainKeys(
                        "materializations.usualMillis",
                        "materializations.durationMillis",
                        "materializations.synchronousMillis");
    }

    @Test
    void theTableOfSpaceHasEveryOneOfThem() {
        assertThat(SpaceSamples.quantities()).allMatch(SpacePhase::shows);
    }

    private Map<String, Object> found() {
        return samples.findings().stream()
                .collect(Collectors.toMap(each -> each.quantity().key(), Finding::plain));
    }
}
