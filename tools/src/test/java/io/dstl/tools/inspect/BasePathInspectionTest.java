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

import io.dstl.secret.Redaction;
import io.dstl.tools.cli.Progress;
import io.dstl.tools.sizing.ReplaySpeed;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BasePathInspectionTest {
    /** More than are read ahead. */
    private static final int SEGMENTS = 100;

    @TempDir private Path root;

    /** A job that runs deletes what it has materialized. */
    @Test
    void aSegmentThatIsGoneSinceItWasListedIsNotDamaged() throws Exception {
        WrittenLog log = new WrittenLog(root, 0);
        for (int i = 0; i < SEGMENTS; i++) {
            log.plain("segment-" + i, Records.set(1, "a", "x"));
        }
        // Its clock is asked at the beginning, and again once the first result is waited for.
        AtomicInteger asked = new AtomicInteger();
        Progress progress =
                new Progress(
                        new PrintWriter(Writer.nullWriter()),
                        () -> {
                            if (asked.incrementAndGet() == 2) {
                                deleteAll();
                            }
                            return 0;
                        });
        BasePathInspection found =
                new BasePathInspection(
                        InspectSettings.of(1, 10, new ReplaySpeed()), Redaction.OF_URIS);
        found.run(
                InspectTarget.at(new org.apache.flink.core.fs.Path(log.base().toUri()))
                        .directories(),
                progress);
        assertThat(found.damages().first()).isEmpty();
        long seen = 0;
        for (BasePathInspection.WriterFindings writer : found.writers()) {
            seen += writer.segments;
        }
        assertThat(seen).isLessThan(SEGMENTS);
    }

    private void deleteAll() {
        try (Stream<Path> files = Files.walk(root)) {
            files.map(Path::toFile).filter(File::isFile).forEach(File::delete);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
