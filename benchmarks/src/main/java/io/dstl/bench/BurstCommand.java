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
import io.dstl.bench.run.Fault;
import io.dstl.bench.run.Timing;
import io.dstl.bench.run.Workload;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of the burst: whether memory has an end while the store is down. */
@Command(
        name = "burst",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description =
                "Lets a job gather timers, and then takes its store away and moves its watermark past"
                        + " all of them at once, while timers in processing time go on. A TaskManager"
                        + " that runs out of heap exits. Says how many timers fired at once, and in"
                        + " the end holds the state against what it must be. --minutes and --warm-up"
                        + " have no effect: it takes as long as the timers do to be set.")
final class BurstCommand implements Callable<Integer> {
    @Option(names = "--timers", defaultValue = "5000000", description = "That fire at once.")
    private long timers;

    @Option(names = "--rate", defaultValue = "40000", description = "Timers set per second.")
    private int rate;

    @Option(names = "--keys", defaultValue = "200000", description = "That the timers are of.")
    private long keys;

    @Option(
            names = "--value-bytes",
            paramLabel = "BYTES",
            defaultValue = "100",
            description = "That a timer writes as it fires.")
    private int valueBytes;

    @Option(
            names = "--heap",
            paramLabel = "MB",
            defaultValue = "512",
            description = "Of the TaskManager's JVM.")
    private int heap;

    @Option(
            names = "--stall",
            paramLabel = "TIME",
            defaultValue = "2min",
            description = "No request is answered for that time as the timers fire.")
    private String stall;

    @Option(
            names = "--errors",
            paramLabel = "STATUS:SHARE:TIME",
            description = "In place of the stall, that share of requests gets that status.")
    private String errors;

    @Mixin private RunOptions options;

    @Override
    public Integer call() throws Exception {
        RunOptions.requireAtLeast("--timers", timers, 1);
        RunOptions.requireAtLeast("--rate", rate, 1);
        Workload workload =
                new Workload(WorkloadKind.TIMERS, new Updates(keys, 0), rate, valueBytes);
        Timing gathering = new Timing(Duration.ZERO, Duration.ofSeconds((timers - 1) / rate + 1));
        Fault outage = errors == null ? Fault.stall(stall) : Fault.errors(errors);
        return options.run(
                options.plan().workload(workload).timing(gathering).burst(outage, heap),
                "burst",
                report -> options.results().document(options.mark("burst"), report.markdown()));
    }
}
