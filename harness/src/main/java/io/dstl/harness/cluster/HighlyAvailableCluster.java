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
import io.dstl.harness.net.FreePorts;
import io.dstl.harness.net.ServerProcess;
import io.dstl.harness.rest.FlinkRest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A session cluster of real processes with two JobManagers, one leading and one standing by, and
 * some TaskManagers. Where the JobManagers find each other is in the settings.
 *
 * <p>Owns the processes, and which of them should be running; it starts none again by itself.
 * Thread-safe, as a shutdown hook may close it at any moment.
 */
public final class HighlyAvailableCluster implements AutoCloseable {
    private static final int JOB_MANAGERS = 2;

    private final ProcessStarter starter;
    private final Path localDisk;
    private final List<Integer> restPorts;
    private final FlinkRest rest;
    private final Object lock = new Object();

    /** By the place that it takes: a REST port for a JobManager. */
    @GuardedBy("lock")
    private final Map<ServerProcess, Integer> jobManagers = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final List<ServerProcess> taskManagers = new ArrayList<>();

    @GuardedBy("lock")
    private final List<Path> jobManagerLogs = new ArrayList<>();

    @GuardedBy("lock")
    private int started;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * @param localDisk where each TaskManager has a directory of its own, as long as it lives
     */
    public HighlyAvailableCluster(
            ClusterFiles files, Path javaHome, Path localDisk, HttpClient http) throws IOException {
        this.starter = new ProcessStarter(files, javaHome);
        this.localDisk = localDisk;
        this.restPorts = FreePorts.of(files.logs(), JOB_MANAGERS);
        this.rest =
                new FlinkRest(
                        restPorts.stream()
                                .map(port -> URI.create("http://localhost:" + port))
                                .collect(Collectors.toList()),
                        http);
    }

    /** Starts the JobManagers that are missing; returns before they are up. */
    public void startJobManagers() throws IOException, InterruptedException {
        synchronized (lock) {
            for (Integer port : restPorts) {
                if (!jobManagers.containsValue(port)) {
                    ServerProcess process =
                            launch(
                                    Role.JOB_MANAGER,
                                    "jobmanager-" + ++started,
                                    Map.of("rest.port", port.toString()));
                    jobManagers.put(process, port);
                    jobManagerLogs.add(process.log());
                }
            }
        }
    }

    /** Starts one more TaskManager; returns before it has registered. */
    public ServerProcess startTaskManager() throws IOException, InterruptedException {
        synchronized (lock) {
            String name = "taskmanager-" + ++started;
            ServerProcess process =
                    launch(
                            Role.TASK_MANAGER,
                            name,
                            Map.of("io.tmp.dirs", localDisk.resolve(name).toString()));
            taskManagers.add(process);
            return process;
        }
    }

    /** Kills one of the processes with SIGKILL; it is no longer one of the cluster's. */
    public void kill(ServerProcess process) throws IOException, InterruptedException {
        synchronized (lock) {
            if (jobManagers.remove(process) == null && !taskManagers.remove(process)) {
                throw new IllegalArgumentException(
                        process.name() + " is not a running process of this cluster");
            }
        }
        process.kill();
        removeFilesOf(process);
    }

    /** Those that have ended by themselves since this was last asked: no longer the cluster's. */
    public List<ServerProcess> takeEnded() throws IOException {
        List<ServerProcess> ended = new ArrayList<>();
        synchronized (lock) {
            takeEnded(jobManagers.keySet().iterator(), ended);
            takeEnded(taskManagers.iterator(), ended);
        }
        for (ServerProcess process : ended) {
            removeFilesOf(process);
        }
        return ended;
    }

    public List<ServerProcess> jobManagers() {
        synchronized (lock) {
            return List.copyOf(jobManagers.keySet());
        }
    }

    public List<ServerProcess> taskManagers() {
        synchronized (lock) {
            return List.copyOf(taskManagers);
        }
    }

    /** Of every JobManager that there ever was, in the order of their start. */
    public List<Path> jobManagerLogs() {
        synchronized (lock) {
            return List.copyOf(jobManagerLogs);
        }
    }

    /** Asks whichever JobManager answers. */
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

    @Override
    public void close() throws InterruptedException {
        List<ServerProcess> toStop = new ArrayList<>();
        synchronized (lock) {
            closed = true;
            toStop.addAll(taskManagers);
            toStop.addAll(jobManagers.keySet());
            taskManagers.clear();
            jobManagers.clear();
        }
        for (ServerProcess process : toStop) {
            // Nothing is waited for: what they were to write is written.
            process.kill();
        }
    }

    @GuardedBy("lock")
    private ServerProcess launch(Role role, String name, Map<String, String> own)
            throws IOException, InterruptedException {
        if (closed) {
            throw new IllegalStateException("the cluster is closed: " + name + " not started");
        }
        return starter.start(role, name, own);
    }

    /** As the disk of a container goes with it. */
    private void removeFilesOf(ServerProcess process) throws IOException {
        ClusterFiles.deleteAll(localDisk.resolve(process.name()));
    }

    private static void takeEnded(Iterator<ServerProcess> running, List<ServerProcess> ended) {
        while (running.hasNext()) {
            ServerProcess process = running.next();
            if (!process.alive()) {
                running.remove();
                ended.add(process);
            }
        }
    }
}
