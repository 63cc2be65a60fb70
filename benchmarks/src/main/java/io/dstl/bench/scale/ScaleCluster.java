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
package io.dstl.bench.scale;

import io.dstl.bench.fleet.FleetMain;
import io.dstl.bench.fleet.FleetSettings;
import io.dstl.bench.run.Benchmark.BenchCluster;
import io.dstl.bench.run.Variant;
import io.dstl.bench.run.Variant.RunName;
import io.dstl.harness.cluster.ClusterFiles;
import io.dstl.harness.cluster.FlinkHome;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.cluster.ZooKeeperProcess;
import io.dstl.harness.proxy.Disturbance;
import io.dstl.harness.proxy.FaultProxy;
import io.dstl.harness.rest.FlinkRest;
import io.dstl.harness.store.S3Store;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * One run's cluster: ZooKeeper, a highly available JobManager, and one real TaskManager or a fleet
 * of simulated ones; a proxy of the JobManager's own in front of the store, and one for all others.
 * Owns all of it. For one thread.
 */
final class ScaleCluster implements AutoCloseable {
    private static final String JOB_MANAGER_MEMORY = "1600mb";
    private static final String TASK_MANAGER_MEMORY = "4096mb";
    private static final int CHECKPOINTS_LISTED = 60;
    private static final String FLEET_HEAP = "-Xmx2g";

    private final RunName name;
    private final ScaleSize size;
    private final ScaleSetup setup;
    private final Path directory;
    private final Deque<AutoCloseable> cleanup = new ArrayDeque<>();
    private FaultProxy ofJobManager;
    private FaultProxy ofTaskManagers;
    private LocalCluster processes;
    private int gathered;

    ScaleCluster(RunName name, ScaleSize size, ScaleSetup setup) {
        this.name = name;
        this.size = size;
        this.setup = setup;
        this.directory = setup.plan.paths().run().resolve(size.label()).resolve(name.toString());
    }

    /**
     * Starts all of it and waits until the TaskManagers have registered.
     *
     * @param metadata directories of two checkpoints of real tasks, for simulated ones
     */
    void start(S3Store store, List<Path> metadata) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        FlinkHome home = setup.usual.home(name.variant);
        ofJobManager = owned(proxy(store));
        ofTaskManagers = owned(proxy(store));
        ZooKeeperProcess zooKeeper =
                owned(
                        ZooKeeperProcess.start(
                                home,
                                setup.plan.paths().javaHome(),
                                directory.resolve("zookeeper"),
                                setup.instruments.await()));
        Map<String, String> own = setup.usual.settings(name, ofTaskManagers.endpoint());
        own.put("taskmanager.numberOfTaskSlots", Integer.toString(setup.settings.slots(size)));
        own.put("high-availability.type", "zookeeper");
        own.put(
                "high-availability.zookeeper.quorum",
                zooKeeper.address().getHostString() + ":" + zooKeeper.address().getPort());
        own.put(
                "high-availability.storageDir",
                "s3://" + BenchCluster.BUCKET + "/" + root() + "/ha");
        own.put("high-availability.cluster-id", "/scale");
        own.put("jobmanager.memory.process.size", JOB_MANAGER_MEMORY);
        // While it deploys so many tasks on a small machine, a JobManager answers late.
        own.put("pekko.ask.timeout", "120 s");
        // What each task did at each of them would be most of the JobManager's heap.
        own.put("web.checkpoints.history", Integer.toString(CHECKPOINTS_LISTED));
        own.put("taskmanager.memory.process.size", TASK_MANAGER_MEMORY);
        ClusterFiles files =
                ClusterFiles.create(
                        home,
                        directory.resolve("cluster"),
                        setup.plan.paths().sampleConfiguration(),
                        own);
        URI jobManagersStore = ofJobManager.endpoint();
        processes =
                owned(
                        LocalCluster.start(
                                files,
                                setup.plan.paths().javaHome(),
                                size.simulated ? 0 : setup.settings.taskManagers(size),
                                new FlinkRest(files.restAddress(), HttpClient.newHttpClient()),
                                setup.instruments.await(),
                                Map.of("s3.endpoint", jobManagersStore.toString())));
        if (size.simulated) {
            startFleet(metadata);
        }
        processes.awaitUp(setup.settings.taskManagers(size));
    }

    private void startFleet(List<Path> metadata) throws IOException, InterruptedException {
        FleetSettings fleet =
                new FleetSettings(directory.resolve("cluster/conf"), fleetLog())
                        .changelog(name.variant.changelog())
                        .ownHandles(name.variant == Variant.DSTL)
                        .size(size.tasks, setup.settings.slots)
                        .truncated(setup.settings.truncated)
                        .materializeEvery(
                                (int)
                                        Math.max(
                                                1,
                                                setup.plan
                                                        .materializeEvery()
                                                        .dividedBy(setup.plan.checkpointEvery())));
        metadata.forEach(fleet::metadata);
        List<String> arguments = new ArrayList<>();
        arguments.add(FLEET_HEAP);
        arguments.add(FleetMain.class.getName());
        gathered = fleet.gathered();
        arguments.addAll(fleet.commandLine());
        processes.startProgram("fleet", setup.plan.paths().classes(), arguments);
    }

    private FaultProxy proxy(S3Store store) throws IOException {
        return FaultProxy.start(
                store.endpoint(),
                setup.plan.newLatencies(name),
                setup.plan.bandwidth(),
                new Disturbance(setup.plan.seed(name), setup.instruments.time()::nanos),
                setup.instruments.clock());
    }

    /** Below the bucket. The settings of all benchmarks name the folder by the run alone. */
    String root() {
        return name.toString();
    }

    LocalCluster processes() {
        return processes;
    }

    FaultProxy ofJobManager() {
        return ofJobManager;
    }

    FaultProxy ofTaskManagers() {
        return ofTaskManagers;
    }

    /** Objects that the fleet gives up at once. */
    int gathered() {
        return gathered;
    }

    /** What the fleet writes down of its checkpoints. */
    Path fleetLog() {
        return directory.resolve("fleet.csv");
    }

    /** For files of this run. */
    Path directory() {
        return directory;
    }

    private <T extends AutoCloseable> T owned(T part) {
        cleanup.push(part);
        return part;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        while (!cleanup.isEmpty()) {
            try {
                cleanup.pop().close();
            } catch (IOException | InterruptedException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException("a part of the cluster does not stop", e);
            }
        }
    }
}
