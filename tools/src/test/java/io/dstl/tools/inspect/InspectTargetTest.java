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
package io.dstl.tools.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.tools.checkpoint.EntropyMarker;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.ParallelWork;
import io.dstl.tools.cli.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Paths that are written with the marker of {@code s3.entropy.key}, as in the configuration. */
class InspectTargetTest {
    private static final String JOB = "0123456789abcdef0123456789abcdef";

    @TempDir private Path root;

    private InspectTarget at(String below) throws Exception {
        Progress progress = new Progress(new PrintWriter(Writer.nullWriter()), () -> 0);
        try (ParallelWork work = new ParallelWork("test", 2, progress)) {
            return InspectTarget.at(
                    new org.apache.flink.core.fs.Path(root.toUri() + "/" + below),
                    new EntropyMarker("_rnd_", 4, path -> true),
                    work,
                    progress);
        }
    }

    private void file(String below) throws IOException {
        Path file = root.resolve(below);
        Files.createDirectories(file.getParent());
        Files.createFile(file);
    }

    @Test
    void eachSegmentMayHaveADirectoryOfItsOwn() throws Exception {
        file("aaaa/log/" + JOB + "/dstl/1301617e-f6ab-4314-a655-8a64517b4ae3");
        file("bbbb/log/" + JOB + "/dstl/002f1b72-5f19-494d-83d5-24c08f50ba22");
        file("another/log/" + JOB + "/dstl/7c9e6679-7425-40de-944b-e07fc1f90ae7");

        assertThat(at("_rnd_/log").directories())
                .allMatch(log -> log.job().equals(JOB))
                .extracting(log -> root.toUri().relativize(log.path().toUri()).getPath())
                .containsExactly("aaaa/log/" + JOB + "/dstl", "bbbb/log/" + JOB + "/dstl");
    }

    @Test
    void metadataAreWhereTheMarkerIsLeftOut() throws Exception {
        file("checkpoints/" + JOB + "/chk-7/_metadata");

        assertThat(at("_rnd_/checkpoints/" + JOB + "/chk-7").checkpoint()).isPresent();
        assertThat(at("_rnd_/checkpoints/" + JOB + "/chk-7/_metadata").checkpoint()).isPresent();
    }

    @Test
    void whereThereIsNeitherSaysSo() {
        assertThatThrownBy(() -> at("_rnd_/log"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("_rnd_/log is empty or does not exist: give");
    }
}
