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
package io.dstl.bench;

import io.dstl.bench.job.JobArguments.WorkloadKind;
import io.dstl.bench.job.Updates;
import io.dstl.bench.run.BenchPlan;
import io.dstl.bench.run.BenchReport;
import io.dstl.bench.run.Benchmark;
import io.dstl.bench.run.Timing;
import io.dstl.bench.run.Variant;
import io.dstl.bench.run.Workload;
import io.dstl.harness.progress.Instruments;
import io.dstl.harness.proxy.Latencies;
import io.dstl.harness.proxy.Latencies.Bandwidth;
import io.dstl.harness.store.S3Store;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * What the benchmarks on real processes have in common: which variants run for how long on which
 * store.
 */
final class RunOptions {
    static final int FAILED = 3;
    static final int UNFINISHED = 4;
    private static final double PERCENT = 100;

    @Option(
            names = "--variants",
            split = ",",
            defaultValue = "off,stock,dstl",
            description = "Of: ${COMPLETION-CANDIDATES}. forst: on Flink 2 only.")
    private List<Variant> variants;

    @Option(
            names = "--flink-version",
            paramLabel = "VERSION",
            description =
                    "A Flink that the jar runs on, such as 1.20.0 or 2.3.0, in place of the one that"
                            + " it is built with.")
    private Optional<String> flinkVersion;

    @Option(
            names = "--backend",
            defaultValue = "rocksdb",
            description = "state.backend.type of the cluster, of: ${COMPLETION-CANDIDATES}.")
    private Variant.Delegate delegate;

    @Option(
            names = "--minutes",
            description =
                    "That are measured, of each variant. By default 2; of space and scale 10.")
    private Double minutes;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Run all variants in turn so many times; figures are medians with the lowest"
                            + " and the highest.")
    private int repeat;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            defaultValue = "45",
            description = "Before that, not in the figures.")
    private int warmUp;

    private double usualMinutes = 2;
    private String folder = "";

    @Option(
            names = "--recovery-limit",
            paramLabel = "SECONDS",
            defaultValue = "120",
            description = "Without a checkpoint for so long, a part of a run is given up.")
    private int recoveryLimit;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "1s",
            description = "From one checkpoint's trigger to the next.")
    private String interval;

    @Option(
            names = "--materialize",
            paramLabel = "TIME",
            defaultValue = "60s",
            description = "From one materialization of a task to the next, with a changelog.")
    private String materialize;

    @Option(
            names = "--tolerable-failed-checkpoints",
            paramLabel = "N",
            defaultValue = "10",
            description = "execution.checkpointing.tolerable-failed-checkpoints of the cluster.")
    private int tolerable;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description =
                    "A setting of Flink or dstl that each cluster has besides, or in place of what"
                            + " it would have. May be repeated.")
    private Map<String, String> settings = new TreeMap<>();

    @Option(names = "--seed", defaultValue = "4", description = "Of latencies and errors.")
    private long seed;

    @Option(
            names = "--latency",
            paramLabel = "MS",
            defaultValue = "25",
            description =
                    "Median of a PUT or POST; GET, HEAD and DELETE take half. none: requests take"
                            + " as long as the store takes, slow PUTs included.")
    private String latency;

    @Option(names = "--sigma", defaultValue = "0.5", description = "Of the latency's logarithm.")
    private double sigma;

    @Option(
            names = "--bandwidth",
            paramLabel = "MB/s",
            defaultValue = "none",
            description =
                    "With which each GET is answered; S3's is 85 to 90. none: as fast as this"
                            + " machine can. Default: ${DEFAULT-VALUE}")
    private String bandwidth;

    @Option(
            names = "--slow-puts",
            paramLabel = "PERCENT",
            defaultValue = "1",
            description = "Of the PUTs take 2 s.")
    private double slowPuts;

    @Option(
            names = "--store",
            defaultValue = "auto",
            description = "auto, minio-container, minio (on the PATH) or embedded.")
    private S3Store.Kind store;

    @Mixin private BenchOptions options;

    /** For a command that measures longer than the others. */
    RunOptions usualMinutes(double usual) {
        usualMinutes = usual;
        return this;
    }

    /** For a command that runs several plans: where the files of the next ones go. */
    RunOptions in(String runFolder) {
        folder = runFolder;
        return this;
    }

    /** What holds the state of every variant. */
    Variant.Delegate delegate() {
        return delegate;
    }

    /** Whether all results would go to files of one name. */
    boolean named() {
        return options.named();
    }

    /** What is the same for all commands; the rest is the command's to add. */
    BenchPlan plan() {
        requireAtLeast("--recovery-limit", recoveryLimit, 1);
        requireAtLeast("--tolerable-failed-checkpoints", tolerable, 0);
        double measured = minutes == null ? usualMinutes : minutes;
        return new BenchPlan(options.paths().flinkVersion(flinkVersion).runIn(folder))
                .variants(variants)
                .delegate(delegate)
                .repetitions(repeat)
                .timing(
                        new Timing(
                                Duration.ofSeconds(warmUp),
                                Duration.ofSeconds(Math.round(measured * 60))))
                .recoveryLimit(Duration.ofSeconds(recoveryLimit))
                .rhythm(
                        Timing.parse("--interval", interval),
                        Timing.parse("--materialize", materialize))
                .store(store)
                .latencies(latencies(), seed)
                .bandwidth(bandwidth())
                .tolerableFailures(tolerable)
                .settings(settings)
                .origin(options.commit(), options.command());
    }

    /**
     * Runs the plan, writes the results, and returns the exit code.
     *
     * @param defaultName of the files
     * @param pages what goes into the documentation, where that is wanted
     */
    int run(BenchPlan plan, String defaultName, BenchOptions.Pages<BenchReport> pages)
            throws Exception {
        Instruments instruments = Instruments.printing(System.out);
        String name =
                defaultName
                        + flinkVersion.map(version -> "-flink-" + version).orElse("")
                        + describeSettings().replaceAll("[^\\w.]+", "-");
        BenchReport report = options.run(name, new Benchmark(plan, instruments)::run, pages);
        return report.complete() ? 0 : UNFINISHED;
    }

    /**
     * The line of docs/benchmarks.md that a table belongs below: each Flink version and each
     * combination of settings that is asked for has its own.
     *
     * @param command what makes the table
     */
    String mark(String command) {
        return "<!-- table: made by benchmarks/run.sh "
                + command
                + flinkVersion.map(version -> " --flink-version " + version).orElse("")
                + describeSettings()
                + " --docs -->\n";
    }

    private String describeSettings() {
        return settings.entrySet().stream()
                .map(setting -> " -D '" + setting + "'")
                .collect(Collectors.joining());
    }

    /** Whether it is what README.md has the figures of. */
    boolean usual() {
        return flinkVersion.isEmpty() && settings.isEmpty();
    }

    /** Where results go. */
    BenchOptions results() {
        return options;
    }

    /** Refuses a smaller number, by the name of its option. */
    static void requireAtLeast(String option, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(
                    option + " is " + value + ": give " + least + " or more");
        }
    }

    private Bandwidth bandwidth() {
        if (bandwidth.equals("none")) {
            return Bandwidth.unlimited();
        }
        try {
            return Bandwidth.of(Math.round(Double.parseDouble(bandwidth) * 1e6));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "--bandwidth is '" + bandwidth + "': give megabytes per second, or none", e);
        }
    }

    private Latencies.Settings latencies() {
        if (latency.equals("none")) {
            return Latencies.Settings.none();
        }
        double median;
        try {
            median = Double.parseDouble(latency);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "--latency is '" + latency + "': give milliseconds, or none", e);
        }
        try {
            return new Latencies.Settings(median, sigma, slowPuts / PERCENT, Duration.ofSeconds(2));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "--latency is %s, --sigma %s and --slow-puts %s: give 0 or more, 0 or"
                                    + " more, and 0 to 100",
                            latency,
                            sigma,
                            slowPuts),
                    e);
        }
    }

    /** How much state a job has, and who shares it. */
    static final class StateOptions {

        private static final String USUAL_KEYS = "1000000";
        private static final String USUAL_VALUE_BYTES = "200";
        private static final String USUAL_PARALLELISM = "2";

        @Option(
                names = "--keys",
                defaultValue = USUAL_KEYS,
                description =
                        "Of the state; give --warm-up the time in which the updates come to all of"
                                + " them.")
        private long keys;

        @Option(
                names = "--value-bytes",
                paramLabel = "BYTES",
                defaultValue = USUAL_VALUE_BYTES,
                description = "Of each value, entry or element; they do not compress.")
        private int valueBytes;

        @Option(
                names = "--parallelism",
                paramLabel = "N",
                defaultValue = USUAL_PARALLELISM,
                description = "Subtasks that share the state, on one TaskManager.")
        private int parallelism;

        /**
         * @param rate updates per second, as {@link RateOption} has it
         * @param hotKeyShare of the updates, from 0 to 1, that go to 1% of the keys
         */
        Workload workload(WorkloadKind kind, int rate, double hotKeyShare) {
            return new Workload(kind, new Updates(keys, hotKeyShare), rate, valueBytes)
                    .parallelism(parallelism);
        }

        /** The options that are not as usual, for the mark of a table. */
        String describe() {
            return option("--keys", USUAL_KEYS, keys)
                    + option("--value-bytes", USUAL_VALUE_BYTES, valueBytes)
                    + option("--parallelism", USUAL_PARALLELISM, parallelism);
        }

        private static String option(String name, String usual, long value) {
            return value == Long.parseLong(usual) ? "" : " " + name + " " + value;
        }

        /** The same, for the name of a file. */
        String fileSuffix() {
            return describe().replaceAll("[ -]+", "-");
        }
    }

    /** Reads how many updates there are per second: a number, or max. */
    static final class RateOption implements ITypeConverter<Integer> {
        static final String MAX = "max";

        /** As a workload has it: 0 is as many as there can be. */
        @Override
        public Integer convert(String value) {
            if (value.equalsIgnoreCase(MAX)) {
                return 0;
            }
            try {
                int rate = Integer.parseInt(value);
                if (rate > 0) {
                    return rate;
                }
            } catch (NumberFormatException e) {
                // Told below, as for a number that is none of updates.
            }
            throw new TypeConversionException(
                    "'" + value + "' is no rate: give updates per second, as in 10000, or max");
        }

        /** As it was given, for the names of files. */
        static String label(int rate) {
            return rate == 0 ? MAX : Integer.toString(rate);
        }
    }
}
