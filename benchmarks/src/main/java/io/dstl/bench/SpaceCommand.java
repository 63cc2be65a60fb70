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
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of the benchmark of space. */
@Command(
        name = "space",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description =
                "What a job keeps in the bucket, and what it pays to keep it small: full size of"
                        + " its checkpoints, bytes at rest, materializations, checkpoints and CPU"
                        + " beside them; without a changelog (off), with Flink's own (stock) and"
                        + " with ours (dstl), one after the other, as cluster does it.")
final class SpaceCommand implements Callable<Integer> {
    private static final double USUAL_MINUTES = 10;

    @Option(
            names = "--workload",
            defaultValue = "value",
            description = "What an update does; see cluster.")
    private WorkloadKind kind;

    @Option(
            names = "--rate",
            defaultValue = "20000",
            converter = RateOption.class,
            description = "Updates per second, or max.")
    private int rate;

    @Mixin private StateOptions state;
    @Mixin private RunOptions options;

    @Override
    public Integer call() throws Exception {
        Workload workload = state.workload(kind, rate, 0);
        String label = kind.label() + "-" + RateOption.label(rate);
        return options.run(
                options.usualMinutes(USUAL_MINUTES).plan().workload(workload).space(),
                "space-" + label + state.fileSuffix(),
                report ->
                        options.results()
                                .document(
                                        options.mark("space " + label + state.describe()),
                                        report.space()));
    }
}
