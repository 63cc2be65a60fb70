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

import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.report.Timeline;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The job with the changelog off, for as long as its checkpoints are measured. */
final class SteadyPassage {
    private static final Mode MODE = Mode.CHANGELOG_OFF;

    private final Stage stage;
    private final LocalCluster cluster;

    private SteadyPassage(Stage stage, LocalCluster cluster) {
        this.stage = stage;
        this.cluster = cluster;
    }

    /** Starts the cluster that the passage takes place on. */
    static SteadyPassage on(Stage stage) throws Exception {
        LocalCluster cluster = stage.cleanup().add(stage.clusters().start(ClusterPlan.of(MODE)));
        stage.progress().show("changelog " + MODE.label() + "  the cluster starts");
        cluster.awaitUp(FlightsCluster.TASK_MANAGERS);
        return new SteadyPassage(stage, cluster);
    }

    /** That of the plan or, if it has none, one that is found on this cluster. */
    FlightRate rate() throws Exception {
        return stage.plan().isRateGiven()
                ? stage.plan().rate()
                : new RateCalibration(stage, cluster).find();
    }

    /** Runs the job and stops the cluster. */
    PassageResult run(FlightRate rate) throws Exception {
        Path output = stage.plan().directory().resolve("result-" + MODE.label());
        MeasuredPassage measured = new MeasuredPassage(stage, cluster, MODE);
        measured.run(new FlightsRun(stage.plan(), cluster, output), rate);
        PassageResult result =
                new PassageResult(
                        measured.watch().job(),
                        List.of(measured.checkpoints()),
                        new Timeline(
                                "changelog " + MODE.label(),
                                measured.watch().checkpoints().history(),
                                List.of()),
                        Optional.empty());
        stage.cleanup().closeNow(cluster);
        stage.progress().say("changelog off: its checkpoints are measured");
        return result;
    }
}
