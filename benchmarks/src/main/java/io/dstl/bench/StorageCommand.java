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

import io.dstl.bench.proxy.Latencies;
import io.dstl.bench.run.BenchPaths;
import io.dstl.bench.run.BenchPlan;
import io.dstl.bench.run.BenchReport;
import io.dstl.bench.run.Benchmark;
import io.dstl.bench.run.Fault;
import io.dstl.bench.run.Instruments;
import io.dstl.bench.run.Timing;
import io.dstl.bench.run.Variant;
import io.dstl.e2e.progress.PlainProgress;
import io.dstl.e2e.report.ReadmeTable;
import io.dstl.e2e.store.StoreKind;
import io.dstl.e2e.wait.SystemTime;
import io.dstl.e2e.wait.Time;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of the storage benchmark. */
@Command(
        name = "storage",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description =
                "Runs one job on RocksDB without a changelog (off), on Flink's own changelog (stock)"
                        + " and on ours (dstl), one after the other, on real processes and an S3"
                        + " store behind a proxy that makes requests slow; then lets the store stall"
                        + " and fail. Writes a table, JSON and plots.")
final class StorageCommand implements Callable<Integer> {
    static final int FAILED = 3;
    static final int UNFINISHED = 4;
    private static final String MARK = "<!-- table: made by benchmarks/run.sh storage --docs -->\n";
    private static final double PERCENT = 100;

    @Option(
            names = "--variants",
            split = ",",
            defaultValue = "off,stock,dstl",
            description = "Of: ${COMPLETION-CANDIDATES}.")
    private List<Variant> variants;

    @Option(
            names = "--workload",
            defaultValue = "value",
            description = "The job. There is one: value, updates of a ValueState.")
    private String workload;

    @Option(names = "--keys", defaultValue = "1000000", description = "With a value of 200 B each.")
    private long keys;

    @Option(names = "--rate", defaultValue = "10000", description = "Updates per second.")
    private int rate;

    @Option(
            names = "--minutes",
            defaultValue = "2",
            description = "That are measured, of each variant.")
    private double minutes;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Run all variants in turn so many times; figures are medians with the lowest"
                            + " and the highest.")
    private int repeat;

    @Option(
            names = "--recovery-limit",
            paramLabel = "SECONDS",
            defaultValue = "120",
            description = "Without a checkpoint for so long, a part of a run is given up.")
    private int recoveryLimit;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            defaultValue = "45",
            description = "Before that, not in the figures.")
    private int warmUp;

    @Option(
            names = "--stall",
            paramLabel = "TIME",
            defaultValue = "15s",
            description = "After what is measured, no request is answered for that time; 0s: none.")
    private String stall;

    @Option(
            names = "--errors",
            paramLabel = "STATUS:SHARE:TIME",
            defaultValue = "503:30%:30s",
            description = "Then that share of requests gets that status for that time; 0s: none.")
    private String errors;

    @Option(
            names = "--tolerable-failed-checkpoints",
            paramLabel = "N",
            defaultValue = "10",
            description = "execution.checkpointing.tolerable-failed-checkpoints of the cluster.")
    private int tolerable;

    @Option(names = "--seed", defaultValue = "4", description = "Of latencies and errors.")
    private long seed;

    @Option(
            names = "--latency",
            paramLabel = "MS",
            defaultValue = "25",
            description = "Median of a PUT or POST; GET, HEAD and DELETE take half.")
    private double latency;

    @Option(names = "--sigma", defaultValue = "0.5", description = "Of the latency's logarithm.")
    private double sigma;

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
    private StoreKind store;

    @Option(
            names = "--name",
            description = "Of the files with the results; by default storage-<workload>.")
    private String name;

    @Option(names = "--docs", description = "Put the table into docs/benchmarks.md.")
    private boolean docs;

    @Option(names = "--commit", hidden = true, defaultValue = "unknown")
    private String commit;

    @Option(names = "--command", hidden = true, defaultValue = "benchmarks/run.sh storage")
    private String command;

    @Option(names = "--project", hidden = true, required = true)
    private Path project;

    @Option(names = "--run-dir", hidden = true, required = true)
    private Path runDirectory;

    @Override
    public Integer call() throws Exception {
        if (!workload.equals("value")) {
            throw new IllegalArgumentException(
                    "--workload is '" + workload + "': there is only 'value'");
        }
        PrintStream out = System.out;
        Time time = new SystemTime();
        Instruments instruments = new Instruments(time, new PlainProgress(out, time));
        Path results = project.toAbsolutePath().resolve("benchmarks/results");
        String title = name == null ? "storage-" + workload : name;
        BenchReport report;
        try (StopAtExit stop = StopAtExit.open()) {
            report = new Benchmark(plan(), instruments).run(soFar -> soFar.write(results, title));
        }
        if (docs) {
            ReadmeTable.replace(project.resolve("docs/benchmarks.md"), MARK, report.markdown());
        }
        out.println();
        out.println(report.markdown());
        out.println("in " + results.resolve(title + ".md"));
        return report.complete() ? 0 : UNFINISHED;
    }

    private BenchPlan plan() {
        Path javaHome = Path.of(System.getProperty("java.home"));
        List<Fault> faults = new ArrayList<>();
        Fault.stall(stall).ifReal(faults::add);
        Fault.errors(errors).ifReal(faults::add);
        return new BenchPlan(
                        new BenchPaths(
                                project.toAbsolutePath().normalize(),
                                runDirectory.toAbsolutePath().normalize(),
                                javaHome))
                .variants(variants)
                .load(keys, rate)
                .timing(
                        new Timing(
                                Duration.ofSeconds(warmUp),
                                Duration.ofSeconds(Math.round(minutes * 60))))
                .repetitions(repeat)
                .recoveryLimit(Duration.ofSeconds(recoveryLimit))
                .faults(faults)
                .store(store)
                .latencies(
                        new Latencies.Settings(
                                latency, sigma, slowPuts / PERCENT, Duration.ofSeconds(2)),
                        seed)
                .tolerableFailures(tolerable)
                .origin(commit, command);
    }
}
