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

import io.dstl.e2e.store.Bucket;
import io.dstl.e2e.store.S3Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The same job on each variant, one after the other, on one store. */
public final class StorageBenchmark {
    private final StoragePlan plan;
    private final Instruments instruments;

    public StorageBenchmark(StoragePlan plan, Instruments instruments) {
        this.plan = plan;
        this.instruments = instruments;
    }

    /** Runs it all; cleans up behind itself, also when it fails. */
    public StorageReport run() throws Exception {
        List<VariantResult> results = new ArrayList<>();
        String description;
        try (S3Store store =
                plan.store().start(plan.paths().run().resolve("store"), instruments.await())) {
            description = store.description();
            new Bucket(store, BenchCluster.BUCKET).create();
            BenchCluster clusters = new BenchCluster(plan, instruments.await());
            for (Variant variant : plan.variants()) {
                results.add(new VariantRun(variant, plan, clusters, instruments).on(store));
            }
        }
        Map<String, String> conditions = plan.conditions();
        conditions.put("store", description);
        conditions.put("machine", Machine.describe());
        return new StorageReport(conditions, results);
    }
}
