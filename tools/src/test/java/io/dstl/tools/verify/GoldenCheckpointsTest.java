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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.tools.GoldenCheckpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The command on the golden checkpoints of {@code parity}, which Flink's own backend and an early
 * dstl have written: without an index, plain and compressed, with state in RocksDB and on the heap.
 */
class GoldenCheckpointsTest extends VerifyFixture {
    @ParameterizedTest
    @CsvSource({
        "stock-plain, 'structure, as they have no checksums: 7'",
        "stock-compressed, 'checksums: 5'",
        "ours-plain, 'structure, as they have no checksums: 7'",
        "ours-compressed, 'checksums: 4'",
    })
    void isIntact(String name, String shown) throws IOException {
        assertThat(run(new GoldenCheckpoint(name, root).metadata())).as(out::toString).isZero();
        assertThat(printed()).contains("Segments intact, by their " + shown + ", in bytes ");
    }

    @ParameterizedTest
    @CsvSource({"stock-plain", "stock-compressed", "ours-plain", "ours-compressed"})
    void aSegmentThatWasCutShortOrIsGone(String name) throws IOException {
        GoldenCheckpoint golden = new GoldenCheckpoint(name, root);
        for (Path segment : golden.segments()) {
            byte[] written = Files.readAllBytes(segment);
            for (int length : List.of(0, 1, written.length / 2, written.length - 1)) {
                Files.write(segment, Arrays.copyOf(written, length));
                assertThat(run(golden.metadata()))
                        .as("%d bytes of %s", length, segment)
                        .isEqualTo(1);
            }
            Files.delete(segment);
            assertThat(run(golden.metadata())).as("without %s", segment).isEqualTo(1);
            Files.write(segment, written);
        }
        assertThat(run(golden.metadata())).isZero();
    }

    @Test
    void aFlippedBitInACompressedSegmentOfFlinksOwn() throws IOException {
        GoldenCheckpoint golden = new GoldenCheckpoint("stock-compressed", root);
        for (Path segment : golden.segments()) {
            long middle = Files.size(segment) / 2;
            flip(segment, 8 * middle);
            out.getBuffer().setLength(0);
            assertThat(run(golden.metadata())).as("%s", segment).isEqualTo(1);
            assertThat(printed().lines().findFirst().orElseThrow())
                    .startsWith("damaged     ")
                    .contains("expected a sound Snappy frame; put an intact copy in its place");
            flip(segment, 8 * middle);
        }
    }
}
