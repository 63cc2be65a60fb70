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

import io.dstl.bench.fleet.FleetCheckpoints;
import io.dstl.bench.fleet.FleetCheckpoints.Step;
import io.dstl.bench.fleet.TaskStates;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.run.BenchJob;
import io.dstl.bench.run.Benchmark.BenchCluster;
import io.dstl.bench.run.CompletionLog;
import io.dstl.bench.run.Phase.Unfinished;
import io.dstl.bench.run.Variant.RunName;
import io.dstl.bench.scale.FleetLog.FleetCheckpoint;
import io.dstl.harness.proxy.RequestJournal.RequestKind;
import io.dstl.harness.proxy.RequestJournal.ServedRequest;
import io.dstl.harness.proxy.RequestJournal.Span;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import io.dstl.harness.store.Bucket;
import io.dstl.harness.store.S3Store;
import io.dstl.harness.wait.Await.DeadlineExpired;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One variant at one size, from the start of its cluster to what was found. For one thread. */
final class ScaleRun {
    /** Of the looks at who has the lock: they cost the JobManager CPU, so they have their own. */
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(20);

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);
    private static final Duration WITHOUT_PAUSE = Duration.ZERO;
    private static final int CAPTURE_TRIES = 20;

    /** A JobManager deletes for a while, and triggers nothing meanwhile. */
    private static final int DELETION_LIMITS = 10;

    private static final int LOOKS_AT_A_TIME = 10;

    private final RunName name;
    private final ScaleSize size;
    private final ScaleSetup setup;
    private final List<Finding> findings = new ArrayList<>();
    private final List<String> troubles = new ArrayList<>();
    private final List<Path> captured = new ArrayList<>();
    private final Map<Long, CompletedCheckpoint> seen = new TreeMap<>();
    private String phase = "start";
    private long heapBefore;

    ScaleRun(RunName name, ScaleSize size, ScaleSetup setup) {
        this.name = name;
        this.size = size;
        this.setup = setup;
    }

    /**
     * Runs it; what could not be found has its reason in its place.
     *
     * @param metadata directories of two checkpoints of real tasks, for simulated ones
     */
    void on(S3Store store, List<Path> metadata) throws IOException, InterruptedException {
        setup.plan.workload(setup.settings.workload(size));
        try (ScaleCluster cluster = new ScaleCluster(name, size, setup)) {
            cluster.start(store, metadata);
            BenchJob job =
                    BenchJob.submit(name, cluster.processes(), setup.plan, setup.instruments);
            measure(job, cluster, new Bucket(store, BenchCluster.BUCKET));
        } catch (Unfinished | DeadlineExpired e) {
            giveUp(e.getMessage());
        } catch (IOException e) {
            // The message of many is a path alone.
            giveUp(e.toString());
        }
    }

    private void giveUp(String reason) {
        String firstLine = String.valueOf(reason).lines().findFirst().orElse("");
        String trouble =
                setup.plan
                        .paths()
                        .withinProject(
                                size.label() + ", " + name + ", " + phase + ": " + firstLine);
        troubles.add(trouble);
        setup.instruments.progress().say(trouble);
        ScaleFigures.all(size).stream()
                .filter(
                        figure ->
                                findings.stream()
                                        .noneMatch(
                                                one -> one.quantity().key().equals(figure.key())))
                .forEach(figure -> findings.add(Finding.none(figure, phase + " not finished")));
    }

    List<Finding> findings() {
        return List.copyOf(findings);
    }

    /** Why some of the findings are none; empty when all went well. */
    List<String> troubles() {
        return List.copyOf(troubles);
    }

    /** Directories of two checkpoints of this run, for the fleets that take after it. */
    List<Path> captured() {
        return List.copyOf(captured);
    }

    private void measure(BenchJob job, ScaleCluster cluster, Bucket bucket)
            throws Unfinished, IOException, InterruptedException {
        job.awaitFirstCheckpoint();
        phase = "warm-up";
        job.runFor(phase, setup.plan.timing().warmUp());
        if (!size.simulated && name.variant.changelog()) {
            capture(job, cluster, bucket);
        }
        phase = "measured";
        Duration cpuBefore = cluster.processes().jobManager().cpu();
        int failedBefore = job.checkpoints().failed;
        Instant start = job.now();
        watch(job, setup.plan.timing().measured());
        Instant end = job.now();
        Duration cpu = cluster.processes().jobManager().cpu().minus(cpuBefore);
        int failed = job.checkpoints().failed - failedBefore;
        job.awaitTriggeredAfter(end);
        remember(job);
        Span span = Span.between(start, end);
        ScaleMeasured measured = measured(cluster, span);
        findings.addAll(ScaleFigures.measured(measured, failed, cpu));
        job.say(measured.summary());
        while (!size.simulated && captured.size() < 2) {
            capture(job, cluster, bucket);
        }
        phase = "lock";
        lock(job, cluster);
        if (size.simulated) {
            phase = "truncation";
            truncate(job, cluster);
        }
    }

    /** Lets time pass, and keeps what Flink says of each checkpoint while it lists it. */
    private void watch(BenchJob job, Duration time)
            throws Unfinished, IOException, InterruptedException {
        job.runFor(phase, time, BETWEEN_LOOKS, now -> remember(job));
    }

    private void remember(BenchJob job) throws IOException, InterruptedException {
        job.checkpoints().history.forEach(one -> seen.put(one.id, one));
    }

    private ScaleMeasured measured(ScaleCluster cluster, Span span) throws Unfinished, IOException {
        return measured(
                cluster,
                span,
                seen.values().stream()
                        .filter(one -> span.contains(one.triggered))
                        .collect(Collectors.toList()));
    }

    private ScaleMeasured measured(
            ScaleCluster cluster, Span span, List<CompletedCheckpoint> checkpoints)
            throws Unfinished, IOException {
        if (checkpoints.isEmpty()) {
            String time = span.length().toSeconds() + " s";
            throw new Unfinished("no checkpoint in " + time, "no checkpoint in " + time);
        }
        return new ScaleMeasured(
                span,
                checkpoints,
                CompletionLog.read(cluster.processes().jobManager().log()),
                FleetLog.read(cluster.fleetLog()),
                cluster.ofJobManager().journal().during(span),
                cluster.ofTaskManagers().journal().during(span));
    }

    private void lock(BenchJob job, ScaleCluster cluster)
            throws Unfinished, IOException, InterruptedException {
        try (JobManagerView view = JobManagerView.of(cluster.processes().jobManager().pid())) {
            LockSamples samples = new LockSamples(LockSamples.COORDINATOR);
            int before = job.checkpoints().completed;
            Instant start = job.now();
            job.runFor(
                    phase,
                    shortTime(),
                    WITHOUT_PAUSE,
                    now -> {
                        for (int i = 0; i < LOOKS_AT_A_TIME; i++) {
                            view.look(samples);
                        }
                    });
            Duration time = Duration.between(start, job.now());
            int completed = job.checkpoints().completed - before;
            heapBefore = view.liveHeap();
            findings.addAll(
                    ScaleFigures.lock(samples, time, completed, heapBefore, view.maxHeap()));
        }
    }

    private Duration shortTime() {
        Duration measured = setup.plan.timing().measured();
        return measured.compareTo(LONGEST_LOOK) < 0 ? measured : LONGEST_LOOK;
    }

    /** Two in a row without a changelog; with one, as far apart as the measured time. */
    private void capture(BenchJob job, ScaleCluster cluster, Bucket bucket)
            throws Unfinished, IOException, InterruptedException {
        for (int i = 0; i < CAPTURE_TRIES; i++) {
            CompletedCheckpoint checkpoint = job.awaitTriggeredAfter(job.now());
            String prefix = "s3://" + BenchCluster.BUCKET + "/";
            String key = checkpoint.path.substring(prefix.length()) + "/_metadata";
            try {
                byte[] content = bucket.read(key);
                Path directory =
                        Files.createDirectories(
                                cluster.directory().resolve("chk-" + checkpoint.id));
                Files.write(directory.resolve("_metadata"), content);
                captured.add(directory);
                return;
            } catch (IOException e) {
                // The next checkpoint was faster than the look at this one.
                job.say("checkpoint " + checkpoint.id + " was gone before it was read");
            }
        }
        throw new Unfinished("no metadata", "the metadata of no checkpoint could be read");
    }

    private void truncate(BenchJob job, ScaleCluster cluster)
            throws Unfinished, IOException, InterruptedException {
        Instant gathering = job.now();
        Files.createFile(cluster.fleetLog().resolveSibling(FleetCheckpoints.GATHER));
        Duration longest = setup.plan.recoveryLimit().multipliedBy(DELETION_LIMITS);
        job.runUntil(
                "gather",
                longest,
                BETWEEN_LOOKS,
                now -> {
                    remember(job);
                    return FleetLog.read(cluster.fleetLog()).count(Step.GATHER)
                            > FleetCheckpoints.GATHERING;
                });
        job.runFor("gathered", shortTime(), BETWEEN_LOOKS, now -> remember(job));
        long heap;
        try (JobManagerView view = JobManagerView.of(cluster.processes().jobManager().pid())) {
            heap = view.liveHeap();
        }
        job.awaitTriggeredAfter(job.now());
        remember(job);
        ScaleMeasured full = measured(cluster, Span.between(gathering, job.now()));
        int more =
                cluster.gathered() + (name.variant.changelog() ? size.tasks * full.gathering() : 0);
        Files.createFile(cluster.fleetLog().resolveSibling(FleetCheckpoints.TRUNCATE));
        Instant start = job.now();
        DeletionWatch deletions = new DeletionWatch(cluster.gathered());
        job.runUntil(
                phase,
                longest,
                BETWEEN_LOOKS,
                now -> {
                    remember(job);
                    return deletions.done(
                            cluster.ofJobManager().journal().during(Span.between(start, now)));
                });
        job.awaitTriggeredAfter(job.now());
        remember(job);
        FleetCheckpoint truncation =
                FleetLog.read(cluster.fleetLog())
                        .truncation()
                        .orElseThrow(() -> new IOException("the fleet has truncated nothing"));
        Span deleting = Span.between(Instant.ofEpochMilli(truncation.confirmed), deletions.end());
        findings.addAll(
                ScaleFigures.truncation(
                        measured(cluster, deleting, meanwhile(truncation.id, deleting.end())),
                        full.metadataBytesOfEach(objectsAtOnce(cluster)),
                        (double) (heap - heapBefore) / more,
                        cluster.gathered()));
    }

    /** That all tasks refer to more at each checkpoint while they gather; the log's own too. */
    private int objectsAtOnce(ScaleCluster cluster) {
        return cluster.gathered() / FleetCheckpoints.GATHERING
                + (name.variant.changelog() ? size.tasks : 0);
    }

    /** Those after a checkpoint that were triggered by then: the next one at least. */
    private List<CompletedCheckpoint> meanwhile(long after, Instant end) {
        List<CompletedCheckpoint> all =
                seen.values().stream().filter(one -> one.id > after).collect(Collectors.toList());
        List<CompletedCheckpoint> found =
                all.stream()
                        .filter(one -> one.triggered.isBefore(end))
                        .collect(Collectors.toList());
        return found.isEmpty() ? all.subList(0, Math.min(1, all.size())) : found;
    }

    /** Waits for so many deletions. */
    private static final class DeletionWatch {
        private final int wanted;
        private List<ServedRequest> deletions = List.of();

        DeletionWatch(int wanted) {
            this.wanted = wanted;
        }

        boolean done(List<ServedRequest> requests) {
            deletions =
                    requests.stream()
                            .filter(one -> one.kind == RequestKind.DELETE)
                            .filter(one -> one.target.contains("/" + TaskStates.GATHERED))
                            .collect(Collectors.toList());
            return deletions.size() >= wanted;
        }

        /** When the last of them was answered. */
        Instant end() {
            ServedRequest last = deletions.get(wanted - 1);
            return last.arrived().plus(last.took());
        }
    }
}
