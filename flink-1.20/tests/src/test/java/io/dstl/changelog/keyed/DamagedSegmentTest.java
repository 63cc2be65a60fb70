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
package io.dstl.changelog.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.testkit.PathsBelow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A damaged segment fails the restore with the same error, whichever way it is replayed. */
class DamagedSegmentTest {
    private static final int KEYS = 40;

    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFlippedBitFailsTheRestore(boolean inBulk) throws Exception {
        StateBackend delegate =
                inBulk ? new EmbeddedRocksDBStateBackend(true) : new HashMapStateBackend();
        try (TestJob job = new TestJob(delegate, directory)) {
            job.start(1);
            for (String value : List.of("a", "b", "c")) {
                job.put(1, KEYS, value);
            }
            job.checkpoint(1);
            job.stop();
            List<Path> segments = PathsBelow.files(directory.resolve("log"));
            assertThat(segments).hasSize(1);
            Path segment = segments.get(0);

            flip(segment);
            assertThatThrownBy(() -> job.start(1))
                    .hasStackTraceContaining("LogReplayException: Cannot read the change set at")
                    .hasStackTraceContaining("with checksum");

            flip(segment);
            job.start(1);
            assertThat(job.read(1, KEYS).values()).containsOnly("c of [a, b, c] timed");
        }
    }

    private static void flip(Path segment) throws IOException {
        byte[] stored = Files.readAllBytes(segment);
        stored[stored.length / 4] ^= 1;
        Files.write(segment, stored);
    }
}
