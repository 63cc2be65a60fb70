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

import io.dstl.e2e.cluster.LocalCluster;
import io.dstl.e2e.flights.Comparison;
import io.dstl.e2e.report.CheckpointRun;
import io.dstl.e2e.report.Timeline;
import io.dstl.e2e.rest.CheckpointStatistics;
import java.nio.file.Path;
import java.util.List;

/**
 * The input passes through the job with the changelog off and nothing in its way: the yardstick.
 */
final class SteadyPassage {
    private static final Mode MODE = Mode.CHANGELOG_OFF;

    private final Stage stage;

    SteadyPassage(Stage stage) {
        this.stage = stage;
    }

    /** Starts a cluster, runs the job to its end and stops the cluster. */
    PassageResult run() throws Exception {
        LocalCluster cluster = stage.cleanup().add(stage.clusters().start(ClusterPlan.of(MODE)));
        stage.progress().show("changelog " + MODE.label() + "  the cluster starts");
        cluster.awaitUp(FlightsCluster.TASK_MANAGERS);
        Path output = stage.plan().directory().resolve("result-" + MODE.label());
        FlightsRun run = new FlightsRun(stage.plan(), cluster, output);
        JobWatch watch =
                new JobWatch(
                        stage,
                        cluster,
                        run.submit(),
                        "changelog " + MODE.label(),
                        FlightCount.NONE);
        CheckpointStatistics seen = watch.awaitFinished();
        stage.cleanup().closeNow(cluster);
        Comparison comparison = run.compare();
        stage.progress().say("changelog off: the job ran undisturbed; " + comparison.summary());
        return new PassageResult(
                watch.job(),
                List.of(new CheckpointRun(MODE.label(), seen)),
                new Timeline("changelog " + MODE.label(), seen.history(), List.of()),
                comparison);
    }
}
