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
import io.dstl.harness.report.RunReport.Timeline;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The job with the changelog off, for as long as its checkpoints are measured. */
final class SteadyPassage {
    private static final Mode MODE = Mode.CHANGELOG_OFF;
    private static final String LABEL = "changelog " + MODE.label();

    private final Stage stage;

    SteadyPassage(Stage stage) {
        this.stage = stage;
    }

    /** Starts a cluster, runs the job on it, and stops it. */
    PassageResult run(FlightRate rate) throws Exception {
        LocalCluster cluster = stage.start(ClusterPlan.of(MODE), LABEL);
        Path output = stage.plan().directory().resolve("result-" + MODE.label());
        MeasuredPassage measured = new MeasuredPassage(stage, cluster, MODE);
        measured.run(new FlightsRun(stage.plan(), cluster, output), rate);
        PassageResult result =
                new PassageResult(
                        measured.watch().job(),
                        List.of(measured.checkpoints()),
                        new Timeline(LABEL, measured.watch().checkpoints().history(), List.of()),
                        Optional.empty());
        stage.cleanup().closeNow(cluster);
        stage.progress().say(LABEL + ": its checkpoints are measured");
        return result;
    }
}
