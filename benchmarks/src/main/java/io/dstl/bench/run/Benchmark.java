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

import io.dstl.bench.report.ResultFiles;
import io.dstl.bench.run.Tally.Folder;
import io.dstl.bench.run.Variant.RunName;
import io.dstl.bench.run.VariantRun.RunResult;
import io.dstl.harness.cluster.ClusterFiles;
import io.dstl.harness.cluster.FlinkHome;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.progress.Instruments;
import io.dstl.harness.rest.FlinkRest;
import io.dstl.harness.store.Bucket;
import io.dstl.harness.store.S3Store;
import io.dstl.harness.wait.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The same job on each variant in turn, and that as often as wanted, on one store: what the machine
 * does meanwhile meets all variants alike.
 */
public final class Benchmark {
    private final BenchPlan plan;
    private final Instruments instruments;

    public Benchmark(BenchPlan plan, Instruments instruments) {
        this.plan = plan;
        this.instruments = instruments;
    }

    /**
     * Runs it all; cleans up behind itself, also when it fails. A run that comes to no end is
     * reported as such, and the next one begins.
     *
     * @param files have what was found after each run, so that an interrupted benchmark leaves it
     */
    public BenchReport run(ResultFiles files) throws Exception {
        String flink = plan.paths().flinkHome().version();
        plan.requireRunnable(flink);
        instruments.progress().say(plan.announcement());
        List<RunResult> results = new ArrayList<>();
        BenchReport report = null;
        try (S3Store store =
                plan.store().start(plan.paths().run().resolve("store"), instruments.await())) {
            instruments.progress().say("object store: " + store.description());
            new Bucket(store, BenchCluster.BUCKET).create();
            Map<String, String> conditions = plan.conditions();
            conditions.put("flink", flink);
            conditions.put("store", store.description());
            conditions.put("machine", Machine.describe());
            BenchCluster clusters = new BenchCluster(plan, instruments.await(), plan.slots());
            for (RunName name : plan.runs()) {
                results.add(new VariantRun(name, plan, clusters, instruments).on(store));
                report = new BenchReport(conditions, results);
                report.write(files);
            }
        }
        return report;
    }

    /** Starts the cluster of each run: one JobManager, one TaskManager. For one thread. */
    public static final class BenchCluster {
        public static final String BUCKET = "dstl-bench";
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
        public BenchCluster(BenchPlan plan, Await await, int slots) {
            this.plan = plan;
            this.await = await;
            this.slots = slots;
        }

        /** Starts it; it may still be on its way up when this returns. */
        LocalCluster start(RunName name, URI store) throws IOException, InterruptedException {
            ClusterFiles files =
                    ClusterFiles.create(
                            home(name.variant),
                            plan.paths().run().resolve("cluster-" + name),
                            plan.paths().sampleConfiguration(),
                            settings(name, store));
            FlinkRest rest = new FlinkRest(files.restAddress(), http);
            return LocalCluster.start(files, plan.paths().javaHome(), TASK_MANAGERS, rest, await);
        }

        /** Flink as that variant has it. */
        public FlinkHome home(Variant variant) throws IOException {
            FlinkHome ours = plan.paths().flinkHome();
            if (variant == Variant.DSTL) {
                return ours;
            }
            if (withoutOurs == null) {
                withoutOurs = ours.withoutOurs(plan.paths().run().resolve("flink-home-stock"));
            }
            return withoutOurs;
        }

        /** Of a run, on the store at that address. */
        public Map<String, String> settings(RunName name, URI store) throws IOException {
            String root = "s3://" + BUCKET + "/" + name;
            Map<String, String> settings = new LinkedHashMap<>();
            settings.putAll(S3Store.settings(store));
            settings.put("execution.checkpointing.dir", root + "/" + Folder.CHECKPOINTS.path());
            settings.put("execution.checkpointing.savepoint-dir", root + "/savepoints");
            settings.put("dstl.dfs.base-path", root + "/" + Folder.LOG.path());
            settings.put(
                    "state.backend.type",
                    plan.backend(name.variant, plan.paths().flinkHome().version()));
            settings.put(
                    "state.backend.changelog.enabled", Boolean.toString(name.variant.changelog()));
            settings.put(
                    "state.backend.changelog.periodic-materialize.interval",
                    plan.materializeEvery().toMillis() + " ms");
            settings.put(
                    "execution.checkpointing.interval", plan.checkpointEvery().toMillis() + " ms");
            settings.put(
                    "execution.checkpointing.tolerable-failed-checkpoints",
                    Integer.toString(plan.tolerableFailures()));
            // How old the number of records is that a sample finds: little beside the measured
            // time.
            settings.put("metrics.fetcher.update-interval", "250");
            settings.put("rest.cache.checkpoint-statistics.timeout", "100 ms");
            // How old the state of a task is that a question finds: by default up to 3 s.
            settings.put("web.refresh-interval", "250");
            // Percentiles are over all checkpoints of the measured time.
            settings.put("web.checkpoints.history", "10000");
            settings.put("taskmanager.numberOfTaskSlots", Integer.toString(slots));
            settings.put("jobmanager.memory.process.size", "1024mb");
            settings.put("taskmanager.memory.process.size", "3072mb");
            if (name.variant == Variant.STOCK) {
                // A checkpoint's log is complete there when the task has emptied its mailbox, and
                // a task that ends empties it no more: the checkpoint that Flink triggers at the
                // end of the input would keep the job from its own end.
                settings.put(
                        "execution.checkpointing.checkpoints-after-tasks-finish.enabled", "false");
            }
            settings.putAll(plan.clusterSettings());
            return settings;
        }
    }

    /** What the figures were found on. */
    public static final class Machine {
        private static final Path CPU = Path.of("/proc/cpuinfo");
        private static final Path MEMORY = Path.of("/proc/meminfo");
        private static final double KIB_PER_GIB = 1 << 20;

        private Machine() {}

        /** Cores, processor, memory and Java, as far as the system tells. */
        public static String describe() throws IOException {
            String model = field(CPU, "model name");
            String memory = field(MEMORY, "MemTotal").replace("kB", "").trim();
            return String.format(
                    Locale.ROOT,
                    "%d cores (%s), %s GiB, Java %s",
                    Runtime.getRuntime().availableProcessors(),
                    model,
                    memory.isEmpty()
                            ? "?"
                            : String.format(
                                    Locale.ROOT, "%.0f", Long.parseLong(memory) / KIB_PER_GIB),
                    Runtime.version().feature());
        }

        private static String field(Path file, String name) throws IOException {
            if (!Files.isReadable(file)) {
                return "";
            }
            try (Stream<String> lines = Files.lines(file, StandardCharsets.UTF_8)) {
                return lines.filter(line -> line.startsWith(name))
                        .map(line -> line.substring(line.indexOf(':') + 1).trim())
                        .findFirst()
                        .orElse("");
            }
        }
    }
}
