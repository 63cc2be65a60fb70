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
package io.dstl.e2e.scenario;

import io.dstl.e2e.scenario.ClusterPlan.Provider;
import io.dstl.harness.cluster.ClusterFiles;
import io.dstl.harness.cluster.FlinkHome;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.proxy.Disturbance;
import io.dstl.harness.proxy.FaultProxy;
import io.dstl.harness.proxy.Latencies;
import io.dstl.harness.rest.FlinkRest;
import io.dstl.harness.store.S3Store;
import io.dstl.harness.wait.Await;
import io.dstl.harness.wait.Await.Time;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes the clusters of a run: the sample configuration, with what a run must have otherwise.
 *
 * <p>Does not own the clusters it makes.
 */
final class FlightsCluster {
    static final String BUCKET = BucketAudit.BUCKET;
    static final int TASK_MANAGERS = 2;
    private static final int SLOTS_EACH = 2;
    static final int SLOTS = TASK_MANAGERS * SLOTS_EACH;
    private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1";

    private final RunPlan plan;
    private final S3Store store;
    private final Await await;
    private final FlinkHome home;
    private final Map<String, FlinkHome> ofVersion = new HashMap<>();
    private final Map<FlinkHome, FlinkHome> stock = new IdentityHashMap<>();
    private final HttpClient http = HttpClient.newHttpClient();

    FlightsCluster(RunPlan plan, S3Store store, Await await) throws IOException {
        this(plan, store, await, plan.flinkHome());
    }

    private FlightsCluster(RunPlan plan, S3Store store, Await await, FlinkHome home) {
        this.plan = plan;
        this.store = store;
        this.await = await;
        this.home = home;
    }

    /** The same Flink on another store. */
    FlightsCluster on(S3Store other) {
        return new FlightsCluster(plan, other, await, home);
    }

    /** What the clusters store their checkpoints in. */
    S3Store store() {
        return store;
    }

    /** Starts a cluster; it may still be on its way up when this returns. */
    LocalCluster start(ClusterPlan wanted) throws IOException, InterruptedException {
        ClusterFiles files =
                ClusterFiles.create(
                        home(wanted),
                        plan.directory().resolve("cluster-" + wanted.name),
                        plan.sampleConfiguration(),
                        settings(wanted));
        FlinkRest rest = new FlinkRest(files.restAddress(), http);
        return LocalCluster.start(files, plan.javaHome(), TASK_MANAGERS, rest, await);
    }

    private Map<String, String> settings(ClusterPlan wanted) {
        String root = "s3://" + BUCKET + "/" + wanted.root;
        Map<String, String> settings = new LinkedHashMap<>();
        settings.putAll(S3Store.settings(store.endpoint()));
        settings.put("execution.checkpointing.dir", root + "/checkpoints");
        settings.put("dstl.dfs.base-path", root + "/changelog");
        settings.put("state.backend.changelog.enabled", Boolean.toString(wanted.changelog));
        settings.put(
                "state.backend.changelog.periodic-materialize.interval",
                wanted.materializeInterval.toSeconds() + " s");
        settings.put("metrics.fetcher.update-interval", "1000");
        // The retained checkpoint is asked for once the job has ended: an answer from a cache may
        // name one that a later checkpoint has subsumed since.
        settings.put("rest.cache.checkpoint-statistics.timeout", "1 ms");
        // Every checkpoint of the run goes into the plots.
        settings.put("web.checkpoints.history", "1000");
        settings.put("taskmanager.numberOfTaskSlots", Integer.toString(SLOTS_EACH));
        // Three processes side by side on one machine.
        settings.put("jobmanager.memory.process.size", "1024mb");
        settings.put("taskmanager.memory.process.size", "1728mb");
        // A barrier waits behind the records that are on their way, and 32 KB hold a thousand of
        // this job's.
        settings.put("taskmanager.memory.segment-size", "4kb");
        // Some slots are left free: one half of the job runs on each TaskManager all the same, so
        // that either's death is felt.
        // By the name that Flink 1.20 has for it, and by that of Flink 2.
        settings.put("cluster.evenly-spread-out-slots", "true");
        settings.put("taskmanager.load-balance.mode", "SLOTS");
        // None of the processes lives long enough to earn back what the optimizing compiler takes
        // from the tasks.
        settings.put("env.java.opts.jobmanager", SHORT_LIVED);
        settings.put("env.java.opts.taskmanager", SHORT_LIVED);
        // A write buffer begins with an arena of an eighth of its size. With the default, 64 MB,
        // the arenas of the job's sixteen column families overflow what a slot of this size may
        // hold, and RocksDB flushes and compacts without end.
        settings.put("state.backend.rocksdb.writebuffer.size", "8mb");
        // A dead TaskManager is found by the heartbeats that it refuses: 2 of them, 10 s apart
        // unless told otherwise.
        settings.put("heartbeat.interval", "1000");
        settings.putAll(wanted.furtherSettings);
        return settings;
    }

    String flinkVersion() throws IOException {
        return home.version();
    }

    private FlinkHome home(ClusterPlan wanted) throws IOException {
        FlinkHome ours = wanted.flinkVersion.isPresent() ? of(wanted.flinkVersion.get()) : home;
        return wanted.provider == Provider.DSTL ? ours : stock(ours);
    }

    private FlinkHome of(String version) throws IOException {
        FlinkHome known = ofVersion.get(version);
        if (known == null) {
            known = plan.flinkHome(version);
            ofVersion.put(version, known);
        }
        return known;
    }

    private FlinkHome stock(FlinkHome ours) throws IOException {
        FlinkHome known = stock.get(ours);
        if (known == null) {
            String name = "flink-home-stock-" + (stock.size() + 1);
            known = ours.withoutOurs(plan.directory().resolve(name));
            stock.put(ours, known);
        }
        return known;
    }

    /**
     * A store on this machine that takes as long as one that is not. Owns the proxy, not the store.
     */
    static final class DistantStore implements S3Store {
        private static final long SEED = 4;

        private final S3Store store;
        private final FaultProxy proxy;
        private final Latencies.Settings requests;
        private final Disturbance disturbance;

        private DistantStore(
                S3Store store,
                FaultProxy proxy,
                Latencies.Settings requests,
                Disturbance disturbance) {
            this.store = store;
            this.proxy = proxy;
            this.requests = requests;
            this.disturbance = disturbance;
        }

        static DistantStore of(S3Store store, Latencies.Settings requests, Time time)
                throws IOException {
            Disturbance disturbance = new Disturbance(SEED, time::nanos);
            FaultProxy proxy =
                    FaultProxy.start(
                            store.endpoint(),
                            new Latencies(SEED, requests),
                            disturbance,
                            time.clock());
            return new DistantStore(store, proxy, requests, disturbance);
        }

        /** Makes the store fail, on command. */
        Disturbance disturbance() {
            return disturbance;
        }

        @Override
        public URI endpoint() {
            return proxy.endpoint();
        }

        @Override
        public String description() {
            return store.description() + " behind a proxy; requests: " + requests;
        }

        @Override
        public void close() {
            try {
                proxy.close();
            } catch (IOException e) {
                throw new IllegalStateException(e.getMessage(), e);
            }
        }
    }
}
