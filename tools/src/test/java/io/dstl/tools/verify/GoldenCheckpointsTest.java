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
package io.dstl.tools.verify;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The command on the golden checkpoints of {@code parity}, which Flink's own backend and an early
 * dstl have written: without an index, plain and compressed, with state in RocksDB and on the heap.
 */
class GoldenCheckpointsTest extends VerifyFixture {
    /** Stands in the metadata for the directory of the checkpoints; its length must stay. */
    private static final Pattern ROOT = Pattern.compile("file:(/golden[-a-z]*)/");

    private Path metadata;

    private List<Path> unpack(String name) throws IOException {
        Path zip = Path.of("..", "parity", "src", "test", "resources", "golden", name + ".zip");
        Path directory = Files.createDirectories(root.resolve(name));
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(zip))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                Path file = directory.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                Files.write(file, in.readAllBytes());
            }
        }
        metadata = only(directory.resolve("checkpoints"), "_metadata");
        moveTo(directory);
        try (Stream<Path> files = Files.walk(directory.resolve("changelog"))) {
            return files.filter(Files::isRegularFile).sorted().collect(Collectors.toList());
        }
    }

    private static Path only(Path directory, String name) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
        }
    }

    private void moveTo(Path directory) throws IOException {
        String text = new String(Files.readAllBytes(metadata), ISO_8859_1);
        Matcher matcher = ROOT.matcher(text);
        assertThat(matcher.find()).isTrue();
        String golden = matcher.group(1);
        int padding = golden.length() - directory.toString().length();
        Path padded = directory.resolveSibling(directory.getFileName() + "x".repeat(padding));
        Files.move(directory, padded);
        Files.createSymbolicLink(directory, padded);
        Files.write(metadata, text.replace(golden, padded.toString()).getBytes(ISO_8859_1));
    }

    @ParameterizedTest
    @CsvSource({
        "stock-plain, 'structure, as they have no checksums: 7'",
        "stock-compressed, 'checksums: 5'",
        "ours-plain, 'structure, as they have no checksums: 7'",
        "ours-compressed, 'checksums: 4'",
    })
    void isIntact(String name, String shown) throws IOException {
        unpack(name);
        assertThat(run(metadata)).as(out::toString).isZero();
        assertThat(printed()).contains("Segments intact, by their " + shown + ", in bytes ");
    }

    @ParameterizedTest
    @CsvSource({"stock-plain", "stock-compressed", "ours-plain", "ours-compressed"})
    void aSegmentThatWasCutShortOrIsGone(String name) throws IOException {
        for (Path segment : unpack(name)) {
            byte[] written = Files.readAllBytes(segment);
            for (int length : List.of(0, 1, written.length / 2, written.length - 1)) {
                Files.write(segment, Arrays.copyOf(written, length));
                assertThat(run(metadata)).as("%d bytes of %s", length, segment).isEqualTo(1);
            }
            Files.delete(segment);
            assertThat(run(metadata)).as("without %s", segment).isEqualTo(1);
            Files.write(segment, written);
        }
        assertThat(run(metadata)).isZero();
    }

    @Test
    void aFlippedBitInACompressedSegmentOfFlinksOwn() throws IOException {
        for (Path segment : unpack("stock-compressed")) {
            long middle = Files.size(segment) / 2;
            flip(segment, 8 * middle);
            out.getBuffer().setLength(0);
            assertThat(run(metadata)).as("%s", segment).isEqualTo(1);
            assertThat(printed().lines().findFirst().orElseThrow())
                    .startsWith("damaged     ")
                    .contains("expected a sound Snappy frame; put an intact copy in its place");
            flip(segment, 8 * middle);
        }
    }
}
