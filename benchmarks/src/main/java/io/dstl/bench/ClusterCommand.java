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

import io.dstl.bench.RunOptions.StateOptions;
import io.dstl.bench.job.JobArguments.WorkloadKind;
import io.dstl.bench.run.BenchPlan;
import io.dstl.bench.run.BenchReport;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of the benchmark of whole jobs. */
@Command(
        name = "cluster",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description =
                "Runs one job on RocksDB without a changelog (off), on Flink's own changelog (stock)"
                        + " and on ours (dstl), one after the other, on real processes and an S3"
                        + " store behind a proxy: how many records it processes, at what cost, and"
                        + " what its checkpoints take. Then kills the TaskManager, and in the end"
                        + " holds the state against what it must be. Writes a table, JSON and plots.")
final class ClusterCommand implements Callable<Integer> {
    @Option(
            names = "--workload",
            defaultValue = "value",
            description =
                    "What an update does. value: replace a value; rmw: read and replace it; map: put"
                            + " or remove an entry; list: add an element, sometimes clear; window:"
                            + " sliding windows of 10 s every second; session: windows with a gap of"
                            + " 2 s; sql: two top-1 ranks and their join.")
    private WorkloadKind kind;

    @Option(
            names = "--rate",
            defaultValue = "10000",
            description = "Updates per second; 0: as many as there can be.")
    private int rate;

    @Option(
            names = "--hot-key-share",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "Of the updates, from 0 to 1, that go to 1%% of the keys.")
    private double hotKeyShare;

    @Option(
            names = "--profile",
            description =
                    "After what is measured, record for as long again what the threads of the tasks"
                            + " with the state spend CPU on (async-profiler, Linux).")
    private boolean profile;

    @Mixin private StateOptions state;
    @Mixin private RunOptions options;

    @Override
    public Integer call() throws Exception {
        BenchPlan plan = options.plan().workload(state.workload(kind, rate, hotKeyShare)).kill();
        return profile
                ? options.run(
                        plan.profile(),
                        "profile-" + kind.label() + state.fileSuffix(),
                        this::fillProfile)
                : options.run(plan, "cluster-" + kind.label() + state.fileSuffix(), this::fill);
    }

    /** The profile is taken after what is measured, which is as without one. */
    private void fillProfile(BenchReport report) throws IOException {
        fill(report);
        options.results().document(mark(" --profile"), report.profile());
    }

    private void fill(BenchReport report) throws IOException {
        options.results().document(mark(""), report.measured());
    }

    private String mark(String option) {
        return options.mark("cluster --workload " + kind.label() + state.describe() + option);
    }
}
