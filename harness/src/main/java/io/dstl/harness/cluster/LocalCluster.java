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
package io.dstl.harness.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.harness.cluster.ProcessStarter.Role;
import io.dstl.harness.net.ServerProcess;
import io.dstl.harness.rest.FlinkRest;
import io.dstl.harness.wait.Await;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A Flink session cluster of real processes on this machine: one JobManager and some TaskManagers.
 *
 * <p>Owns the processes from start to end; closing stops all of them. Does not own the jobs that
 * run on it nor the store it writes to. Thread-safe: the one thread that runs the scenario starts
 * and kills, a shutdown hook may close at any moment.
 */
public final class LocalCluster implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofMinutes(3);
    private static final String JOB_MANAGER = "jobmanager";

    private final ClusterFiles files;
    private final ProcessStarter starter;
    private final Await await;
    private final FlinkRest rest;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final List<ServerProcess> running = new ArrayList<>();

    @GuardedBy("lock")
    private final List<String> killed = new ArrayList<>();

    @GuardedBy("lock")
    private int started;

    @GuardedBy("lock")
    private boolean closed;

    private LocalCluster(ClusterFiles files, ProcessStarter starter, Await await, FlinkRest rest) {
        this.files = files;
        this.starter = starter;
        this.await = await;
        this.rest = rest;
    }

    /** Starts the JobManager and that many TaskManagers; they are up when {@link #awaitUp} says. */
    public static LocalCluster start(
            ClusterFiles files, Path javaHome, int taskManagers, FlinkRest rest, Await await)
            throws IOException, InterruptedException {
        return start(files, javaHome, taskManagers, rest, await, Map.of());
    }

    /**
     * The same.
     *
     * @param jobManagersOwn settings of the JobManager in place of the cluster's
     */
    public static LocalCluster start(
            ClusterFiles files,
            Path javaHome,
            int taskManagers,
            FlinkRest rest,
            Await await,
            Map<String, String> jobManagersOwn)
            throws IOException, InterruptedException {
        ProcessStarter starter = new ProcessStarter(files, javaHome);
        LocalCluster cluster = new LocalCluster(files, starter, await, rest);
        try {
            cluster.launch(Role.JOB_MANAGER, JOB_MANAGER, jobManagersOwn);
            for (int i = 0; i < taskManagers; i++) {
                cluster.startTaskManager();
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /** Waits until the REST API answers and that many TaskManagers have registered. */
    public void awaitUp(int taskManagers) throws IOException, InterruptedException {
        await.until(
                "a JobManager and " + taskManagers + " TaskManagers",
                START_LIMIT,
                probe(() -> rest.overviewIfUp().filter(seen -> seen.taskManagers >= taskManagers)));
    }

    /** Starts one more TaskManager; returns without waiting for it to register. */
    public ServerProcess startTaskManager() throws IOException, InterruptedException {
        int number;
        synchronized (lock) {
            number = ++started;
        }
        return launch(Role.TASK_MANAGER, "taskmanager-" + number, Map.of());
    }

    /**
     * Starts a program of ours as one of the cluster's processes: with Flink's libraries behind its
     * own classes, and with the cluster's configuration in the directory of {@code FLINK_CONF_DIR}.
     *
     * @param classes where its own classes are
     * @param arguments those of the JVM, the main class, and those of the program
     */
    public ServerProcess startProgram(String name, Path classes, List<String> arguments)
            throws IOException, InterruptedException {
        return run(name, () -> starter.startProgram(name, classes, arguments));
    }

    /** Kills that TaskManager with SIGKILL; its files stay, until {@link #deleteFilesOfKilled}. */
    public void kill(ServerProcess taskManager) throws InterruptedException {
        synchronized (lock) {
            if (!running.remove(taskManager)) {
                throw new IllegalArgumentException(
                        taskManager.name() + " is not a running process of this cluster");
            }
        }
        taskManager.kill();
        synchronized (lock) {
            killed.add(taskManager.name());
        }
    }

    /** Those on the local disk, as of a container: takes a second for some gigabytes. */
    public void deleteFilesOfKilled() throws IOException {
        List<String> names;
        synchronized (lock) {
            names = List.copyOf(killed);
            killed.clear();
        }
        for (String name : names) {
            files.deleteDiskOf(name);
        }
    }

    public ServerProcess jobManager() {
        synchronized (lock) {
            return running.stream()
                    .filter(process -> process.name().equals(JOB_MANAGER))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("the cluster is closed"));
        }
    }

    public List<ServerProcess> taskManagers() {
        synchronized (lock) {
            return running.stream()
                    .filter(process -> process.name().startsWith("taskmanager"))
                    .collect(Collectors.toUnmodifiableList());
        }
    }

    /**
     * What the processes that run now have used since each began, added up. A process that has
     * ended no longer counts.
     *
     * @throws IllegalStateException if the system does not tell
     */
    public Duration cpu() {
        return snapshot().stream().map(ServerProcess::cpu).reduce(Duration.ZERO, Duration::plus);
    }

    public FlinkRest rest() {
        return rest;
    }

    /**
     * Runs a command of our jar with this cluster's configuration; returns what it printed.
     *
     * @throws IOException with the output, if the exit code isn't 0
     */
    public String runTool(String... arguments) throws IOException, InterruptedException {
        return starter.runTool(arguments);
    }

    /** The address of the web UI. */
    public URI ui() {
        return files.restAddress();
    }

    /** A question to this cluster that fails as soon as one of its processes has died by itself. */
    public <T> Await.Probe<T> probe(Question<T> question) {
        return new Await.Probe<T>() {
            @Override
            public Optional<T> ask() throws IOException, InterruptedException {
                for (ServerProcess process : snapshot()) {
                    process.requireAlive();
                }
                return question.ask();
            }

            @Override
            public long progress() {
                return question.progress();
            }

            @Override
            public String whereToLook() {
                return files.logs().toString();
            }
        };
    }

    /** Something to ask of the cluster; empty while there is no answer. */
    public interface Question<T> {
        Optional<T> ask() throws IOException, InterruptedException;

        /** A number that changes when the answer has come nearer. */
        default long progress() {
            return 0;
        }
    }

    @Override
    public void close() {
        List<ServerProcess> toStop;
        synchronized (lock) {
            closed = true;
            toStop = new ArrayList<>(running);
            running.clear();
        }
        for (int i = toStop.size() - 1; i >= 0; i--) {
            toStop.get(i).close();
        }
    }

    private ServerProcess launch(Role role, String name, Map<String, String> own)
            throws IOException, InterruptedException {
        return run(name, () -> starter.start(role, name, own));
    }

    private ServerProcess run(String name, Start start) throws IOException, InterruptedException {
        synchronized (lock) {
            if (closed) {
                throw new IllegalStateException("the cluster is closed: " + name + " not started");
            }
            ServerProcess process = start.start();
            running.add(process);
            return process;
        }
    }

    /** Makes one process. */
    private interface Start {
        ServerProcess start() throws IOException, InterruptedException;
    }

    private List<ServerProcess> snapshot() {
        synchronized (lock) {
            return List.copyOf(running);
        }
    }
}
