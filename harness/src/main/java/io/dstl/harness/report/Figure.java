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
package io.dstl.harness.report;

import io.dstl.harness.rest.CheckpointStatistics;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import io.dstl.harness.rest.CheckpointStatistics.Distribution;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;

/** The figures of a checkpoint that the web UI sums up, under the names it gives them. */
public enum Figure {
    DURATION(
            "End to End Duration",
            "durationMillis",
            one -> one.duration,
            checkpoint -> checkpoint.duration.toMillis()) {
        @Override
        double tick(int number) {
            return Math.pow(10, number);
        }

        @Override
        public String format(double value) {
            return value < SECOND_MILLIS
                    ? String.format(Locale.ROOT, "%.0f ms", value)
                    : String.format(Locale.ROOT, "%.2f s", value / SECOND_MILLIS);
        }
    },
    CHECKPOINTED_SIZE(
            "Checkpointed Data Size",
            "checkpointedBytes",
            one -> one.checkpointedSize,
            one -> one.checkpointedSize) {
        @Override
        public String format(double value) {
            return bytes(value);
        }
    },
    FULL_SIZE("Full Checkpoint Data Size", "fullBytes", one -> one.fullSize, one -> one.fullSize) {
        @Override
        public String format(double value) {
            return bytes(value);
        }
    };

    private static final double SECOND_MILLIS = 1000;
    private static final double KIB = 1024;

    /** Decimals that say nothing, before the unit. */
    private static final Pattern ZEROS = Pattern.compile("\\.0+ ");

    private final String title;
    private final String key;
    private final Function<CheckpointStatistics, Distribution> summary;
    private final ToDoubleFunction<CompletedCheckpoint> value;

    Figure(
            String title,
            String key,
            Function<CheckpointStatistics, Distribution> summary,
            ToDoubleFunction<CompletedCheckpoint> value) {
        this.title = title;
        this.key = key;
        this.summary = summary;
        this.value = value;
    }

    /** As the web UI has it. */
    public String title() {
        return title;
    }

    /** Its name in the JSON report, with the unit. */
    public String key() {
        return key;
    }

    public Distribution summary(CheckpointStatistics statistics) {
        return summary.apply(statistics);
    }

    /** In milliseconds or bytes. */
    public double of(CompletedCheckpoint checkpoint) {
        return value.applyAsDouble(checkpoint);
    }

    /** For a reader, with the unit. */
    public abstract String format(double value);

    /**
     * Where an axis has a line: some factor of ten apart, and each a round figure in its unit.
     *
     * @param number from 0 on, ascending
     */
    double tick(int number) {
        return Math.pow(10, number % 3) * Math.pow(KIB, number / 3);
    }

    /** A {@link #tick}, for a reader. */
    final String formatTick(int number) {
        return ZEROS.matcher(format(tick(number))).replaceFirst(" ");
    }

    /** For a reader; a dash while Flink has no figure. */
    public String formatOrDash(double value) {
        return Double.isNaN(value) ? "–" : format(value);
    }

    private static String bytes(double value) {
        if (value < KIB) {
            return String.format(Locale.ROOT, "%.0f B", value);
        }
        if (value < KIB * KIB) {
            return String.format(Locale.ROOT, "%.1f KB", value / KIB);
        }
        return String.format(Locale.ROOT, "%.2f MB", value / KIB / KIB);
    }

    /** The percentiles that a report gives. */
    public enum Percentile {
        P50("p50", one -> one.p50),
        P90("p90", one -> one.p90),
        P99("p99", one -> one.p99),
        P999("p99.9", one -> one.p999);

        private final String title;
        private final ToDoubleFunction<Distribution> value;

        Percentile(String title, ToDoubleFunction<Distribution> value) {
            this.title = title;
            this.value = value;
        }

        public String title() {
            return title;
        }

        public double of(Distribution distribution) {
            return value.applyAsDouble(distribution);
        }
    }
}
