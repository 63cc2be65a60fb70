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

import io.dstl.harness.progress.Instruments;
import io.dstl.harness.store.Bucket;
import io.dstl.harness.store.S3Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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

    /** Takes what was found so far. */
    public interface Reports {
        void take(BenchReport report) throws IOException;
    }

    /**
     * Runs it all; cleans up behind itself, also when it fails. A run that comes to no end is
     * reported as such, and the next one begins.
     *
     * @param reports gets one after each run, so that an interrupted benchmark leaves what it found
     */
    public BenchReport run(Reports reports) throws Exception {
        instruments.progress().say(plan.announcement());
        List<RunResult> results = new ArrayList<>();
        BenchReport report = null;
        try (S3Store store =
                plan.store().start(plan.paths().run().resolve("store"), instruments.await())) {
            new Bucket(store, BenchCluster.BUCKET).create();
            Map<String, String> conditions = plan.conditions();
            conditions.put("store", store.description());
            conditions.put("machine", Machine.describe());
            BenchCluster clusters = new BenchCluster(plan, instruments.await(), plan.slots());
            for (RunName name : plan.runs()) {
                results.add(new VariantRun(name, plan, clusters, instruments).on(store));
                report = new BenchReport(conditions, results);
                reports.take(report);
            }
        }
        return report;
    }
}
