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
package io.dstl.e2e.scenario;

import io.dstl.e2e.flights.ResultCheck.Comparison;
import io.dstl.e2e.flights.input.FlightFile;
import io.dstl.e2e.scenario.ClusterPlan.ChainLink;
import io.dstl.e2e.scenario.ClusterPlan.Mode;
import io.dstl.e2e.scenario.FlightRate.FlightCount;
import io.dstl.e2e.scenario.FlightsCluster.DistantStore;
import io.dstl.e2e.scenario.KillsPassage.KillsOutcome;
import io.dstl.e2e.scenario.MeasuredPassage.SteadyPassage;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.progress.Instruments;
import io.dstl.harness.proxy.Latencies;
import io.dstl.harness.report.Figure;
import io.dstl.harness.report.Figure.Percentile;
import io.dstl.harness.report.HtmlReport;
import io.dstl.harness.report.JsonReport;
import io.dstl.harness.report.PercentileTable;
import io.dstl.harness.report.RunReport;
import io.dstl.harness.report.RunReport.CheckpointRun;
import io.dstl.harness.report.RunReport.Timeline;
import io.dstl.harness.rest.JobSubmission.JobId;
import io.dstl.harness.store.Bucket;
import io.dstl.harness.store.S3Store;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The whole run: a store, the job with the changelog off, the job with the changelog on and faults
 * in its way, and the report of both.
 *
 * <p>Owns everything that is started; closing stops it, from any thread. For one thread otherwise.
 */
public final class FlightsScenario implements AutoCloseable {
    /** As S3 answers within its region, from a percent of slow puts up to their median. */
    private static final Latencies.Settings REQUESTS =
            new Latencies.Settings(25, 0.5, 0.01, Duration.ofSeconds(2));

    private final RunPlan plan;
    private final Instruments instruments;
    private final Cleanup cleanup = new Cleanup();

    public FlightsScenario(RunPlan plan, Instruments instruments) {
        this.plan = plan;
        this.instruments = instruments;
    }

    /** Runs to the end; the cluster with the changelog on is left up until this is closed. */
    public Outcome run() throws Exception {
        Stage near = stage();
        FlightRate rate =
                plan.isRateGiven() ? plan.rate() : new RateCalibration(distant(near)).find();
        PassageResult off = new SteadyPassage(distant(near)).run(rate);
        Stage stage = distant(near);
        FaultPassage faults = FaultPassage.on(stage);
        PassageResult on = faults.run(rate);
        return outcome(
                stage,
                faults.cluster(),
                rate + " while measured, " + plan.rate() + " after that",
                List.of(off, on));
    }

    /**
     * Runs the job through clusters with those backends, each from the checkpoint that the one
     * before has left; the last one is left up until this is closed.
     */
    public Outcome runChain(List<ChainLink> links) throws Exception {
        Stage stage = stage();
        ChainPassage chain = new ChainPassage(stage, links);
        PassageResult result = chain.run();
        return outcome(stage, chain.lastCluster(), plan.rate().toString(), List.of(result));
    }

    /**
     * Kills TaskManagers of a running job that many times, has the orphans deleted, and restores
     * the job from each checkpoint that is left.
     */
    public KillsOutcome runKills(int kills) throws Exception {
        Stage stage = stage();
        return KillsPassage.on(stage, new Bucket(stage.clusters.store(), FlightsCluster.BUCKET))
                .run(kills);
    }

    /** Runs the job with a Prometheus beside it, and draws the dashboard of docs/ to that file. */
    public void runDashboard(Path picture) throws Exception {
        Stage near = stage();
        DistantStore store = distantStore(near);
        new DashboardPassage(near.with(near.clusters.on(store)), store.disturbance()).run(picture);
    }

    /** The same behind a proxy of its own: each passage meets the same requests, one by one. */
    private Stage distant(Stage near) throws Exception {
        return near.with(near.clusters.on(distantStore(near)));
    }

    private DistantStore distantStore(Stage near) throws Exception {
        return cleanup.add(DistantStore.of(near.clusters.store(), REQUESTS, instruments.time()));
    }

    private Stage stage() throws Exception {
        Files.createDirectories(plan.directory());
        instruments
                .progress()
                .say(
                        "starting the object store; with Docker, its image is pulled if need be,"
                                + " and if no registry answers this takes minutes"
                                + " (--store embedded needs no Docker)");
        S3Store store =
                cleanup.add(
                        plan.store().start(plan.directory().resolve("store"), instruments.await()));
        Bucket bucket = new Bucket(store, FlightsCluster.BUCKET);
        bucket.create();
        instruments
                .progress()
                .say("object store: " + store.description() + " at " + store.endpoint());
        return new Stage(
                plan,
                new FlightsCluster(plan, store, instruments.await()),
                countFlights(),
                cleanup,
                instruments);
    }

    @Override
    public void close() throws Exception {
        cleanup.close();
    }

    private FlightCount countFlights() throws IOException {
        long rows = 0;
        try (FlightFile file =
                FlightFile.open(plan.input().toString(), Files.newInputStream(plan.input()))) {
            while (file.next().isPresent()) {
                rows++;
            }
        }
        return new FlightCount(rows * plan.scale());
    }

    private Outcome outcome(
            Stage stage, LocalCluster cluster, String rate, List<PassageResult> passages)
            throws IOException {
        List<CheckpointRun> runs =
                passages.stream()
                        .flatMap(passage -> passage.runs.stream())
                        .collect(Collectors.toList());
        RunReport report =
                new RunReport(
                        Headline.of(runs),
                        conditions(stage.clusters, rate),
                        runs,
                        passages.stream().map(one -> one.timeline).collect(Collectors.toList()),
                        passages.stream()
                                .flatMap(passage -> passage.summary().stream())
                                .collect(Collectors.toList()));
        Path json = plan.directory().resolve("report.json");
        Path html = plan.directory().resolve("report.html");
        JsonReport.write(report, json);
        HtmlReport.write(report, html);
        instruments.progress().say("");
        instruments.progress().say(new PercentileTable(report.runs()).text());
        if (!Headline.measured(runs).isEmpty()) {
            instruments
                    .progress()
                    .say(new PercentileTable(Headline.measured(runs)).chart(Figure.DURATION));
        }
        instruments.progress().say(report.headline());
        instruments.progress().say("report: " + html.toUri() + " and " + json);
        return new Outcome(cluster, passages, report);
    }

    private Map<String, String> conditions(FlightsCluster clusters, String rate)
            throws IOException {
        Map<String, String> conditions = new LinkedHashMap<>();
        conditions.put("at", instruments.clock().instant().toString());
        conditions.put("commit", plan.commit());
        conditions.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        conditions.put("flink", clusters.flinkVersion());
        conditions.put("store", clusters.store().description());
        conditions.put("scale", Integer.toString(plan.scale()));
        conditions.put("flights/s", rate);
        conditions.put("parallelism", plan.parallelism() + " → " + plan.rescaledParallelism());
        return conditions;
    }

    /** What the run has shown. */
    public static final class Outcome {
        private final LocalCluster cluster;
        private final List<PassageResult> passages;
        private final RunReport report;

        private Outcome(LocalCluster cluster, List<PassageResult> passages, RunReport report) {
            this.cluster = cluster;
            this.passages = passages;
            this.report = report;
        }

        /** Of the last passage: the one with all that was in the job's way. */
        public Comparison comparison() {
            return last().comparison.orElseThrow();
        }

        /** Of all passages. */
        public boolean allRight() {
            return passages.stream()
                    .flatMap(passage -> passage.comparison.stream())
                    .allMatch(Comparison::isClean);
        }

        /** The job that has come to the end of the input last. */
        public JobId lastJob() {
            return last().job;
        }

        private PassageResult last() {
            return passages.get(passages.size() - 1);
        }

        /** What was measured. */
        public RunReport report() {
            return report;
        }

        /** The web UI of the cluster that is still up. */
        public URI ui() {
            return cluster.ui();
        }
    }

    /** What one passage of the input has brought. */
    static final class PassageResult {
        /** The last one. */
        final JobId job;

        final List<CheckpointRun> runs;
        final Timeline timeline;
        final Optional<Comparison> comparison;

        /**
         * @param comparison empty if the job has not come to the end of its input
         */
        PassageResult(
                JobId job,
                List<CheckpointRun> runs,
                Timeline timeline,
                Optional<Comparison> comparison) {
            this.job = job;
            this.runs = List.copyOf(runs);
            this.timeline = timeline;
            this.comparison = comparison;
        }

        /** What the comparison says, and of what. */
        Optional<String> summary() {
            return comparison.map(made -> timeline.label + ": " + made.summary());
        }
    }

    /** What a run has shown, in one sentence. */
    static final class Headline {
        private Headline() {}

        static String of(List<CheckpointRun> runs) {
            Optional<CheckpointRun> off = measured(runs, Mode.CHANGELOG_OFF);
            Optional<CheckpointRun> on = measured(runs, Mode.CHANGELOG_ON);
            if (off.isEmpty() || on.isEmpty()) {
                return "One job, from one backend to the next";
            }
            double without = median(off.get());
            double with = median(on.get());
            return String.format(
                    Locale.ROOT,
                    "Half of the checkpoints took at most %s with the changelog, and %s without: %.2f of"
                            + " the time",
                    Figure.DURATION.format(with),
                    Figure.DURATION.format(without),
                    with / without);
        }

        /** Those with the same job at the same pace, off and on. */
        static List<CheckpointRun> measured(List<CheckpointRun> runs) {
            return List.of(Mode.values()).stream()
                    .flatMap(mode -> measured(runs, mode).stream())
                    .collect(Collectors.toList());
        }

        private static Optional<CheckpointRun> measured(List<CheckpointRun> runs, Mode mode) {
            return runs.stream().filter(run -> run.label.equals(mode.label)).findFirst();
        }

        private static double median(CheckpointRun run) {
            return Percentile.P50.of(Figure.DURATION.summary(run.statistics));
        }
    }
}
