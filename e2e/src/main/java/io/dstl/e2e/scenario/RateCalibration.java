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

import io.dstl.e2e.scenario.FlightRate.FlightCount;
import io.dstl.harness.cluster.LocalCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/**
 * Finds a rate at which the job keeps at most half of the machine's cores busy: checkpoints of a
 * job that has no core left wait for records, and say nothing of the store. The job runs at a low
 * rate for a while; what all its processes use then, and this one with its proxy, grows with the
 * rate at the most. What a store in a process of its own uses is not seen.
 */
final class RateCalibration {
    private static final double SHARE_OF_CORES = 0.5;
    private static final FlightRate LOW = FlightRate.of(1_000);

    /** By then classes are loaded and the hot code is compiled. */
    private static final Duration FROM = Duration.ofSeconds(7);

    private static final Duration TO = Duration.ofSeconds(14);

    /** Flink counts them once a second. */
    private static final long FEWEST_FLIGHTS = 5_000;

    private final Stage stage;

    RateCalibration(Stage stage) {
        this.stage = stage;
    }

    /**
     * Runs the job on a cluster of its own, which has ended then.
     *
     * @return no more than the input has for as long as is measured
     * @throws IllegalStateException if the system does not tell how much CPU a process has used
     */
    FlightRate find() throws Exception {
        if (LOW.in(TO).flights() > stage.total.flights() / 2) {
            throw new IllegalArgumentException(
                    "the input has "
                            + stage.total.flights()
                            + " flights, too few to find the pace with: give --rate");
        }
        LocalCluster cluster = stage.start(ClusterPlan.pace(), "the pace");
        Path output = stage.plan.directory().resolve("result-pace");
        FlightsRun run = new FlightsRun(stage.plan, cluster, output);
        JobWatch watch = stage.watch(cluster, run.submit(LOW), "the pace", FlightCount.NONE);
        watch.awaitShare(LOW.in(FROM).shareOf(stage.total), 0);
        Duration usedBefore = used(cluster);
        FlightCount before = watch.reached();
        watch.awaitShare(before.plus(FEWEST_FLIGHTS).max(LOW.in(TO)).shareOf(stage.total), 0);
        Duration used = used(cluster).minus(usedBefore);
        FlightCount flights = new FlightCount(watch.reached().flights() - before.flights());
        stage.cleanup.closeNow(cluster);
        return of(used, flights);
    }

    private FlightRate of(Duration used, FlightCount flights) {
        int cores = Runtime.getRuntime().availableProcessors();
        FlightRate half =
                FlightRate.keepingBusy(
                        SHARE_OF_CORES * Math.min(cores, stage.plan.parallelism()), used, flights);
        FlightRate rate =
                half.atMost(MeasuredPassage.mostFlights(stage), MeasuredPassage.length(stage));
        stage.progress()
                .say(
                        String.format(
                                Locale.ROOT,
                                "a flight takes %.2f ms of CPU: the pace is %s flights/s, %s",
                                used.toNanos() / 1e6 / flights.flights(),
                                rate,
                                rate.isBelow(half)
                                        ? "as many as the input has"
                                        : "half of what "
                                                + stage.plan.parallelism()
                                                + " subtasks can take on "
                                                + cores
                                                + " cores"));
        return rate;
    }

    private static Duration used(LocalCluster cluster) {
        Duration own =
                ProcessHandle.current()
                        .info()
                        .totalCpuDuration()
                        .orElseThrow(
                                () ->
                                        new IllegalStateException(
                                                "the system does not tell how much CPU a process"
                                                        + " has used: give --rate"));
        return cluster.cpu().plus(own);
    }
}
