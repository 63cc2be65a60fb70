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
package io.dstl.harness.net;

import io.dstl.harness.wait.Await;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One process of this machine that answers others, such as a JVM of a cluster, as the operating
 * system sees it. Thread-safe.
 *
 * <p>Owns the process and its log files' names; does not know what the process does.
 */
public final class ServerProcess implements AutoCloseable {
    private static final long STOP_SECONDS = 10;
    private static final int TAIL_LINES = 15;

    private static final Set<String> PROXIES = Set.of("http_proxy", "https_proxy", "all_proxy");

    private final String name;
    private final Process process;
    private final Path log;
    private final Path out;

    private ServerProcess(String name, Process process, Path log, Path out) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.out = out;
    }

    /** The program of that name on the {@code PATH}, where there is one. */
    public static Optional<Path> onPath(String program, String pathVariable) {
        return Arrays.stream(pathVariable.split(File.pathSeparator))
                .map(folder -> Path.of(folder, program).toAbsolutePath())
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Starts one in the directory of its log.
     *
     * @param log that it writes; what it prints is beside that in {@code <name>.out}, which may be
     *     the same file
     */
    public static ServerProcess start(
            String name, List<String> command, Map<String, String> environment, Path log)
            throws IOException {
        Path out = log.resolveSibling(name + ".out");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(log.getParent().toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile());
        builder.environment().putAll(environment);
        staysOnThisMachine(builder.environment());
        Process process = builder.start();
        process.getOutputStream().close();
        return new ServerProcess(name, process, log, out);
    }

    /**
     * Takes the proxies out of the environment of a child: clients of S3 would ask them for the
     * store as well, unless the user's {@code NO_PROXY} has this machine.
     */
    public static void staysOnThisMachine(Map<String, String> environment) {
        environment.keySet().removeIf(name -> PROXIES.contains(name.toLowerCase(Locale.ROOT)));
    }

    /**
     * Waits until it answers, as long as it lives; closes it if it does not.
     *
     * @param what the answer, as it reads after "waiting for"
     */
    public <T> void awaitUp(Await await, String what, Duration limit, Await.Probe<T> answer)
            throws IOException, InterruptedException {
        try {
            await.until(
                    what,
                    limit,
                    () -> {
                        requireAlive();
                        return answer.ask();
                    });
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    public String name() {
        return name;
    }

    public long pid() {
        return process.pid();
    }

    public boolean alive() {
        return process.isAlive();
    }

    /**
     * What it has used since it began.
     *
     * @throws IllegalStateException if the system does not tell, or it has ended
     */
    public Duration cpu() {
        return process.info()
                .totalCpuDuration()
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "the system does not tell how much CPU "
                                                + name
                                                + " has used"));
    }

    public Path log() {
        return log;
    }

    /** SIGKILL: the process gets no chance to say goodbye. Returns when it is gone. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** SIGSTOP: the process stands still until {@link #resume}; it can be killed meanwhile. */
    public void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** SIGCONT: the process goes on, and finds that time has passed. */
    public void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        Process kill =
                new ProcessBuilder("kill", "-" + signal, Long.toString(pid()))
                        .redirectErrorStream(true)
                        .start();
        String output = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (kill.waitFor() != 0 && alive()) {
            throw new IOException(name + " can't be sent SIG" + signal + ": " + output.trim());
        }
    }

    /** SIGTERM, and SIGKILL for one that does not heed it, or if there is no time to wait. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Fails, with the end of its log, when the process has ended by itself. */
    public void requireAlive() throws IOException {
        if (!alive()) {
            throw new IOException(
                    String.format(
                            Locale.ROOT,
                            "%s (pid %d) ended with exit code %d; the end of %s:%n%s",
                            name,
                            pid(),
                            process.exitValue(),
                            log,
                            tail()));
        }
    }

    private String tail() throws IOException {
        Path file = Files.exists(log) ? log : out;
        List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        int from = Math.max(0, lines.size() - TAIL_LINES);
        return String.join(System.lineSeparator(), lines.subList(from, lines.size()));
    }
}
