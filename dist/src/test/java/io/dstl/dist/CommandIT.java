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
package io.dstl.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands, as one starts them: {@code java -jar} with a Flink home. */
class CommandIT {
    private static final String JOB = "0123456789abcdef0123456789abcdef";

    @TempDir private Path home;

    @BeforeEach
    void aFlinkHome() throws IOException {
        Path lib = Files.createDirectories(home.resolve("lib"));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path jar = Path.of(entry);
            if (entry.endsWith(".jar") && Files.notExists(lib.resolve(jar.getFileName()))) {
                Files.createSymbolicLink(lib.resolve(jar.getFileName()), jar);
            }
        }
        Path conf = Files.createDirectories(home.resolve("conf"));
        Files.write(
                conf.resolve("flink-conf.yaml"),
                List.of(
                        "state.changelog.dstl.dfs.base-path: " + home.resolve("log").toUri(),
                        "execution.checkpointing.dir: " + home.resolve("chk").toUri()));
        Path segments = Files.createDirectories(home.resolve("log").resolve(JOB).resolve("dstl"));
        Files.write(segments.resolve("002f1b72-5f19-494d-83d5-24c08f50ba22"), new byte[5]);
    }

    @Test
    void sizingRunsWithoutAFlinkHome() throws Exception {
        String job = "sizing --tasks 4 --rate 4000 --value-bytes 84 --json";

        assertThat(run(0, job.split(" "))).contains("\"putsPerSecond\": {\"job\": 1.02000");
        assertThat(run(2, "sizing", "--tasks", "4")).startsWith("Missing required options: ");
    }

    @Test
    void orphansRunsOnTheLibrariesOfAFlinkHome() throws Exception {
        String output = run(0, "orphans", "--flink-home", home.toString());
        assertThat(output)
                .contains("Checkpoints read: 0 in file:" + home.resolve("chk"))
                .containsPattern(JOB + " +0 / 0 +0 / 0 +1 / 5 +0 / 0 +0 / 0");
        assertThat(run(0, "orphans", "--json", "--flink-home", home.toString()))
                .contains("\"job\" : \"" + JOB + "\"");
    }

    @Test
    void verifyRunsOnTheLibrariesOfAFlinkHome() throws Exception {
        Path nowhere = home.resolve("chk").resolve(JOB).resolve("chk-1");
        for (String form : List.of("--threads=2", "--json")) {
            assertThat(run(1, "verify", form, "--flink-home", home.toString(), nowhere.toString()))
                    .contains("missing")
                    .contains("there is no _metadata here");
        }
    }

    @Test
    void inspectRunsOnTheLibrariesOfAFlinkHome() throws Exception {
        Path segments = Files.createDirectories(home.resolve("log").resolve(JOB).resolve("dstl"));
        Files.write(segments.resolve("1301617e-f6ab-4314-a655-8a64517b4ae3"), new byte[1]);
        String base = home.resolve("log").toString();
        for (String form : List.of("--threads=2", "--json")) {
            assertThat(run(0, "inspect", form, "--flink-home", home.toString(), base))
                    .contains(JOB)
                    .contains("1301617e-f6ab-4314-a655-8a64517b4ae3");
        }
        String chk = home.resolve("chk").resolve("chk-1").toString();
        assertThat(run(2, "inspect", "--flink-home", home.toString(), chk))
                .contains("is empty or does not exist");
    }

    @Test
    void tellsWhatIsMissingWithoutAFlinkHome() throws Exception {
        assertThat(run(2, "orphans")).contains("No Flink home is known: give --flink-home DIR");
    }

    @Test
    void helpNeedsNoFlink() throws Exception {
        assertThat(run(0, "--help")).contains("orphans");
        assertThat(run(0, "orphans", "--help")).contains("--min-age");
        assertThat(run(0, "verify", "--help")).contains("--threads");
        assertThat(run(0, "inspect", "--help")).contains("--replay-changes");
        assertThat(run(0, "--version")).contains(System.getProperty("dstl.version"));
    }

    /** Returns the report, which is on standard output, or why there is none. */
    private static String run(int exitCode, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-jar");
        command.add(System.getProperty("dstl.lib.jar"));
        command.addAll(List.of(arguments));
        Path errors = Files.createTempFile("errors", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("FLINK_"));
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        String error = Files.readString(errors);
        Files.delete(errors);
        assertThat(process.waitFor()).as(output + error).isEqualTo(exitCode);
        return exitCode > 1 ? error : output;
    }
}
