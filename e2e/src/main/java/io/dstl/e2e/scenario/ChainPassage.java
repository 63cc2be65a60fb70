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
import io.dstl.e2e.scenario.ClusterPlan.ChainLink;
import io.dstl.e2e.scenario.FlightRate.FlightCount;
import io.dstl.e2e.scenario.FlightsScenario.PassageResult;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.report.RunReport.CheckpointRun;
import io.dstl.harness.report.RunReport.Event;
import io.dstl.harness.report.RunReport.Timeline;
import io.dstl.harness.rest.CheckpointStatistics;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import io.dstl.harness.rest.JobSubmission.ClaimMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The input passes through the job with the changelog on, in as many stretches as there are links.
 * Each link is a cluster of its own, with our backend or Flink's, that takes over the checkpoint
 * which the one before has left.
 */
final class ChainPassage {
    /** So that there is a log to restore above the materialization. */
    private static final int CHECKPOINTS = 3;

    private final Stage stage;
    private final List<ChainLink> links;
    private final List<CheckpointRun> runs = new ArrayList<>();
    private final List<CompletedCheckpoint> checkpoints = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();
    private Optional<String> retained = Optional.empty();
    private FlightCount reached = FlightCount.NONE;
    private LocalCluster lastCluster;

    ChainPassage(Stage stage, List<ChainLink> links) {
        this.stage = stage;
        this.links = List.copyOf(links);
    }

    /** Runs all links; the cluster of the last one stays up. */
    PassageResult run() throws Exception {
        for (int number = 1; number < links.size(); number++) {
            LocalCluster cluster = start(number);
            stop(number, submit(cluster, number));
            stage.cleanup.closeNow(cluster);
        }
        lastCluster = start(links.size());
        JobWatch last = submit(lastCluster, links.size());
        keep(links.size(), last.awaitFinished());
        Comparison comparison = run(lastCluster).compare();
        stage.progress().say("chain: " + comparison.summary());
        return new PassageResult(
                last.job(),
                runs,
                new Timeline("chain", checkpoints, events),
                Optional.of(comparison));
    }

    /** The one that has come to the end of the input; null before. */
    LocalCluster lastCluster() {
        return lastCluster;
    }

    private LocalCluster start(int number) throws Exception {
        return stage.start(ClusterPlan.link(number, link(number)), label(number));
    }

    private JobWatch submit(LocalCluster cluster, int number) throws Exception {
        FlightsRun run = run(cluster);
        JobWatch watch =
                new JobWatch(
                        stage,
                        cluster,
                        retained.isPresent()
                                ? run.resume(retained.get(), parallelism(number), ClaimMode.CLAIM)
                                : run.submit(),
                        label(number),
                        reached);
        if (retained.isPresent()) {
            watch.awaitRestored(0);
            stage.progress().say(label(number) + " has restored " + retained.get());
        }
        events.add(new Event(stage.clock().instant(), link(number).label()));
        return watch;
    }

    private void stop(int number, JobWatch watch) throws Exception {
        watch.awaitMaterialized();
        watch.awaitShare((double) number / links.size(), CHECKPOINTS);
        retained = Optional.of(watch.cancelAndRetain());
        reached = watch.reached();
        keep(number, watch.checkpoints());
    }

    private void keep(int number, CheckpointStatistics seen) {
        runs.add(new CheckpointRun(label(number), seen));
        checkpoints.addAll(seen.history);
    }

    private FlightsRun run(LocalCluster cluster) throws Exception {
        return new FlightsRun(stage.plan, cluster, stage.plan.directory().resolve("result-chain"));
    }

    private ChainLink link(int number) {
        return links.get(number - 1);
    }

    /** Every other link has the other one. */
    private int parallelism(int number) {
        return number % 2 == 1 ? stage.plan.parallelism() : stage.plan.rescaledParallelism();
    }

    private String label(int number) {
        return number + " " + link(number).label();
    }
}
