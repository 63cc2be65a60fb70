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
package io.dstl.harness.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CheckpointStatisticsTest {

    @Test
    void readsTheSummary() throws IOException {
        CheckpointStatistics seen = Statistics.ofThreeCheckpoints();

        assertThat(seen.completed).isEqualTo(3);
        assertThat(seen.failed).isEqualTo(1);
        assertThat(seen.restored).isEqualTo(1);
        assertThat(seen.restoredFrom).hasValue(3);
        assertThat(seen.duration.p50).isEqualTo(120);
        assertThat(seen.checkpointedSize.p90).isEqualTo(812298);
        assertThat(seen.fullSize.p999).isEqualTo(2812298);
    }

    @Test
    void listsTheCompletedOnesOldestFirst() throws IOException {
        CheckpointStatistics seen = Statistics.ofThreeCheckpoints();

        assertThat(seen.history).extracting(one -> one.id).containsExactly(4L, 5L, 7L);
        assertThat(seen.history.get(1).duration).isEqualTo(Duration.ofMillis(120));
        assertThat(seen.latest.orElseThrow().path).startsWith("s3://").endsWith("/chk-7");
    }

    @Test
    void thereIsNothingBeforeTheFirst() throws IOException {
        CheckpointStatistics seen = Statistics.beforeTheFirst();

        assertThat(seen.completed).isZero();
        assertThat(seen.duration.p999).isNaN();
        assertThat(seen.history).isEmpty();
        assertThat(seen.latest).isEmpty();
        assertThat(seen.restoredFrom).isEmpty();
    }
}
