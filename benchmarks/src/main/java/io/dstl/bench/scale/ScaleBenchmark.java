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

import io.dstl.bench.report.ResultFiles;
import io.dstl.bench.run.BenchPlan;
import io.dstl.bench.run.Benchmark.BenchCluster;
import io.dstl.bench.run.Benchmark.Machine;
import io.dstl.bench.run.Variant.RunName;
import io.dstl.harness.progress.Instruments;
import io.dstl.harness.store.Bucket;
import io.dstl.harness.store.S3Store;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * All variants at all sizes, one after the other, each on a cluster of its own and all on one
 * store. For one thread.
 */
public final class ScaleBenchmark {
    private final BenchPlan plan;
    private final ScaleSettings settings;
    private final Instruments instruments;

    public ScaleBenchmark(BenchPlan plan, ScaleSettings settings, Instruments instruments) {
        this.plan = plan;
        this.settings = settings;
        this.instruments = instruments;
    }

    /**
     * Runs it all; a run that comes to no end is reported as such, and the next one begins.
     *
     * @param files have what was found after each run
     */
    public ScaleReport run(ResultFiles files) throws Exception {
        String flink = plan.paths().flinkHome().version();
        if (!flink.startsWith("1.20.")) {
            throw new IllegalArgumentException(
                    "--flink-version is "
                            + flink
                            + ": give a 1.20, whose RPC the simulated TaskManagers speak");
        }
        ScaleReport report;
        try (S3Store store =
                plan.store().start(plan.paths().run().resolve("store"), instruments.await())) {
            instruments.progress().say("object store: " + store.description());
            new Bucket(store, BenchCluster.BUCKET).create();
            report = new ScaleReport(conditions(flink, store), settings);
            ScaleSetup setup = new ScaleSetup(plan, settings, instruments);
            for (RunName name : plan.runs()) {
                List<Path> captured = List.of();
                for (ScaleSize size : settings.sizes()) {
                    if (size.simulated && captured.isEmpty()) {
                        continue;
                    }
                    ScaleRun run = new ScaleRun(name, size, setup);
                    run.on(store, captured);
                    captured = captured.isEmpty() ? run.captured() : captured;
                    report.add(size, name, run);
                    report.write(files);
                }
            }
        }
        return report;
    }

    private Map<String, String> conditions(String flink, S3Store store) throws Exception {
        Map<String, String> conditions = plan.conditions();
        conditions.put("workload", settings.describe());
        conditions.put("flink", flink);
        conditions.put("store", store.description());
        conditions.put("machine", Machine.describe());
        return conditions;
    }
}
