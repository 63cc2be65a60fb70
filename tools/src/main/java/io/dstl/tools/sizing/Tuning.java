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
package io.dstl.tools.sizing;

import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How the job is to be run: options of the changelog, and what was measured of it. */
final class Tuning {
    private static final int MOST_CORES = 10_000;

    @Option(
            names = "--materialize",
            paramLabel = "TIME",
            defaultValue = "10min",
            converter = Amount.ToDuration.class,
            description = "state.changelog.periodic-materialize.interval. Default: 10min.")
    Duration period;

    @Option(
            names = "--materialization-time",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = Amount.ToDuration.class,
            description =
                    "How long one takes, by the metric lastDurationOfMaterialization. Default: 5s.")
    Duration materialization;

    @Option(
            names = "--cores",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "Processors of a TaskManager: half of them, and at least one, materialize at a"
                            + " time. Default: 4.")
    int cores;

    @Option(
            names = "--log-size-factor",
            paramLabel = "N",
            defaultValue = "0.25",
            description = "state.changelog.materialize.log-size.factor. Default: 0.25.")
    double logSizeFactor;

    @Option(
            names = "--log-size-min",
            paramLabel = "SIZE",
            defaultValue = "4mb",
            converter = Amount.ToBytes.class,
            description = "state.changelog.materialize.log-size.min. Default: 4mb.")
    long logSizeMin;

    @Option(
            names = "--recovery-target",
            paramLabel = "TIME",
            converter = Amount.ToDuration.class,
            description =
                    "How long the replay of a task's log may take; it becomes"
                            + " state.changelog.materialize.recovery-target where that is needed."
                            + " Default: none.")
    Duration recoveryTarget;

    @Option(
            names = "--preemptive-persist-threshold",
            paramLabel = "SIZE",
            defaultValue = "5mb",
            converter = Amount.ToBytes.class,
            description = "Of state.changelog.dstl.dfs. Default: 5mb.")
    long preemptiveThreshold;

    @Option(
            names = "--batch-size",
            paramLabel = "SIZE",
            defaultValue = "10mb",
            converter = Amount.ToBytes.class,
            description = "state.changelog.dstl.dfs.batch.persist-size-threshold. Default: 10mb.")
    long batchSize;

    @Option(
            names = "--hedge-share",
            paramLabel = "N",
            defaultValue = "0.02",
            description = "state.changelog.dstl.dfs.upload.hedge.max-share. Default: 0.02.")
    double hedgeShare;

    @Mixin final ReplaySpeed replay = new ReplaySpeed();

    /** In seconds; M. */
    double periodSeconds() {
        return period.toMillis() / 1000.0;
    }

    /** In seconds; U. */
    double materializationSeconds() {
        return materialization.toMillis() / 1000.0;
    }

    /** Tasks of a TaskManager that materialize at a time. */
    int turns() {
        return Math.max(1, cores / 2);
    }

    /** What is wrong with it and how to put that right, in one line. */
    Optional<String> mistake(Duration interval) {
        if (period.compareTo(interval) < 0) {
            return Optional.of(
                    "--materialize is "
                            + Amount.configured(period)
                            + ": give --interval, "
                            + Amount.configured(interval)
                            + ", or more, as a materialization waits for a checkpoint");
        }
        if (cores < 1 || cores > MOST_CORES) {
            return Optional.of("--cores is " + cores + ": give 1 to " + MOST_CORES);
        }
        if (!(logSizeFactor >= 0) || logSizeFactor > 1e9) {
            return Optional.of(
                    "--log-size-factor is "
                            + logSizeFactor
                            + ": give 0, which turns it off, or more, up to 1e9");
        }
        if (recoveryTarget != null && recoveryTarget.isZero()) {
            return Optional.of("--recovery-target is 0: leave it out, or give a time such as 10s");
        }
        if (preemptiveThreshold < 1 || preemptiveThreshold > 1L << 30) {
            return Optional.of(
                    "--preemptive-persist-threshold is "
                            + preemptiveThreshold
                            + ": give 1 byte to 1gb");
        }
        if (!(hedgeShare >= 0 && hedgeShare <= 1)) {
            return Optional.of("--hedge-share is " + hedgeShare + ": give a share from 0 to 1");
        }
        return replay.mistake();
    }
}
