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
package io.dstl.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FleetSettingsTest {
    @Test
    void theCommandLineSaysAll() {
        FleetSettings settings =
                new FleetSettings(Path.of("conf"), Path.of("fleet.csv"))
                        .changelog(true)
                        .ownHandles(true)
                        .size(100, 64)
                        .materializeEvery(60)
                        .truncated(10_000)
                        .metadata(Path.of("chk-1"))
                        .metadata(Path.of("chk-2"));

        FleetSettings read = FleetSettings.parse(settings.commandLine().toArray(new String[0]));

        assertThat(read).usingRecursiveComparison().isEqualTo(settings);
        assertThat(read.taskManagers()).isEqualTo(2);
        assertThat(read.gathered()).isEqualTo(10_000);
    }

    @Test
    void eachTaskGathersTheSame() {
        FleetSettings settings =
                new FleetSettings(Path.of("conf"), Path.of("fleet.csv"))
                        .size(300, 64)
                        .truncated(10_000);

        assertThat(settings.gathered()).isEqualTo(300 * 4 * FleetCheckpoints.GATHERING);
    }
}
