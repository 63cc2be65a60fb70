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

import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.run.Benchmark.BenchCluster;
import io.dstl.bench.run.Phase.Unfinished;
import io.dstl.bench.run.Variant.RunName;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.progress.Instruments;
import io.dstl.harness.proxy.Disturbance;
import io.dstl.harness.proxy.FaultProxy;
import io.dstl.harness.proxy.RequestJournal;
import io.dstl.harness.proxy.RequestJournal.ServedRequest;
import io.dstl.harness.proxy.RequestJournal.Span;
import io.dstl.harness.report.RunReport.CheckpointRun;
import io.dstl.harness.report.RunReport.Timeline;
import io.dstl.harness.rest.CheckpointStatistics;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import io.dstl.harness.store.S3Store;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One run of one variant, from the start of its cluster to its end: one phase after the other. The
 * proxy is its own, so that every variant of a repetition meets the same latencies.
 */
final class VariantRun {
    private final RunName name;
    private final BenchPlan plan;
    private final BenchCluster clusters;
    private final Instruments instruments;
    private final Disturbance disturbance;
    private final List<Finding> findings = new ArrayList<>();
    private final List<String> troubles = new ArrayList<>();
    private Optional<CheckpointRun> summary = Optional.empty();
    private Optional<Timeline> timeline = Optional.empty();

    VariantRun(RunName name, BenchPlan plan, BenchCluster clusters, Instruments instruments) {
        this.name = name;
        this.plan = plan;
        this.clusters = clusters;
        this.instruments = instruments;
        this.disturbance = new Disturbance(plan.seed(name), instruments.time()::nanos);
    }

    /** What could be found; what could not has its reason in its place. */
    RunResult on(S3Store store) throws IOException, InterruptedException {
        try (FaultProxy proxy =
                        FaultProxy.start(
                                store.endpoint(),
                                plan.newLatencies(name),
                                plan.bandwidth(),
                                disturbance,
                                instruments.clock());
                LocalCluster cluster = clusters.start(name, proxy.endpoint())) {
            List<Phase> phases = plan.phases(name, store, proxy, disturbance);
            Optional<BenchJob> job = start(cluster, phases);
            if (job.isPresent()) {
                for (Phase phase : phases) {
                    run(phase, job.get());
                }
                keep(job.get(), proxy);
            }
        }
        return new RunResult(name, findings, troubles, summary, timeline);
    }

    private Optional<BenchJob> start(LocalCluster cluster, List<Phase> phases)
            throws InterruptedException {
        try {
            cluster.awaitUp(BenchCluster.TASK_MANAGERS);
            BenchJob job = BenchJob.submit(name, cluster, plan, instruments);
            job.awaitFirstCheckpoint();
            return Optional.of(job);
        } catch (Unfinished e) {
            phases.forEach(phase -> giveUp(phase, e));
        } catch (IOException e) {
            phases.forEach(phase -> giveUp(phase, new Unfinished("did not start", e)));
        }
        return Optional.empty();
    }

    private void run(Phase phase, BenchJob job) throws InterruptedException {
        try {
            job.awaitCalm();
            findings.addAll(phase.of(job));
        } catch (Unfinished e) {
            giveUp(phase, e);
        } catch (IOException e) {
            giveUp(phase, new Unfinished("failed", e));
        }
    }

    private void giveUp(Phase phase, Unfinished reason) {
        for (Quantity quantity : phase.quantities()) {
            findings.add(Finding.none(quantity, reason.cell()));
        }
        String firstLine = String.valueOf(reason.getMessage()).lines().findFirst().orElse("");
        trouble(phase.title() + ": " + firstLine);
        instruments.progress().say(name + ": " + phase.title() + ": " + reason.getMessage());
    }

    private void keep(BenchJob job, FaultProxy proxy) throws InterruptedException {
        try {
            CheckpointStatistics seen = job.checkpoints();
            RequestFile.write(
                    proxy.journal(),
                    seen.history,
                    plan.paths().run().resolve("requests-" + name + ".csv"));
            summary = Optional.of(new CheckpointRun(name.toString(), seen));
            timeline = Optional.of(new Timeline(name.toString(), seen.history, job.events()));
        } catch (IOException e) {
            trouble("the list of its checkpoints: " + e.getMessage());
        }
    }

    /** Files are named within the project: this is published with the figures. */
    private void trouble(String what) {
        troubles.add(name + ", " + plan.paths().withinProject(what));
    }

    /** All that was learned in one run. */
    static final class RunResult {
        final RunName name;
        final List<Finding> findings;
        final List<String> troubles;
        final Optional<CheckpointRun> summary;
        final Optional<Timeline> timeline;

        /**
         * @param troubles why a part came to no end; empty when all did
         * @param summary Flink's own percentiles over the whole run, with warm-up and faults
         * @param timeline of the whole run
         */
        RunResult(
                RunName name,
                List<Finding> findings,
                List<String> troubles,
                Optional<CheckpointRun> summary,
                Optional<Timeline> timeline) {
            this.name = name;
            this.findings = List.copyOf(findings);
            this.troubles = List.copyOf(troubles);
            this.summary = summary;
            this.timeline = timeline;
        }

        /** Whether each part came to its end, and found what it is for. */
        boolean complete() {
            return troubles.isEmpty() && findings.stream().allMatch(Finding::found);
        }
    }

    /** All requests and checkpoints of a run in the order in which they began, one a line. */
    static final class RequestFile {
        private static final String HEAD = "at_ms,what,took_ms,bytes,status,target";

        private RequestFile() {}

        static void write(RequestJournal journal, List<CompletedCheckpoint> checkpoints, Path file)
                throws IOException {
            List<Line> lines = new ArrayList<>();
            for (ServedRequest request :
                    journal.during(Span.between(Instant.EPOCH, Instant.ofEpochSecond(1L << 40)))) {
                lines.add(new Line(request));
            }
            for (CompletedCheckpoint checkpoint : checkpoints) {
                lines.add(new Line(checkpoint));
            }
            lines.sort(Comparator.comparing(line -> line.at));
            List<String> text = new ArrayList<>();
            text.add(HEAD);
            lines.forEach(line -> text.add(line.text));
            Files.write(file, text, StandardCharsets.UTF_8);
        }

        private static final class Line {
            private final Instant at;
            private final String text;

            Line(ServedRequest request) {
                at = request.arrived();
                text =
                        String.format(
                                Locale.ROOT,
                                "%d,%s,%d,%d,%d,%s",
                                at.toEpochMilli(),
                                request.kind,
                                request.took().toMillis(),
                                request.bytes,
                                request.status,
                                request.target.replace(",", "%2C"));
            }

            Line(CompletedCheckpoint checkpoint) {
                at = checkpoint.triggered;
                text =
                        String.format(
                                Locale.ROOT,
                                "%d,checkpoint,%d,%d,,%d",
                                at.toEpochMilli(),
                                checkpoint.duration.toMillis(),
                                checkpoint.checkpointedSize,
                                checkpoint.id);
            }
        }
    }
}
