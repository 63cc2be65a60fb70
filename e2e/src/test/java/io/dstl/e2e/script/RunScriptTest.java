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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The scripts that build and start a harness: {@code build/built-module.sh} in a project of its own
 * with a Maven that only counts, and in place of the harness one that runs until it is told to end.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "flock is a command of Linux")
class RunScriptTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Map<String, String> GIT =
            Map.of(
                    "GIT_CONFIG_NOSYSTEM", "1",
                    "GIT_CONFIG_GLOBAL", "/dev/null",
                    "GIT_AUTHOR_NAME", "a",
                    "GIT_AUTHOR_EMAIL", "a@example.com",
                    "GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z",
                    "GIT_COMMITTER_NAME", "a",
                    "GIT_COMMITTER_EMAIL", "a@example.com",
                    "GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z");

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
            run.process.getOutputStream().close();
        }
        for (Run run : started) {
            run.awaitEnd();
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
    void tellsHowFarTheBuildIs() throws Exception {
        script(
                "bin/mvn",
                "for i in {1..250}; do echo \"[INFO] Downloaded from here: $i\"; done",
                "echo '[INFO] Building testkit 0.1.0-SNAPSHOT      [2/15]'",
                "echo '[INFO] BUILD SUCCESS'");
        Run run = run();

        assertThat(run.line()).isEqualTo("building ...");
        assertThat(run.line()).isEqualTo("  100 files downloaded");
        assertThat(run.line()).isEqualTo("  200 files downloaded");
        assertThat(run.line()).isEqualTo("  testkit (2 of 15)");
        assertThat(run.line()).isEqualTo("run");
    }

    @Test
    void showsTheEndOfABuildThatFails() throws Exception {
        script("bin/mvn", "echo 'it has no [tag], as of the JVM itself'", "exit 1");
        Run run = run();

        assertThat(run.line()).isEqualTo("building ...");
        assertThat(run.line())
                .startsWith("The build has failed; the end of ")
                .endsWith("/m/target/build.log:");
        assertThat(run.line()).isEqualTo("it has no [tag], as of the JVM itself");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(project.resolve("m/target/built")).doesNotExist();
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

    /** Its class paths lead to where it was built: they may be another checkout's by now. */
    @Test
    void aCopyIsBuiltAnew() throws Exception {
        Run first = run();
        assertThat(first.line()).isEqualTo("building ...");
        assertThat(first.line()).isEqualTo("run");
        first.end();
        Run second = run();
        assertThat(second.line()).isEqualTo("run");
        second.end();

        Files.writeString(project.resolve("m/target/built"), "/elsewhere");
        assertThat(run().line()).isEqualTo("building ...");
    }

    /** It would take the CPU of what is measured next. */
    @Test
    void noRunBeginsBesideTheClusterOfAKilledOne() throws Exception {
        Path runDirectory = Files.createDirectories(project.resolve("m/target/run"));
        Process cluster =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Dlog.file=" + runDirectory.resolve("taskmanager.log"),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Idle.class.getName())
                        .start();
        try {
            assertThat(cluster.getInputStream().read()).isEqualTo('.');
            Run run = run();
            assertThat(run.line()).isEqualTo("building ...");
            assertThat(run.line()).endsWith("end them by 'kill -9 " + cluster.pid() + "'.");
            assertThat(run.exitCode()).isEqualTo(1);
        } finally {
            cluster.destroyForcibly().waitFor();
        }
        assertThat(run().line()).isEqualTo("run");
    }

    @Test
    void aRunUnmountsWhatAKilledOneHasLeft() throws Exception {
        Path left = Files.createDirectories(project.resolve("m/target/run/disk"));
        Path others = Files.createDirectories(project.resolve("m/target/run-2/disk"));
        Path unmounted = project.resolve("unmounted");
        script("bin/umount", "[[ -d $2 ]] && echo \"$*\" >>" + unmounted);
        // In place of /proc/self/mounts, as nobody but root can mount anything.
        script(
                "bin/awk",
                "PATH=${PATH#*:}",
                "exec awk \"${@:1:$#-1}\" " + project.resolve("mounts"));
        Files.write(
                project.resolve("mounts"),
                List.of(
                        "/dev/loop0 / ext4 rw 0 0",
                        "/dev/loop1 " + left + " ext4 rw 0 0",
                        "/dev/loop2 " + others + " ext4 rw 0 0"));
        Run run = run();

        assertThat(run.line()).isEqualTo("building ...");
        assertThat(run.line()).isEqualTo("run");
        assertThat(unmounted).hasContent("--lazy " + left);
        assertThat(left).doesNotExist();
        assertThat(others).exists();
    }

    @Test
    void eachCommitRunsTheNextShareOfTheMatrix() throws Exception {
        Path repository = aRepository();
        assertThat(share(repository)).isEqualTo("1/12");
        commit(repository);
        assertThat(share(repository)).isEqualTo("2/12");
    }

    /** A count of its commits is the same for each. */
    @Test
    void inAShallowCloneTheCommitsHashDrawsTheShareOfTheMatrix() throws Exception {
        Path repository = aRepository();
        Set<String> shares = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            Path clone = project.resolve("clone-" + i);
            git(project, "clone", "-q", "--depth", "1", repository.toUri().toString(), "" + clone);
            long hash = Long.parseLong(git(clone, "rev-parse", "HEAD").substring(0, 7), 16);
            assertThat(share(clone)).isEqualTo(hash % 12 + "/12");
            shares.add(share(clone));
            commit(repository);
        }
        assertThat(shares).hasSizeGreaterThan(1);
    }

    @Test
    void saysWhichFlinkVersionsThereAre() throws Exception {
        Run run = start(ROOT.resolve("e2e/run.sh"), "--flink-version", "1.19.3");

        assertThat(run.line())
                .startsWith("The Flink version is 1.19.3: give one of 1.20.0, 1.20.1, ");
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--chain STOCK@1.20.5,DSTL@2.9.0", "--chain=STOCK,DSTL@2.9.0"})
    void saysSoOfALinkOfAChain(String arguments) throws Exception {
        Run run = start(ROOT.resolve("e2e/run.sh"), arguments.split(" "));

        assertThat(run.line()).startsWith("The Flink version is 2.9.0: give one of 1.20.0, ");
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @Test
    void theBenchmarksTakeFlink2AsWell() throws Exception {
        Run run = start(ROOT.resolve("benchmarks/run.sh"), "storage", "--flink-version=1.19.3");

        assertThat(run.line())
                .startsWith("The Flink version is 1.19.3: give one of 1.20.0, 1.20.1, ")
                .contains(", 2.3.0");
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

    /** With one commit. */
    private Path aRepository() throws Exception {
        Path repository = Files.createDirectories(project.resolve("repository"));
        git(repository, "init", "-q");
        commit(repository);
        return repository;
    }

    private void commit(Path repository) throws Exception {
        git(repository, "commit", "-q", "--allow-empty", "-m", "any");
    }

    private String share(Path repository) throws Exception {
        return output(repository, ROOT.resolve(".ci/matrix-share.sh").toString(), "12");
    }

    private String git(Path directory, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        return output(directory, command.toArray(new String[0]));
    }

    /** The first line that a command prints which succeeds. */
    private String output(Path directory, String... command) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        // The commits have the same hashes each time, and nobody's settings.
        builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
        builder.environment().putAll(GIT);
        Process process = builder.start();
        List<String> lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))
                        .lines()
                        .collect(Collectors.toList());
        assertThat(process.waitFor()).as("%s: %s", List.of(command), lines).isZero();
        return String.join("\n", lines);
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

    /** Says that it runs, and goes on until its input ends. */
    static final class Idle {
        private Idle() {}

        public static void main(String[] arguments) throws IOException {
            System.out.write('.');
            System.out.flush();
            System.in.read();
        }
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

        /** With all that it has started, which would write into a directory that is deleted. */
        private void awaitEnd() throws InterruptedException {
            if (!process.waitFor(1, TimeUnit.MINUTES)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
        }
    }
}
