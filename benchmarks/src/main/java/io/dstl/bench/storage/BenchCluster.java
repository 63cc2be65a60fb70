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
package io.dstl.bench.storage;

import io.dstl.e2e.cluster.ClusterFiles;
import io.dstl.e2e.cluster.FlinkHome;
import io.dstl.e2e.cluster.LocalCluster;
import io.dstl.e2e.rest.FlinkRest;
import io.dstl.e2e.store.S3Store;
import io.dstl.e2e.wait.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.LinkedHashMap;
import java.util.Map;

/** Starts the cluster of each variant: one JobManager, one TaskManager with two slots. */
final class BenchCluster {
    static final String BUCKET = "dstl-bench";
    static final int TASK_MANAGERS = 1;

    private final StoragePlan plan;
    private final Await await;
    private final HttpClient http = HttpClient.newHttpClient();

    BenchCluster(StoragePlan plan, Await await) {
        this.plan = plan;
        this.await = await;
    }

    /** Starts it; it may still be on its way up when this returns. */
    LocalCluster start(Variant variant, URI store) throws IOException, InterruptedException {
        ClusterFiles files =
                ClusterFiles.create(
                        home(variant),
                        plan.paths().run().resolve("cluster-" + variant.label()),
                        plan.paths().sampleConfiguration(),
                        settings(variant, store));
        FlinkRest rest = new FlinkRest(files.restAddress(), http);
        return LocalCluster.start(files, plan.paths().javaHome(), TASK_MANAGERS, rest, await);
    }

    private FlinkHome home(Variant variant) throws IOException {
        FlinkHome ours = FlinkHome.at(plan.paths().flinkHome());
        return variant == Variant.DSTL
                ? ours
                : ours.withoutOurs(plan.paths().run().resolve("flink-home-" + variant.label()));
    }

    private Map<String, String> settings(Variant variant, URI store) {
        String root = "s3://" + BUCKET + "/" + variant.label();
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("s3.endpoint", store.toString());
        settings.put("s3.access-key", S3Store.CREDENTIALS.accessKey());
        settings.put("s3.secret-key", S3Store.CREDENTIALS.secretKey());
        settings.put("execution.checkpointing.dir", root + "/" + Folder.CHECKPOINTS.path());
        settings.put("dstl.dfs.base-path", root + "/" + Folder.LOG.path());
        settings.put("state.backend.changelog.enabled", Boolean.toString(variant.changelog()));
        settings.put(
                "state.backend.changelog.periodic-materialize.interval",
                plan.materializeEvery().toSeconds() + " s");
        settings.put("execution.checkpointing.interval", "1 s");
        settings.put(
                "execution.checkpointing.tolerable-failed-checkpoints",
                Integer.toString(plan.tolerableFailures()));
        settings.put("metrics.fetcher.update-interval", "1000");
        settings.put("rest.cache.checkpoint-statistics.timeout", "100 ms");
        // Percentiles are over all checkpoints of the measured time.
        settings.put("web.checkpoints.history", "10000");
        settings.put("taskmanager.numberOfTaskSlots", Integer.toString(Workload.PARALLELISM));
        settings.put("jobmanager.memory.process.size", "1024mb");
        settings.put("taskmanager.memory.process.size", "3072mb");
        return settings;
    }
}
