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
package io.dstl.e2e.chaos;

import io.dstl.e2e.scenario.BucketAudit;
import io.dstl.e2e.scenario.Cleanup;
import io.dstl.e2e.scenario.RunPlan;
import io.dstl.harness.cluster.ClusterFiles;
import io.dstl.harness.cluster.FlinkHome;
import io.dstl.harness.cluster.HighlyAvailableCluster;
import io.dstl.harness.cluster.ZooKeeperProcess;
import io.dstl.harness.progress.Instruments;
import io.dstl.harness.proxy.Disturbance;
import io.dstl.harness.proxy.FaultProxy;
import io.dstl.harness.proxy.Latencies;
import io.dstl.harness.proxy.ZooKeeperProxy;
import io.dstl.harness.rest.JobSubmission.JobId;
import io.dstl.harness.store.Bucket;
import io.dstl.harness.store.S3Store;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * All that a chaos run stands on, each part reachable for its faults: the store behind its proxy,
 * ZooKeeper behind its own, the disk, and the processes of the cluster.
 *
 * <p>Starts them; who stops them is the {@link Cleanup}. For one thread.
 */
final class ChaosHost {
    static final String BUCKET = BucketAudit.BUCKET;
    static final String ROOT = "chaos";
    static final int TASK_MANAGERS = 3;
    static final int SLOTS_EACH = 2;
    static final int RETAINED = 2;

    /** The least age of an orphan, too. */
    static final Duration CHECKPOINT_TIMEOUT = Duration.ofSeconds(20);

    private static final String JVM =
            "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -Duser.timezone=UTC";

    final Disturbance disturbance;

    /** Seen past the proxy. */
    final Bucket bucket;

    final ZooKeeperProcess zooKeeper;
    final ZooKeeperProxy zooKeeperProxy;
    final LocalDisk disk;
    final HighlyAvailableCluster cluster;

    /** For the report. */
    final String store;

    /**
     * @param tolerant whether a JobManager stays the leader while its connection to ZooKeeper is
     *     away
     */
    ChaosHost(RunPlan plan, long seed, boolean tolerant, Instruments instruments, Cleanup cleanup)
            throws Exception {
        Path directory = Files.createDirectories(plan.directory());
        S3Store server =
                cleanup.add(plan.store().start(directory.resolve("store"), instruments.await()));
        store = server.description();
        bucket = new Bucket(server, BUCKET);
        bucket.create();
        disturbance = new Disturbance(seed, instruments.time()::nanos);
        FaultProxy proxy =
                cleanup.add(
                        FaultProxy.start(
                                server.endpoint(),
                                new Latencies(seed, Latencies.Settings.none()),
                                disturbance,
                                instruments.clock()));
        FlinkHome home = plan.flinkHome();
        zooKeeper =
                cleanup.add(
                        ZooKeeperProcess.start(
                                home,
                                plan.javaHome(),
                                directory.resolve("zookeeper"),
                                instruments.await()));
        zooKeeperProxy =
                cleanup.add(ZooKeeperProxy.start(zooKeeper.address(), instruments.time()::nanos));
        disk = cleanup.add(LocalDisk.in(directory.resolve("disk")));
        ClusterFiles files =
                ClusterFiles.create(
                        home,
                        directory.resolve("cluster"),
                        plan.sampleConfiguration(),
                        settings(proxy.endpoint(), zooKeeperProxy.quorum(), tolerant));
        cluster =
                cleanup.add(
                        new HighlyAvailableCluster(
                                files,
                                plan.javaHome(),
                                disk.directory(),
                                HttpClient.newHttpClient()));
        cluster.startJobManagers();
        for (int i = 0; i < TASK_MANAGERS; i++) {
            cluster.startTaskManager();
        }
    }

    /** Where Flink keeps a checkpoint of a job. */
    static String checkpoint(JobId job, long number) {
        return "s3://" + BUCKET + "/" + ROOT + "/checkpoints/" + job + "/chk-" + number;
    }

    private static Map<String, String> settings(URI store, String quorum, boolean tolerant) {
        String root = "s3://" + BUCKET + "/" + ROOT;
        Map<String, String> settings = new LinkedHashMap<>();
        settings.putAll(S3Store.settings(store));
        settings.put("execution.checkpointing.dir", root + "/checkpoints");
        settings.put("execution.checkpointing.savepoint-dir", root + "/savepoints");
        settings.put("dstl.dfs.base-path", root + "/changelog");
        settings.put("state.backend.changelog.periodic-materialize.interval", "4 s");
        settings.put("dstl.dfs.preemptive-persist-threshold", "16 kb");
        settings.put("execution.checkpointing.num-retained", Integer.toString(RETAINED));
        settings.put("execution.checkpointing.timeout", CHECKPOINT_TIMEOUT.toSeconds() + " s");
        settings.put("high-availability.type", "zookeeper");
        settings.put("high-availability.zookeeper.quorum", quorum);
        settings.put("high-availability.storageDir", root + "/ha");
        settings.put("high-availability.cluster-id", "/chaos");
        settings.put("high-availability.zookeeper.client.session-timeout", "10 s");
        settings.put("high-availability.zookeeper.client.connection-timeout", "5 s");
        // What fails because the connection is away fails for good: with more attempts the answer
        // that was lost is found out, and nobody is in doubt.
        settings.put("high-availability.zookeeper.client.retry-wait", "200 ms");
        settings.put("high-availability.zookeeper.client.max-retry-attempts", "1");
        settings.put(
                "high-availability.zookeeper.client.tolerate-suspended-connections",
                Boolean.toString(tolerant));
        // RocksDB may wait for ever in its close after the disk was full; the TaskManager then
        // ends.
        settings.put("task.cancellation.timeout", "20000");
        settings.put("heartbeat.interval", "1000");
        settings.put("heartbeat.timeout", "10000");
        settings.put("rest.cache.checkpoint-statistics.timeout", "1 ms");
        settings.put("taskmanager.numberOfTaskSlots", Integer.toString(SLOTS_EACH));
        settings.put("jobmanager.memory.process.size", "1024mb");
        settings.put("taskmanager.memory.process.size", "1536mb");
        settings.put("taskmanager.memory.segment-size", "4kb");
        // By the name that Flink 1.20 has for it, and by that of Flink 2.
        settings.put("cluster.evenly-spread-out-slots", "true");
        settings.put("taskmanager.load-balance.mode", "SLOTS");
        settings.put("env.java.opts.jobmanager", JVM);
        settings.put("env.java.opts.taskmanager", JVM + " -XX:+ExitOnOutOfMemoryError");
        settings.put("state.backend.rocksdb.writebuffer.size", "8mb");
        return settings;
    }

    /**
     * The disk that the TaskManagers keep their state on: a file system of its own and of bounded
     * size, so that it can be filled up. For one thread.
     *
     * <p>Where none can be mounted, for want of rights, it is a plain directory, and is never full.
     */
    static final class LocalDisk implements AutoCloseable {
        private static final int MEGABYTES = 512;
        private static final int BLOCK = 1 << 20;

        private final Path directory;
        private final Optional<String> obstacle;

        private LocalDisk(Path directory, Optional<String> obstacle) {
            this.directory = directory;
            this.obstacle = obstacle;
        }

        /** Mounts one in that directory, if it may. */
        static LocalDisk in(Path directory) throws IOException, InterruptedException {
            Files.createDirectories(directory);
            Optional<String> obstacle =
                    failure(
                            "mount",
                            "-t",
                            "tmpfs",
                            "-o",
                            "size=" + MEGABYTES + "m",
                            "dstl-chaos",
                            directory.toString());
            return new LocalDisk(directory, obstacle);
        }

        Path directory() {
            return directory;
        }

        /** Why it can't be filled up; empty where it can. */
        Optional<String> obstacle() {
            return obstacle;
        }

        /** Leaves no byte free until {@link #free}. */
        void fill() throws IOException {
            byte[] block = new byte[BLOCK];
            try (OutputStream ballast = Files.newOutputStream(ballast())) {
                for (int i = 0; i < MEGABYTES; i++) {
                    ballast.write(block);
                }
            } catch (IOException e) {
                // Full, as wanted.
            }
        }

        void free() throws IOException {
            Files.deleteIfExists(ballast());
        }

        @Override
        public void close() throws IOException, InterruptedException {
            if (obstacle.isEmpty()) {
                failure("umount", "--lazy", directory.toString());
            }
        }

        private Path ballast() {
            return directory.resolve("ballast");
        }

        private static Optional<String> failure(String... command)
                throws IOException, InterruptedException {
            Process process;
            try {
                process = new ProcessBuilder(command).redirectErrorStream(true).start();
            } catch (IOException e) {
                return Optional.of(e.getMessage());
            }
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? Optional.empty() : Optional.of(output.trim());
        }
    }
}
