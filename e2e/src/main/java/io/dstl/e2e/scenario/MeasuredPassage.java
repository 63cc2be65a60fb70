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

import io.dstl.e2e.scenario.ClusterPlan.Mode;
import io.dstl.e2e.scenario.FlightRate.FlightCount;
import io.dstl.e2e.scenario.FlightsScenario.PassageResult;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.report.RunReport.CheckpointRun;
import io.dstl.harness.report.RunReport.Timeline;
import io.dstl.harness.rest.JobSubmission.ClaimMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The beginning of a passage: the job at a pace at which its checkpoints wait for the store only.
 * It warms up first, and is restored from its checkpoint then, so that Flink's figures are of the
 * rest.
 */
final class MeasuredPassage {
    /** Of the input, at the most: the rest is for the faults. */
    private static final double SHARE = 0.3;

    private static final Duration WARM_UP = Duration.ofSeconds(10);
    private static final int CHECKPOINTS = 2;

    private final Stage stage;
    private final LocalCluster cluster;
    private final Mode mode;
    private JobWatch watch;

    MeasuredPassage(Stage stage, LocalCluster cluster, Mode mode) {
        this.stage = stage;
        this.cluster = cluster;
        this.mode = mode;
    }

    /** How many it reads at the most. */
    static FlightCount mostFlights(Stage stage) {
        return new FlightCount((long) (SHARE * stage.total.flights()));
    }

    /** How long it takes, if the input is long enough. */
    static Duration length(Stage stage) {
        return WARM_UP.plus(stage.plan.measured());
    }

    /** Returns the checkpoint that the job leaves, which has ended then. */
    String run(FlightsRun run, FlightRate rate) throws Exception {
        String label = "changelog " + mode.label;
        double end = Math.min(SHARE, rate.in(length(stage)).shareOf(stage.total));
        double warm = end * WARM_UP.toSeconds() / length(stage).toSeconds();
        watch = stage.watch(cluster, run.submit(rate), label, FlightCount.NONE);
        watch.awaitShare(warm, 1);
        String restored = watch.cancelAndRetain();
        watch =
                stage.watch(
                        cluster,
                        run.resume(restored, stage.plan.parallelism(), ClaimMode.CLAIM, rate),
                        label,
                        watch.reached());
        watch.awaitRestored(0);
        watch.awaitShare(end, CHECKPOINTS);
        return watch.cancelAndRetain();
    }

    /** Of the ended job. */
    JobWatch watch() {
        return watch;
    }

    CheckpointRun checkpoints() throws Exception {
        return new CheckpointRun(mode.label, watch.checkpoints());
    }

    /** The job with the changelog off, for as long as its checkpoints are measured. */
    static final class SteadyPassage {
        private static final Mode MODE = Mode.CHANGELOG_OFF;
        private static final String LABEL = "changelog " + MODE.label;

        private final Stage stage;

        SteadyPassage(Stage stage) {
            this.stage = stage;
        }

        /** Starts a cluster, runs the job on it, and stops it. */
        PassageResult run(FlightRate rate) throws Exception {
            LocalCluster cluster = stage.start(ClusterPlan.of(MODE), LABEL);
            Path output = stage.plan.directory().resolve("result-" + MODE.label);
            MeasuredPassage measured = new MeasuredPassage(stage, cluster, MODE);
            measured.run(new FlightsRun(stage.plan, cluster, output), rate);
            PassageResult result =
                    new PassageResult(
                            measured.watch().job(),
                            List.of(measured.checkpoints()),
                            new Timeline(LABEL, measured.watch().checkpoints().history, List.of()),
                            Optional.empty());
            stage.cleanup.closeNow(cluster);
            stage.progress().say(LABEL + ": its checkpoints are measured");
            return result;
        }
    }
}
