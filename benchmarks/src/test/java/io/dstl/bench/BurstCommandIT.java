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
package io.dstl.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dstl.testkit.Matrix.MatrixRows;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * A small burst from its command line to its files, in a JVM with the class path that {@code
 * benchmarks/run.sh} gives it.
 */
final class BurstCommandIT {
    private static final String BURST = "burst, all requests stalled for 2s.";

    @TempDir Path directory;

    @ParameterizedTest
    @MatrixRows({"dstl", "stock", "off"})
    void allTimersFireWithoutARestartAndTheStateIsExact(String variant) throws Exception {
        run(
                "burst",
                "--variants=" + variant,
                "--timers=8000",
                "--rate=1000",
                "--keys=200",
                "--stall=2s",
                "--interval=500ms",
                "--materialize=2s",
                "--latency=none",
                "--store=embedded",
                "--tolerable-failed-checkpoints=1000",
                "--recovery-limit=300");

        JsonNode json = new ObjectMapper().readTree(directory.resolve("burst.json").toFile());
        assertThat(figure(json, variant, "completed")).isPositive();
        assertThat(figure(json, variant, "restarts")).isZero();
        // Stock gives up after three seconds, and a slow machine may add one to the two.
        if (!variant.equals("stock")) {
            assertThat(figure(json, variant, BURST + "restarts")).isZero();
        }
        assertThat(figure(json, variant, BURST + "failedCheckpoints")).isNotNegative();
        assertThat(figure(json, variant, BURST + "recoveryMillis")).isNotNegative();
        assertThat(figure(json, variant, BURST + "timers")).isPositive();
        assertThat(figure(json, variant, "totals.updates"))
                .isGreaterThanOrEqualTo(figure(json, variant, BURST + "timers"));
        assertThat(figure(json, variant, "totals.exact")).isEqualTo(1);
        assertThat(json.at("/conditions/burst").textValue())
                .isEqualTo("all requests stalled for 2s, TaskManager heap 512 MB");
        assertThat(json.at("/conditions/commit").textValue()).isEqualTo("abc");
        assertThat(Files.readString(directory.resolve("burst.md")))
                .contains("| " + BURST.replace(".", ": timers that fired at once") + " |");
        assertThat(directory.resolve("burst.html")).isNotEmptyFile();
    }

    /** What one run found; what it has no number for fails the test, with the reason. */
    private static double figure(JsonNode json, String variant, String key) {
        JsonNode found = json.path("runs").path(variant).path(0).path(key);
        assertThat(found.isNumber()).as("%s: %s", key, found).isTrue();
        return found.doubleValue();
    }

    private void run(String... arguments) throws Exception {
        Path project = Path.of("..").toAbsolutePath().normalize();
        Path built = project.resolve("benchmarks/target");
        String libraries = Files.readString(built.resolve("classpath")).trim();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx512m");
        command.add("-Dorg.slf4j.simpleLogger.logFile=" + directory.resolve("harness.log"));
        command.add("-cp");
        command.add(built.resolve("classes") + File.pathSeparator + libraries);
        command.add(Main.class.getName());
        command.addAll(List.of(arguments));
        command.add("--project=" + project);
        command.add("--run-dir=" + Files.createDirectories(directory.resolve("run")));
        command.add("--results=" + directory);
        command.add("--commit=abc");
        Path output = directory.resolve("output");
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            int exit = process.waitFor();
            assertThat(exit).as(Files.readString(output)).isZero();
        } finally {
            // Where the test was given up, the process stops its cluster before it ends.
            process.destroy();
            process.onExit().join();
        }
    }
}
