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

import io.dstl.secret.Redaction;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.Progress;
import io.dstl.tools.sizing.ReplaySpeed;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
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

    /** Else each of very many would be asked for, and be called damaged. */
    @Test
    void stopsWhereTheStoreGivesNoSegment() throws Exception {
        WrittenLog log = new WrittenLog(root, 0);
        for (int i = 0; i < 300; i++) {
            log.plain("segment-" + i, Records.set(1, "a", "x"));
        }
        AtomicInteger asked = new AtomicInteger();
        Progress progress =
                new Progress(
                        new PrintWriter(Writer.nullWriter()),
                        () -> {
                            if (asked.incrementAndGet() == 2) {
                                takeAway(log);
                            }
                            return 0;
                        });
        BasePathInspection found =
                new BasePathInspection(
                        InspectSettings.of(1, 10, new ReplaySpeed()), Redaction.OF_URIS);
        List<InspectTarget.LogDirectory> directories =
                InspectTarget.at(new org.apache.flink.core.fs.Path(log.base().toUri()))
                        .directories();
        assertThatThrownBy(() -> found.run(directories, progress))
                .isInstanceOf(CommandFailure.class)
                .hasMessageStartingWith(
                        "Stopped: 100 segments can't be reached, the last of them ");
        assertThat(found.damages().count()).isEqualTo(100);
        assertThat(found.damages().first()).hasSize(10);
    }

    /** In the place of each segment is what can't be opened. */
    private static void takeAway(WrittenLog log) {
        try (Stream<Path> files = Files.list(log.directory())) {
            for (Path file : files.collect(Collectors.toList())) {
                Files.delete(file);
                Files.createDirectory(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void deleteAll() {
        try (Stream<Path> files = Files.walk(root)) {
            files.map(Path::toFile).filter(File::isFile).forEach(File::delete);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
