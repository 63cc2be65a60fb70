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
package io.dstl.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.bench.fleet.FleetCheckpoints.Step;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FleetLogTest {
    @TempDir private Path directory;

    @Test
    void readsWholeLinesOnly() throws Exception {
        Path file = directory.resolve("fleet.csv");
        Files.writeString(
                file,
                "1,40,45,50,60,RUN,4,1200,3\n"
                        + "2,1040,1045,1050,1060,GATHER,4,2400,13\n"
                        + "3,2040,2045,2050,2060,TRUNCATE,4,1200,3\n"
                        + "4,3040,30",
                StandardCharsets.UTF_8);

        FleetLog log = FleetLog.read(file);

        assertThat(log.count(Step.GATHER)).isEqualTo(1);
        assertThat(log.truncation().orElseThrow().id).isEqualTo(3);
        assertThat(log.of(4)).isEmpty();
        assertThat(log.of(2).orElseThrow().lastSent).isEqualTo(1050);
        assertThat(log.of(2).orElseThrow().objects).isEqualTo(13);
    }

    @Test
    void withoutAFileThereIsNone() throws Exception {
        FleetLog log = FleetLog.read(directory.resolve("fleet.csv"));

        assertThat(log.count(Step.RUN)).isZero();
        assertThat(log.truncation()).isEmpty();
    }
}
