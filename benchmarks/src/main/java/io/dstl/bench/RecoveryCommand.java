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

import io.dstl.bench.RunOptions.RateOption;
import io.dstl.bench.RunOptions.StateOptions;
import io.dstl.bench.job.JobArguments.WorkloadKind;
import io.dstl.bench.run.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of the benchmark of restores. */
@Command(
        name = "recovery",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description =
                "Kills the TaskManager of a job when its log is oldest, just before a"
                        + " materialization, again and again, and takes the time until its tasks"
                        + " have their state back, and until the next checkpoint: without a"
                        + " changelog (off), with Flink's own (stock) and with ours (dstl), one"
                        + " after the other, as cluster does it. In the end holds the state against"
                        + " what it must be. --minutes has no effect.")
final class RecoveryCommand implements Callable<Integer> {
    @Option(
            names = "--workload",
            split = ",",
            defaultValue = "value",
            description =
                    "One after the other, of: value, rmw, map, list, window, session, timers, sql;"
                            + " see cluster. timers: each update sets a timer, none fires before"
                            + " the end.")
    private List<String> workloads;

    @Option(
            names = "--rate",
            split = ",",
            defaultValue = "10000",
            converter = RateOption.class,
            description = "Updates per second, or max; several: one after the other.")
    private List<Integer> rates;

    @Option(names = "--kills", defaultValue = "5", description = "Of each run.")
    private int kills;

    @Option(
            names = "--again",
            description =
                    "Kills the TaskManager once more after the first checkpoint after each kill:"
                            + " then its tasks have the logs of two attempts, unless one has"
                            + " materialized by then.")
    private boolean again;

    @Mixin private StateOptions state;
    @Mixin private RunOptions options;

    @Override
    public Integer call() throws Exception {
        RunOptions.requireAtLeast("--kills", kills, 1);
        List<WorkloadKind> kinds = kinds();
        if (options.named() && kinds.size() * rates.size() > 1) {
            throw new IllegalArgumentException(
                    "--name is one for the results of "
                            + kinds.size() * rates.size()
                            + " workloads and rates: leave it out, or give one of each");
        }
        int exit = 0;
        for (WorkloadKind kind : kinds) {
            for (int rate : rates) {
                exit = Math.max(exit, run(kind, rate));
            }
        }
        return exit;
    }

    private int run(WorkloadKind kind, int rate) throws Exception {
        String label = kind.label() + "-" + RateOption.label(rate);
        Workload workload = state.workload(kind, rate, 0);
        return options.run(
                options.in(label).plan().workload(workload).recovery(kills, again),
                "recovery-" + label + state.fileSuffix(),
                report ->
                        options.results()
                                .document(
                                        options.mark("recovery " + label + state.describe()),
                                        report.markdown()));
    }

    private List<WorkloadKind> kinds() {
        List<WorkloadKind> kinds = new ArrayList<>();
        for (String workload : workloads) {
            kinds.add(kind(workload));
        }
        return kinds;
    }

    private static WorkloadKind kind(String workload) {
        for (WorkloadKind kind : WorkloadKind.values()) {
            if (kind.label().equals(workload.toLowerCase(Locale.ROOT))) {
                return kind;
            }
        }
        throw new IllegalArgumentException(
                "--workload has '"
                        + workload
                        + "': give value, rmw, map, list, window, session, timers, sql");
    }
}
