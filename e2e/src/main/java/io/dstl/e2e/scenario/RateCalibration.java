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
 * has no core left wait for records, and say nothing of the store. The job runs as fast as it goes
 * for a while, and what a flight costs then, in all processes and in this one with its proxy and
 * its store, is what it costs later.
 */
final class RateCalibration {
    static final double SHARE_OF_CORES = 0.5;

    /** Of the input: in the first part classes are loaded and code is compiled. */
    private static final double FROM = 0.05;

    private static final double TO = 0.2;

    private final Stage stage;
    private final LocalCluster cluster;

    RateCalibration(Stage stage, LocalCluster cluster) {
        this.stage = stage;
        this.cluster = cluster;
    }

    /**
     * @throws IllegalStateException if the system does not tell how much CPU a process has used
     */
    FlightRate find() throws Exception {
        Path output = stage.plan().directory().resolve("result-calibration");
        FlightsRun run = new FlightsRun(stage.plan(), cluster, output);
        JobWatch watch =
                new JobWatch(
                        stage,
                        cluster,
                        run.submit(FlightRate.UNLIMITED),
                        "how fast it goes",
                        FlightCount.NONE);
        watch.awaitShare(FROM, 0);
        Duration cpuBefore = cpu();
        FlightCount before = watch.reached();
        watch.awaitShare(TO, 0);
        Duration cpu = cpu().minus(cpuBefore);
        long flights = watch.reached().flights() - before.flights();
        watch.cancel();
        double secondsEach = cpu.toNanos() / 1e9 / flights;
        int cores = Runtime.getRuntime().availableProcessors();
        FlightRate rate = FlightRate.of(Math.max(1, (int) (SHARE_OF_CORES * cores / secondsEach)));
        stage.progress()
                .say(
                        String.format(
                                Locale.ROOT,
                                "a flight takes %.2f ms of CPU: %s flights/s keep half of %d cores"
                                        + " busy",
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
