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

import io.dstl.bench.job.JobArguments;
import io.dstl.bench.job.JobArguments.WorkloadKind;
import io.dstl.bench.job.StateModel;
import io.dstl.bench.job.Updates;
import io.dstl.bench.profile.CpuRecorder;
import io.dstl.bench.run.Benchmark.BenchCluster;
import io.dstl.bench.run.Fault.FaultPhase;
import io.dstl.bench.run.Variant.RunName;
import io.dstl.harness.proxy.Disturbance;
import io.dstl.harness.proxy.FaultProxy;
import io.dstl.harness.proxy.Latencies;
import io.dstl.harness.proxy.Latencies.Bandwidth;
import io.dstl.harness.store.Bucket;
import io.dstl.harness.store.S3Store;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** All that a benchmark is told. For one thread while it is being filled. */
public final class BenchPlan {
    /** To start and stop a cluster. */
    private static final Duration PER_RUN = Duration.ofSeconds(30);

    /** To restore, and to stop with all windows and states looked at. */
    private static final Duration PER_KILL = Duration.ofSeconds(30);

    /** Until the checkpoint that ends it. */
    private static final Duration PER_PHASE = Duration.ofSeconds(5);

    private final BenchPaths paths;
    private List<Variant> variants = Variant.USUAL;
    private Workload workload =
            new Workload(WorkloadKind.VALUE, new Updates(1_000_000, 0), 10_000, 200);
    private Timing timing = new Timing(Duration.ofSeconds(30), Duration.ofMinutes(2));
    private List<Fault> faults = List.of();
    private Optional<Fault> burst = Optional.empty();
    private int burstHeap;
    private Variant.Delegate delegate = Variant.Delegate.ROCKSDB;
    private S3Store.Kind store = S3Store.Kind.AUTO;
    private Latencies.Settings latencies = Latencies.Settings.none();
    private Bandwidth bandwidth = Bandwidth.unlimited();
    private long seed;
    private int tolerableFailures;
    private int repetitions = 1;
    private Duration checkpointEvery = Duration.ofSeconds(1);
    private Duration materializeEvery = Duration.ofSeconds(60);
    private boolean profile;
    private boolean kill;
    private int kills;
    private boolean killsAgain;
    private boolean space;
    private Map<String, String> settings = Map.of();
    private Duration recoveryLimit = Duration.ofMinutes(2);
    private String commit = "unknown";
    private String command = "";

    public BenchPlan(BenchPaths paths) {
        this.paths = paths;
    }

    /** How often each variant is run: one after the other, and then all of them again. */
    public BenchPlan repetitions(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("--repeat is " + count + ": give 1 or more");
        }
        repetitions = count;
        return this;
    }

    /** How long a phase waits for a checkpoint to complete before it is given up. */
    public BenchPlan recoveryLimit(Duration limit) {
        recoveryLimit = limit;
        return this;
    }

    /** To run, one after the other. */
    public BenchPlan variants(List<Variant> wanted) {
        if (wanted.isEmpty()) {
            throw new IllegalArgumentException("--variants is empty: give one or more");
        }
        variants = List.copyOf(wanted);
        return this;
    }

    public BenchPlan workload(Workload wanted) {
        workload = wanted;
        return this;
    }

    /** How often a checkpoint is triggered, and how often each task materializes. */
    public BenchPlan rhythm(Duration checkpoints, Duration materializations) {
        if (checkpoints.isZero() || materializations.isZero()) {
            throw new IllegalArgumentException(
                    "--interval or --materialize is 0: give some time, as in 1s");
        }
        checkpointEvery = checkpoints;
        materializeEvery = materializations;
        return this;
    }

    /** After what is measured, it is recorded for as long what the tasks with the state do. */
    public BenchPlan profile() {
        profile = true;
        return this;
    }

    /** In the end the TaskManager is killed, and what the state came to is checked. */
    public BenchPlan kill() {
        kill = true;
        return this;
    }

    /**
     * In place of what is measured, the TaskManager is killed so often; then the same check.
     *
     * @param again whether each kill is followed by another one, after the next checkpoint
     */
    public BenchPlan recovery(int count, boolean again) {
        kills = count;
        killsAgain = again;
        return this;
    }

    /** What is measured includes what the run has in the bucket. */
    public BenchPlan space() {
        space = true;
        return this;
    }

    public BenchPlan timing(Timing wanted) {
        timing = wanted;
        return this;
    }

    /** One after the other, after what is measured. */
    public BenchPlan faults(List<Fault> wanted) {
        faults = List.copyOf(wanted);
        return this;
    }

    /**
     * After what is measured, all timers fire at once and the store is down; in the end what the
     * state came to is checked.
     *
     * @param heap of the TaskManager's JVM, in MB
     */
    public BenchPlan burst(Fault whileDown, int heap) {
        BurstPhase.requireHeap(heap);
        burst = Optional.of(whileDown);
        burstHeap = heap;
        return this;
    }

    /** What holds the state, with a changelog on top of it or without. */
    public BenchPlan delegate(Variant.Delegate wanted) {
        delegate = wanted;
        return this;
    }

    public BenchPlan store(S3Store.Kind kind) {
        store = kind;
        return this;
    }

    /** With which the store answers. */
    public BenchPlan bandwidth(Bandwidth wanted) {
        bandwidth = wanted;
        return this;
    }

    /** What each request takes, and the seed of latencies and errors. */
    public BenchPlan latencies(Latencies.Settings wanted, long chance) {
        latencies = wanted;
        seed = chance;
        return this;
    }

    /** How many checkpoints may fail in a row before Flink restarts the job. */
    public BenchPlan tolerableFailures(int count) {
        tolerableFailures = count;
        return this;
    }

    /** Of the cluster, in place of what it would have. */
    public BenchPlan settings(Map<String, String> wanted) {
        settings = Map.copyOf(wanted);
        return this;
    }

    /** What was run, for whoever wants to run it again. */
    public BenchPlan origin(String builtFrom, String commandLine) {
        commit = builtFrom;
        command = commandLine;
        return this;
    }

    public BenchPaths paths() {
        return paths;
    }

    /**
     * What holds the state of a variant, as {@code state.backend.type} has it.
     *
     * @throws IllegalArgumentException when that Flink has no such backend
     */
    public String backend(Variant variant, String flink) {
        if (variant != Variant.FORST) {
            return delegate.label();
        }
        if (flink.startsWith("1.")) {
            throw new IllegalArgumentException(
                    "--variants has forst, which Flink "
                            + flink
                            + " does not have: give --flink-version 2.3.0 or another of Flink 2");
        }
        return variant.label();
    }

    /**
     * Refuses what would only fail in the middle of a run, or at its end.
     *
     * @throws IllegalArgumentException when that Flink does not have a variant, or the state in the
     *     end cannot be computed
     */
    void requireRunnable(String flink) {
        for (RunName run : runs()) {
            backend(run.variant, flink);
            if (holdsTotals()) {
                StateModel.requireComputable(job(run));
            }
        }
    }

    /** When what is measured begins, and how long it is. */
    public Timing timing() {
        return timing;
    }

    /** In the order to run. */
    public List<RunName> runs() {
        List<RunName> runs = new ArrayList<>();
        for (int repetition = 1; repetition <= repetitions; repetition++) {
            for (Variant variant : variants) {
                runs.add(new RunName(variant, repetition));
            }
        }
        return runs;
    }

    /** New ones for a run, in their order. */
    List<Phase> phases(
            RunName run, S3Store bucketStore, FaultProxy proxy, Disturbance disturbance) {
        List<Phase> phases = new ArrayList<>();
        if (kills > 0) {
            phases.add(
                    new RecoveryPhase(
                            run.variant, kills, killsAgain, timing.warmUp(), materializeEvery));
        } else if (space) {
            Bucket bucket = new Bucket(bucketStore, BenchCluster.BUCKET);
            phases.add(new SpacePhase(timing, proxy, bucket, run.toString()));
        } else {
            phases.add(new MeasuredPhase(timing, proxy));
        }
        if (profile) {
            phases.add(profilePhase(run));
        }
        faults.forEach(fault -> phases.add(new FaultPhase(fault, disturbance)));
        burst.map(one -> new BurstPhase(one, disturbance, paths.results(run), recoveryLimit))
                .ifPresent(phases::add);
        if (kill) {
            phases.add(new KillPhase());
        }
        if (holdsTotals()) {
            phases.add(new TotalsPhase(job(run), paths.results(run), parallelism()));
        }
        return phases;
    }

    /** Whether the state is held against what it must be. */
    private boolean holdsTotals() {
        return kill || kills > 0 || burst.isPresent();
    }

    ProfilePhase profilePhase(RunName run) {
        return new ProfilePhase(
                timing.measured(), new CpuRecorder(paths.run()), paths.profile(run));
    }

    /** What the plan asks of the cluster beside the rhythm. */
    Map<String, String> clusterSettings() {
        Map<String, String> asked = new LinkedHashMap<>();
        if (burst.isPresent()) {
            asked.putAll(BurstPhase.clusterSettings(burstHeap));
        } else if (kills > 0) {
            asked.putAll(RecoveryPhase.CLUSTER_SETTINGS);
        } else if (profile) {
            asked.putAll(ProfilePhase.CLUSTER_SETTINGS);
        }
        asked.putAll(settings);
        return asked;
    }

    /** What the job of that run is told. */
    JobArguments job(RunName run) {
        JobArguments job = workload.job(paths.results(run));
        return run.variant == Variant.FORST ? job.preferAsync() : job;
    }

    /** Subtasks that share the state. */
    int parallelism() {
        return workload.parallelism();
    }

    /** Of the TaskManager. */
    int slots() {
        return workload.slots();
    }

    /** What is about to be done, and how long that takes. */
    String announcement() {
        Duration one = PER_RUN.plus(timing.warmUp());
        Duration waits = recoveryLimit;
        if (kills > 0) {
            // Most are due after two periods at the latest, and all after five.
            one = one.plus(materializeEvery.multipliedBy(2L * kills));
            one = one.plus(PER_KILL.multipliedBy(killsAgain ? 2L * kills : kills));
            waits =
                    waits.plus(materializeEvery.multipliedBy(3L * kills))
                            .plus(recoveryLimit.multipliedBy(3));
        } else {
            one = one.plus(timing.measured());
        }
        for (Fault fault : faults) {
            one = one.plus(fault.length()).plus(PER_PHASE);
            waits = waits.plus(recoveryLimit.multipliedBy(2));
        }
        if (burst.isPresent()) {
            one = one.plus(burst.get().length()).plus(PER_KILL);
            waits = waits.plus(recoveryLimit.multipliedBy(4));
        }
        if (profile) {
            one = one.plus(timing.measured()).plus(PER_PHASE);
            waits = waits.plus(recoveryLimit);
        }
        if (kill) {
            one = one.plus(PER_KILL);
            waits = waits.plus(recoveryLimit.multipliedBy(5));
        }
        int runs = repetitions * variants.size();
        return String.format(
                Locale.ROOT,
                "%d x (%s): about %d min, and at most %d min for each run that does not recover",
                repetitions,
                variants.stream().map(Variant::label).collect(Collectors.joining(", ")),
                toMinutes(one.multipliedBy(runs)),
                toMinutes(one.plus(waits)));
    }

    private static String seconds(Duration time) {
        return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
    }

    private static long toMinutes(Duration time) {
        return (time.toSeconds() + 59) / 60;
    }

    public S3Store.Kind store() {
        return store;
    }

    /** Each repetition has its own; the variants of one meet the same. */
    public long seed(RunName run) {
        return seed + run.repetition - 1;
    }

    public Duration recoveryLimit() {
        return recoveryLimit;
    }

    int tolerableFailures() {
        return tolerableFailures;
    }

    public Latencies newLatencies(RunName run) {
        return new Latencies(seed(run), latencies);
    }

    public Bandwidth bandwidth() {
        return bandwidth;
    }

    public Duration checkpointEvery() {
        return checkpointEvery;
    }

    public Duration materializeEvery() {
        return materializeEvery;
    }

    /** What the reader of the report has to know, in the order to show. */
    public Map<String, String> conditions() {
        Map<String, String> conditions = new LinkedHashMap<>();
        conditions.put("command", command);
        conditions.put("commit", commit);
        conditions.put("workload", workload.toString());
        conditions.put("state backend", delegate.label());
        if (variants.contains(Variant.FORST)) {
            conditions.put(
                    "forst",
                    job(new RunName(Variant.FORST, 1)).async()
                            ? "asynchronous state, by the state API v2"
                            : "synchronous state, as the other variants");
        }
        conditions.put("measured", describeMeasured());
        conditions.put("runs", describeRuns());
        conditions.put(
                "checkpoints",
                String.format(
                        Locale.ROOT,
                        "every %s s, materialized every %s s, %d failed ones in a row tolerated",
                        seconds(checkpointEvery),
                        seconds(materializeEvery),
                        tolerableFailures));
        if (!settings.isEmpty()) {
            conditions.put("settings", new TreeMap<>(settings).toString());
        }
        burst.ifPresent(
                one ->
                        conditions.put(
                                "burst", one.title() + ", TaskManager heap " + burstHeap + " MB"));
        conditions.put("requests", latencies + ", " + describeSeeds());
        conditions.put("bandwidth", bandwidth.toString());
        if (profile) {
            conditions.put("profile", describeProfile());
        }
        return conditions;
    }

    private String describeMeasured() {
        if (kills > 0) {
            return RecoveryPhase.describe(
                    kills, killsAgain, timing.warmUp(), seconds(materializeEvery));
        }
        return String.format(
                Locale.ROOT,
                "%d s of each run, after %d s of warm-up%s",
                timing.measured().toSeconds(),
                timing.warmUp().toSeconds(),
                space ? "; the bucket is " + SpacePhase.describe() : "");
    }

    private String describeRuns() {
        return repetitions == 1
                ? "1 of each variant"
                : repetitions
                        + " of each variant, in turn; figures are the median (lowest–highest) of"
                        + " the runs, p99.9 and max those of the checkpoints of all runs together";
    }

    private String describeProfile() {
        return String.format(
                Locale.ROOT,
                "async-profiler, a sample of a thread for every %d ms of its CPU time, for %d s"
                        + " after what is measured; recordings in %s of the run's directory",
                CpuRecorder.INTERVAL.toMillis(),
                timing.measured().toSeconds(),
                runs().stream()
                        .map(run -> paths.profile(run).getFileName().toString())
                        .collect(Collectors.joining(", ")));
    }

    private String describeSeeds() {
        return repetitions == 1
                ? "seed " + seed
                : "seeds " + seed + " to " + (seed + repetitions - 1);
    }
}
