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
import io.dstl.harness.report.CheckpointRun;

/**
 * The beginning of a passage: the job at a pace at which its checkpoints wait for the store only.
 */
final class MeasuredPassage {
    /** Of the input, at the most: the rest is for the faults. */
    private static final double SHARE = 0.3;

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
        return new FlightCount((long) (SHARE * stage.total().flights()));
    }

    /** Returns the checkpoint that the job leaves, which has ended then. */
    String run(FlightsRun run, FlightRate rate) throws Exception {
        String label = "changelog " + mode.label();
        watch = new JobWatch(stage, cluster, run.submit(rate), label, FlightCount.NONE);
        double wanted = rate.in(stage.plan().measured().toSeconds()).shareOf(stage.total());
        watch.awaitShare(Math.min(SHARE, wanted), CHECKPOINTS);
        return watch.cancelAndRetain();
    }

    /** Of the ended job. */
    JobWatch watch() {
        return watch;
    }

    CheckpointRun checkpoints() throws Exception {
        return new CheckpointRun(mode.label(), watch.checkpoints());
    }
}
