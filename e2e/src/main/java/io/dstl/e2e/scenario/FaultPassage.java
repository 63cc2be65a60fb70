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
import io.dstl.e2e.scenario.ClusterPlan.Mode;
import io.dstl.e2e.scenario.FlightsScenario.PassageResult;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.net.ServerProcess;
import io.dstl.harness.report.RunReport.CheckpointRun;
import io.dstl.harness.report.RunReport.Event;
import io.dstl.harness.report.RunReport.Timeline;
import io.dstl.harness.rest.CheckpointStatistics;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import io.dstl.harness.rest.JobSubmission.ClaimMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The input passes through the job with the changelog on: at a steady pace while checkpoints are
 * measured, and then faster, while one TaskManager dies and the job is restarted at another
 * parallelism.
 */
final class FaultPassage {
    private static final Mode MODE = Mode.CHANGELOG_ON;
    private static final String LABEL = "changelog " + MODE.label;
    private static final double KILL_AT = 0.4;
    private static final double RESCALE_AT = 0.7;
    private static final int CHECKPOINTS_BEFORE_FAULT = 2;

    private final Stage stage;
    private final LocalCluster cluster;
    private final FlightsRun run;
    private final List<CheckpointRun> runs = new ArrayList<>();
    private final List<CompletedCheckpoint> checkpoints = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();

    private FaultPassage(Stage stage, LocalCluster cluster, FlightsRun run) {
        this.stage = stage;
        this.cluster = cluster;
        this.run = run;
    }

    /** Starts the cluster that the passage takes place on; it stays up afterwards. */
    static FaultPassage on(Stage stage) throws Exception {
        LocalCluster cluster = stage.start(ClusterPlan.of(MODE), LABEL);
        return new FaultPassage(
                stage,
                cluster,
                new FlightsRun(
                        stage.plan,
                        cluster,
                        stage.plan.directory().resolve("result-" + MODE.label)));
    }

    LocalCluster cluster() {
        return cluster;
    }

    /** Measures at that rate, and goes on at the plan's. */
    PassageResult run(FlightRate rate) throws Exception {
        MeasuredPassage measured = new MeasuredPassage(stage, cluster, MODE);
        String retained = measured.run(run, rate);
        runs.add(measured.checkpoints());
        checkpoints.addAll(measured.watch().checkpoints().history);
        happened("faster");
        JobWatch first =
                stage.watch(
                        cluster,
                        run.resume(retained, stage.plan.parallelism(), ClaimMode.CLAIM),
                        LABEL,
                        measured.watch().reached());
        first.awaitRestored(0);
        killOneTaskManager(first);
        JobWatch second = restartRescaled(first);
        CheckpointStatistics last = second.awaitFinished();
        keep("on, rescaled", last);
        checkpoints.addAll(last.history);
        Comparison comparison = run.compare();
        stage.progress()
                .say("changelog on: killed, restored and rescaled; " + comparison.summary());
        return new PassageResult(
                second.job(),
                runs,
                new Timeline(LABEL, checkpoints, events),
                Optional.of(comparison));
    }

    private void killOneTaskManager(JobWatch watch) throws Exception {
        CheckpointStatistics before = watch.awaitShare(KILL_AT, CHECKPOINTS_BEFORE_FAULT);
        ServerProcess victim = cluster.taskManagers().get(0);
        cluster.kill(victim);
        String what = "SIGKILL of " + victim.name() + " (pid " + victim.pid() + ")";
        happened("SIGKILL");
        stage.progress().say(what + " after checkpoint " + newest(before));
        long start = stage.clock().millis();
        ServerProcess replacement = cluster.startTaskManager();
        CheckpointStatistics after = watch.awaitRestored(before.restored);
        happened("restored");
        stage.progress()
                .say(
                        replacement.name()
                                + " replaces it; restored from checkpoint "
                                + after.restoredFrom.orElseThrow()
                                + ", next checkpoint "
                                + seconds(stage.clock().millis() - start)
                                + " after the kill");
    }

    private JobWatch restartRescaled(JobWatch watch) throws Exception {
        CheckpointStatistics seen = watch.awaitShare(RESCALE_AT, 2 * CHECKPOINTS_BEFORE_FAULT);
        keep("on, with the kill", seen);
        int parallelism = stage.plan.rescaledParallelism();
        happened("stopped");
        String retained = watch.cancelAndRetain();
        checkpoints.addAll(watch.checkpoints().history);
        JobWatch resumed =
                new JobWatch(
                        stage,
                        cluster,
                        run.resume(retained, parallelism, stage.plan.claimMode()),
                        LABEL,
                        watch.reached());
        resumed.awaitRestored(0);
        happened("at parallelism " + parallelism);
        stage.progress()
                .say(
                        "stopped at parallelism "
                                + stage.plan.parallelism()
                                + ", restarted from "
                                + retained
                                + " at parallelism "
                                + parallelism);
        return resumed;
    }

    private void keep(String label, CheckpointStatistics seen) {
        runs.add(new CheckpointRun(label, seen));
    }

    private void happened(String what) {
        events.add(new Event(stage.clock().instant(), what));
    }

    private static String newest(CheckpointStatistics seen) {
        return seen.latest.map(found -> Long.toString(found.id)).orElse("–");
    }

    private static String seconds(long millis) {
        return Duration.ofMillis(millis).toSeconds() + " s";
    }
}
