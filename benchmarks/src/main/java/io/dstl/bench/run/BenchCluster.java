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
package io.dstl.bench.run;

import io.dstl.harness.cluster.ClusterFiles;
import io.dstl.harness.cluster.FlinkHome;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.rest.FlinkRest;
import io.dstl.harness.store.S3Store;
import io.dstl.harness.wait.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.LinkedHashMap;
import java.util.Map;

/** Starts the cluster of each run: one JobManager, one TaskManager. For one thread. */
final class BenchCluster {
    static final String BUCKET = "dstl-bench";
    static final int TASK_MANAGERS = 1;

    private final BenchPlan plan;
    private final Await await;
    private final int slots;
    private final HttpClient http = HttpClient.newHttpClient();

    /** Laid out by the first run that needs it. */
    private FlinkHome withoutOurs;

    /**
     * @param slots of the TaskManager
     */
    BenchCluster(BenchPlan plan, Await await, int slots) {
        this.plan = plan;
        this.await = await;
        this.slots = slots;
    }

    /** Starts it; it may still be on its way up when this returns. */
    LocalCluster start(RunName name, URI store) throws IOException, InterruptedException {
        ClusterFiles files =
                ClusterFiles.create(
                        home(name.variant()),
                        plan.paths().run().resolve("cluster-" + name),
                        plan.paths().sampleConfiguration(),
                        settings(name, store));
        FlinkRest rest = new FlinkRest(files.restAddress(), http);
        return LocalCluster.start(files, plan.paths().javaHome(), TASK_MANAGERS, rest, await);
    }

    private FlinkHome home(Variant variant) throws IOException {
        FlinkHome ours = FlinkHome.at(plan.paths().flinkHome());
        if (variant == Variant.DSTL) {
            return ours;
        }
        if (withoutOurs == null) {
            withoutOurs = ours.withoutOurs(plan.paths().run().resolve("flink-home-stock"));
        }
        return withoutOurs;
    }

    private Map<String, String> settings(RunName name, URI store) {
        String root = "s3://" + BUCKET + "/" + name;
        Map<String, String> settings = new LinkedHashMap<>();
        settings.putAll(S3Store.settings(store));
        settings.put("execution.checkpointing.dir", root + "/" + Folder.CHECKPOINTS.path());
        settings.put("execution.checkpointing.savepoint-dir", root + "/savepoints");
        settings.put("dstl.dfs.base-path", root + "/" + Folder.LOG.path());
        settings.put(
                "state.backend.changelog.enabled", Boolean.toString(name.variant().changelog()));
        settings.put(
                "state.backend.changelog.periodic-materialize.interval",
                plan.materializeEvery().toMillis() + " ms");
        settings.put("execution.checkpointing.interval", plan.checkpointEvery().toMillis() + " ms");
        settings.put(
                "execution.checkpointing.tolerable-failed-checkpoints",
                Integer.toString(plan.tolerableFailures()));
        // How old the number of records is that a sample finds: little beside the measured time.
        settings.put("metrics.fetcher.update-interval", "250");
        settings.put("rest.cache.checkpoint-statistics.timeout", "100 ms");
        // How old the state of a task is that a question finds: by default up to 3 s.
        settings.put("web.refresh-interval", "250");
        // Percentiles are over all checkpoints of the measured time.
        settings.put("web.checkpoints.history", "10000");
        settings.put("taskmanager.numberOfTaskSlots", Integer.toString(slots));
        settings.put("jobmanager.memory.process.size", "1024mb");
        settings.put("taskmanager.memory.process.size", "3072mb");
        settings.putAll(plan.clusterSettings());
        return settings;
    }
}
