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
package io.dstl.tools.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a process ends that has no command to end it. */
class LauncherTest {
    private static final Path CLASSES = Path.of("target", "classes").toAbsolutePath();

    @TempDir private Path home;

    private String output;

    /** Of the libraries the one that reads the command line, and no Flink. */
    @BeforeEach
    void aHomeWithoutFlink() throws IOException {
        Path lib = Files.createDirectories(home.resolve("lib"));
        Files.createDirectories(home.resolve("conf"));
        String picocli =
                Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(entry -> entry.contains("picocli"))
                        .findFirst()
                        .orElseThrow();
        Files.copy(Path.of(picocli), lib.resolve("picocli.jar"));
    }

    private int run(String flinkHome, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-cp");
        command.add(CLASSES.toString());
        command.add(Launcher.class.getName());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("FLINK_"));
        builder.environment().put("FLINK_HOME", flinkHome);
        Process process = builder.start();
        output = new String(process.getInputStream().readAllBytes(), UTF_8);
        return process.waitFor();
    }

    /** An exit code of 1 would say that the checkpoint is damaged. */
    @Test
    void whatIsNotAFlinkStopsACommand() throws Exception {
        assertThat(run(home.toString(), "verify", "/chk-7")).as(() -> output).isEqualTo(3);
        assertThat(output).startsWith("Stopped: java.lang.NoClassDefFoundError: ");
    }

    @Test
    void aHomeThatIsNotThereIsAMistake() throws Exception {
        String nowhere = home.resolve("nowhere").toString();
        assertThat(run(nowhere, "verify", "/chk-7")).as(() -> output).isEqualTo(2);
        assertThat(output).startsWith(nowhere).contains("a Flink home has its jars here");
    }
}
