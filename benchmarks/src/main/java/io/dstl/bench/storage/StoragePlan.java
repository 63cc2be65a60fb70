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

import io.dstl.bench.proxy.Latencies;
import io.dstl.e2e.store.StoreKind;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** All that a run of the storage benchmark is told. For one thread while it is being filled. */
public final class StoragePlan {
    private final BenchPaths paths;
    private List<Variant> variants = List.of(Variant.values());
    private Workload workload = new Workload(1, 1);
    private Timing timing = new Timing(Duration.ofSeconds(30), Duration.ofMinutes(2));
    private List<Fault> faults = List.of();
    private StoreKind store = StoreKind.AUTO;
    private Latencies.Settings latencies = Latencies.Settings.none();
    private long seed;
    private int tolerableFailures;
    private String commit = "unknown";
    private String command = "";

    public StoragePlan(BenchPaths paths) {
        this.paths = paths;
    }

    /** To run, one after the other. */
    public StoragePlan variants(List<Variant> wanted) {
        variants = List.copyOf(wanted);
        return this;
    }

    /** The keys that have a value, and the updates per second over all subtasks. */
    public StoragePlan load(long keys, int updatesPerSecond) {
        workload = new Workload(keys, updatesPerSecond);
        return this;
    }

    public StoragePlan timing(Timing wanted) {
        timing = wanted;
        return this;
    }

    /** For the variants that have a changelog, after what is measured. */
    public StoragePlan faults(List<Fault> wanted) {
        faults = List.copyOf(wanted);
        return this;
    }

    public StoragePlan store(StoreKind kind) {
        store = kind;
        return this;
    }

    /** What each request takes, and the seed of latencies and errors. */
    public StoragePlan latencies(Latencies.Settings wanted, long chance) {
        latencies = wanted;
        seed = chance;
        return this;
    }

    /** How many checkpoints may fail in a row before Flink restarts the job. */
    public StoragePlan tolerableFailures(int count) {
        tolerableFailures = count;
        return this;
    }

    /** What was run, for whoever wants to run it again. */
    public StoragePlan origin(String builtFrom, String commandLine) {
        commit = builtFrom;
        command = commandLine;
        return this;
    }

    BenchPaths paths() {
        return paths;
    }

    List<Variant> variants() {
        return variants;
    }

    Workload workload() {
        return workload;
    }

    Timing timing() {
        return timing;
    }

    List<Fault> faults() {
        return faults;
    }

    StoreKind store() {
        return store;
    }

    long seed() {
        return seed;
    }

    int tolerableFailures() {
        return tolerableFailures;
    }

    Latencies newLatencies() {
        return new Latencies(seed, latencies);
    }

    Duration materializeEvery() {
        return Duration.ofSeconds(60);
    }

    /** What the reader of the report has to know, in the order to show. */
    Map<String, String> conditions() {
        Map<String, String> conditions = new LinkedHashMap<>();
        conditions.put("command", command);
        conditions.put("commit", commit);
        conditions.put("workload", workload.toString());
        conditions.put(
                "measured",
                String.format(
                        Locale.ROOT,
                        "%d s of each, after %d s of warm-up",
                        timing.measured().toSeconds(),
                        timing.warmUp().toSeconds()));
        conditions.put(
                "checkpoints",
                String.format(
                        Locale.ROOT,
                        "every second, materialized every %d s, %d failed ones in a row tolerated",
                        materializeEvery().toSeconds(),
                        tolerableFailures));
        conditions.put("requests", latencies + ", seed " + seed);
        return conditions;
    }
}
