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
package io.dstl.e2e.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The scripts that build and start a harness: {@code build/built-module.sh} in a project of its own
 * with a Maven that only counts, and in place of the harness one that runs until it is told to end.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "flock is a command of Linux")
class RunScriptTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @TempDir private Path project;

    private final List<Run> started = new ArrayList<>();

    @BeforeEach
    void aProject() throws IOException {
        Files.createDirectories(project.resolve("build"));
        Files.copy(ROOT.resolve("build/built-module.sh"), project.resolve("build/built-module.sh"));
        for (String folder : List.of("conf", "m/src/main", "e2e/home", "benchmarks/b/src/main")) {
            Files.createDirectories(project.resolve(folder));
        }
        for (String pom :
                List.of("pom.xml", "m/pom.xml", "e2e/home/pom.xml", "benchmarks/b/pom.xml")) {
            Files.createFile(project.resolve(pom));
        }
        script("bin/mvn", "echo \"$*\" >>builds", "[[ ! -p gate ]] || read -r <gate");
        script(
                "m/run.sh",
                "module=m",
                ". \"$(dirname \"$0\")/../build/built-module.sh\"",
                "echo \"${run_dir##*/}\"",
                "exec cat");
    }

    @AfterEach
    void endWhatRuns() throws Exception {
        for (Run run : started) {
            run.process.destroyForcibly().waitFor();
        }
    }

    @Test
    void twoRunsAtOnceBuildOnceAndHaveTheirOwnFiles() throws Exception {
        Run first = run();
        assertThat(first.line()).isEqualTo("building ...");
        assertThat(first.line()).isEqualTo("run");

        Run second = run();
        assertThat(second.line()).isEqualTo("run-2");

        assertThat(builds()).hasSize(1);
        first.end();
        assertThat(run().line()).isEqualTo("run");
    }

    @Test
    void aRunWaitsForTheBuildOfAnother() throws Exception {
        assertThat(
                        new ProcessBuilder("mkfifo", project.resolve("gate").toString())
                                .start()
                                .waitFor())
                .isZero();
        Run first = run();
        assertThat(first.line()).isEqualTo("building ...");
        Run second = run();
        assertThat(second.line()).isEqualTo("waiting for another run's build ...");

        try (OutputStream gate = Files.newOutputStream(project.resolve("gate"))) {
            gate.write('\n');
        }

        assertThat(List.of(first.line(), second.line())).containsExactlyInAnyOrder("run", "run-2");
        assertThat(builds()).hasSize(1);
    }

    @Test
    void nothingIsBuiltUnderARunThatUsesIt() throws Exception {
        Run first = run();
        assertThat(first.line()).isEqualTo("building ...");
        assertThat(first.line()).isEqualTo("run");
        FileTime built = Files.getLastModifiedTime(project.resolve("m/target/built"));
        Files.setLastModifiedTime(
                project.resolve("pom.xml"), FileTime.fromMillis(built.toMillis() + 10_000));

        Run second = run();

        assertThat(second.line())
                .startsWith("The sources have changed, and another run in " + project)
                .endsWith("wait until it has ended, or use a checkout of its own.");
        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(builds()).hasSize(1);
        first.end();
        assertThat(run().line()).isEqualTo("building ...");
    }

    @Test
    void saysWhichFlinkVersionsThereAre() throws Exception {
        Run run = start(ROOT.resolve("e2e/run.sh"), "--flink-version", "1.19.3");

        assertThat(run.line())
                .startsWith("--flink-version is 1.19.3: give one of 1.20.0, 1.20.1, ");
        assertThat(run.exitCode()).isEqualTo(2);
    }

    private Run run() throws IOException {
        return start(project.resolve("m/run.sh"));
    }

    private Run start(Path script, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("bash", "-eu", script.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment()
                .merge("PATH", project.resolve("bin").toString(), (path, bin) -> bin + ":" + path);
        Run run = new Run(builder.start());
        started.add(run);
        return run;
    }

    private List<String> builds() throws IOException {
        return Files.readAllLines(project.resolve("builds"));
    }

    private void script(String name, String... lines) throws IOException {
        Path file = project.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/usr/bin/env bash\n" + String.join("\n", lines) + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    /** A script under way. */
    private static final class Run {
        private final Process process;
        private final BufferedReader output;

        private Run(Process process) {
            this.process = process;
            this.output =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        }

        /** The next that it says. */
        String line() throws IOException {
            return output.readLine();
        }

        int exitCode() throws InterruptedException {
            return process.waitFor();
        }

        void end() throws Exception {
            process.getOutputStream().close();
            process.waitFor();
        }
    }
}
