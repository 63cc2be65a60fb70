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
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/**
 * Finds the rate at which the job keeps half of the machine's cores busy: checkpoints of a job that
 * has no core left wait for records, and say nothing of the store. The job runs at a low rate for a
 * while; what all processes use then, and this one with its proxy and its store, grows with the
 * rate at the most.
 */
final class RateCalibration {
    private static final double SHARE_OF_CORES = 0.5;
    private static final FlightRate LOW = FlightRate.of(1_000);

    /** By then classes are loaded and the hot code is compiled. */
    private static final long FROM_SECONDS = 8;

    private static final long TO_SECONDS = 18;

    private final Stage stage;
    private final LocalCluster cluster;

    RateCalibration(Stage stage, LocalCluster cluster) {
        this.stage = stage;
        this.cluster = cluster;
    }

    /**
     * No more than the input has for as long as is measured.
     *
     * @throws IllegalStateException if the system does not tell how much CPU a process has used
     */
    FlightRate find() throws Exception {
        Path output = stage.plan().directory().resolve("result-calibration");
        FlightsRun run = new FlightsRun(stage.plan(), cluster, output);
        JobWatch watch =
                new JobWatch(stage, cluster, run.submit(LOW), "the pace", FlightCount.NONE);
        watch.awaitShare(LOW.in(FROM_SECONDS).shareOf(stage.total()), 0);
        Duration cpuBefore = cpu();
        FlightCount before = watch.reached();
        watch.awaitShare(LOW.in(TO_SECONDS).shareOf(stage.total()), 0);
        double cpuSeconds = cpu().minus(cpuBefore).toNanos() / 1e9;
        double secondsEach = cpuSeconds / (watch.reached().flights() - before.flights());
        watch.cancel();
        int cores = Runtime.getRuntime().availableProcessors();
        FlightRate rate =
                FlightRate.of(Math.max(1, (int) (SHARE_OF_CORES * cores / secondsEach)))
                        .atMost(MeasuredPassage.mostFlights(stage), stage.plan().measured());
        stage.progress()
                .say(
                        String.format(
                                Locale.ROOT,
                                "a flight takes %.2f ms of CPU: %s flights/s leave half of %d cores"
                                        + " idle",
                                secondsEach * 1e3,
                                rate,
                                cores));
        return rate;
    }

    private Duration cpu() {
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
