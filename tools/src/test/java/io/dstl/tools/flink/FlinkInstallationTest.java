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
package io.dstl.tools.flink;

import static org.apache.flink.configuration.CheckpointingOptions.CHECKPOINTS_DIRECTORY;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlinkInstallationTest {
    @TempDir private Path home;

    @ParameterizedTest
    @CsvSource({
        "execution.checkpointing.dir, state.checkpoints.dir",
        "state.checkpoints.dir, execution.checkpointing.dir",
    })
    void anOverrideGoesBeforeTheFilesKeyOfAnotherSpelling(String inTheFile, String given)
            throws IOException {
        Files.write(
                Files.createDirectories(home.resolve("conf")).resolve("flink-conf.yaml"),
                List.of(inTheFile + ": s3://bucket/file"));
        FlinkInstallation flink = new FlinkInstallation(home, Map.of());

        assertThat(flink.configuration(Map.of()).get(CHECKPOINTS_DIRECTORY))
                .isEqualTo("s3://bucket/file");
        assertThat(flink.configuration(Map.of(given, "s3://bucket/D")).get(CHECKPOINTS_DIRECTORY))
                .isEqualTo("s3://bucket/D");
    }
}
