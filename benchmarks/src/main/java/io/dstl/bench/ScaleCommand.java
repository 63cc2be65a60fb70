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

import io.dstl.bench.run.Variant;
import io.dstl.bench.scale.ScaleBenchmark;
import io.dstl.bench.scale.ScaleReport;
import io.dstl.bench.scale.ScaleSettings;
import io.dstl.harness.progress.Instruments;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of the benchmark of scale. */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description =
                "What one JobManager and its store have to bear: real tasks on one TaskManager, then"
                        + " a fleet of simulated TaskManagers, which acknowledge over RPC what the"
                        + " real ones did; without a changelog (off), with Flink's own (stock) and"
                        + " with ours (dstl), one after the other. Each simulated run ends with a"
                        + " truncation of many objects at once. Writes tables and JSON.")
final class ScaleCommand implements Callable<Integer> {
    private static final double USUAL_MINUTES = 10;
    private static final String MARK = "scale";
    private static final String PAGE = "scale.md";

    @Option(
            names = "--real",
            split = ",",
            paramLabel = "TASKS",
            defaultValue = "64,256",
            description = "Real tasks, of one run each; the simulated ones take after the first.")
    private List<Integer> real;

    @Option(
            names = "--fleet",
            split = ",",
            paramLabel = "TASKS",
            defaultValue = "100,300,1000",
            description = "Simulated tasks, of one run each.")
    private List<Integer> simulated;

    @Option(
            names = "--slots",
            paramLabel = "N",
            defaultValue = "64",
            description = "Of a simulated TaskManager.")
    private int slots;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "20",
            description = "Updates per second of one real task.")
    private int rate;

    @Option(
            names = "--truncate",
            paramLabel = "OBJECTS",
            defaultValue = "10000",
            description = "That a fleet gives up at once.")
    private int truncated;

    @Mixin private RunOptions options;

    @Override
    public Integer call() throws Exception {
        if (options.delegate() != Variant.Delegate.ROCKSDB) {
            throw new IllegalArgumentException(
                    "--backend is "
                            + options.delegate().label()
                            + ": leave it out, the simulated tasks take after RocksDB's files");
        }
        ScaleSettings settings =
                new ScaleSettings(
                        List.copyOf(real), List.copyOf(simulated), slots, rate, truncated);
        ScaleReport report =
                options.results()
                        .run(
                                MARK,
                                new ScaleBenchmark(
                                                options.usualMinutes(USUAL_MINUTES).plan(),
                                                settings,
                                                Instruments.printing(System.out))
                                        ::run,
                                this::document);
        return report.complete() ? 0 : RunOptions.UNFINISHED;
    }

    private void document(ScaleReport report) throws IOException {
        options.results().document(options.mark(MARK), report.markdown());
        options.results().documentIn(PAGE, options.mark(MARK), report.outlook());
    }
}
