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
package io.dstl.changelog.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.testkit.MatrixRows;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** The heap of a TaskManager bounds no log: what does not fit is written, and the next begun. */
class ReplayMemoryTest {
    @TempDir private Path directory;

    /** The changes alone would take twice that heap. */
    @ParameterizedTest
    @MatrixRows({"128m, 2500000", "512m, 10000000"})
    void replaysMoreKeysThanTheHeapHolds(String heap, int keys) throws Exception {
        Path output = directory.resolve("output");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx" + heap,
                                "-cp",
                                System.getProperty("java.class.path"),
                                ManyKeysReplay.class.getName(),
                                Files.createDirectory(directory.resolve("delegate")).toString(),
                                Integer.toString(keys))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        int exit;
        try {
            exit = process.waitFor();
        } finally {
            process.destroyForcibly();
        }

        String said = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(exit).as(said).isZero();
        assertThat(said).contains(keys + " keys in ");
    }
}
