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
package io.dstl.tools.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EntropyMarkerTest {
    @TempDir private java.nio.file.Path root;

    private final EntropyMarker marker = new EntropyMarker("_rnd_", 4, path -> true);

    @BeforeEach
    void someEntropy() throws IOException {
        for (String name : new String[] {"a1B2", "zzzz", "longer", "_rnd_", "p-a1B2"}) {
            Files.createDirectories(root.resolve(name).resolve("log"));
        }
    }

    @Test
    void expandsToEveryDirectoryThatCanStandForIt() throws IOException {
        assertThat(marker.expand(path("_rnd_/log")))
                .extracting(Path::getPath)
                .containsExactlyInAnyOrder(
                        path("log").getPath(),
                        path("_rnd_/log").getPath(),
                        path("a1B2/log").getPath(),
                        path("zzzz/log").getPath());
    }

    @Test
    void mayBePartOfAName() throws IOException {
        assertThat(marker.expand(path("p-_rnd_/log")))
                .extracting(Path::getPath)
                .containsExactlyInAnyOrder(path("p-/log").getPath(), path("p-a1B2/log").getPath());
    }

    @Test
    void isLeftOutOfTheWayToMetadata() {
        assertThat(marker.without(new Path("s3://b/_rnd_/checkpoints")))
                .isEqualTo(new Path("s3://b/checkpoints"));
        assertThat(marker.without(new Path("s3://b/checkpoints")))
                .isEqualTo(new Path("s3://b/checkpoints"));
    }

    @Test
    void isOfS3Only() throws IOException {
        Configuration configuration = new Configuration();
        configuration.setString("s3.entropy.key", "_rnd_");
        EntropyMarker configured = EntropyMarker.of(configuration);
        assertThat(configured.without(new Path("s3a://b/_rnd_/x")))
                .isEqualTo(new Path("s3a://b/x"));
        assertThat(configured.expand(path("_rnd_/log"))).containsExactly(path("_rnd_/log"));
        assertThat(EntropyMarker.of(new Configuration()).without(new Path("s3://b/_rnd_/x")))
                .isEqualTo(new Path("s3://b/_rnd_/x"));
    }

    private Path path(String below) {
        return new Path(root.toUri().toString() + "/" + below);
    }
}
