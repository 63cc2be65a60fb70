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
import io.dstl.bench.report.Quantity;
import io.dstl.bench.run.BenchReport;
import io.dstl.bench.run.Fault;
import io.dstl.bench.run.Variant;
import io.dstl.bench.run.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
    private static final int VALUE_BYTES = 200;

    /** Of the README, beside what the faults cost. */
    private static final Set<String> MAIN_FIGURES =
            Set.of(
                    "durationMillis.p50",
                    "durationMillis.p90",
                    "durationMillis.p99",
                    "durationMillis.p99.9",
                    "completionMillis.p50",
                    "completionMillis.p99",
                    "fullMegabytes.p99",
                    "logRequests.deletionsAside",
                    "recordsPerSecond",
                    "taskManagerCpu");

    @Option(names = "--keys", defaultValue = "1000000", description = "With a value of 200 B each.")
    private long keys;

    @Option(names = "--rate", defaultValue = "10000", description = "Updates per second.")
    private int rate;

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

    @Mixin private RunOptions options;

    @Override
    public Integer call() throws Exception {
        List<Fault> faults = new ArrayList<>();
        Fault.stall(stall).ifReal(faults::add);
        Fault.errors(errors).ifReal(faults::add);
        Workload workload =
                new Workload(WorkloadKind.VALUE, new Updates(keys, 0), rate, VALUE_BYTES);
        return options.run(
                options.plan().workload(workload).faults(faults), "storage-value", this::fill);
    }

    private void fill(BenchReport report) throws IOException {
        boolean heap = options.delegate() == Variant.Delegate.HASHMAP;
        String mark = options.mark("storage" + (heap ? " --backend hashmap" : ""));
        options.results().document(mark, report.markdown());
        if (!heap && options.usual()) {
            options.results().documentInReadme(mark, report.brief(StorageCommand::isMain));
        }
    }

    private static boolean isMain(Quantity quantity) {
        String key = quantity.key();
        return MAIN_FIGURES.contains(key)
                || key.endsWith(".restarts")
                || key.endsWith(".recoveryMillis");
    }
}
