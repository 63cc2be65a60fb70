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

import io.dstl.bench.job.Updates;
import io.dstl.bench.job.WorkloadKind;
import io.dstl.bench.run.Workload;
import picocli.CommandLine.Option;

/** How much state a job has, and who shares it. */
final class StateOptions {

    @Option(
            names = "--keys",
            defaultValue = "1000000",
            description =
                    "Of the state; give --warm-up the time in which the updates come to all of"
                            + " them.")
    private long keys;

    @Option(
            names = "--value-bytes",
            paramLabel = "BYTES",
            defaultValue = "200",
            description = "Of each value, entry or element; they do not compress.")
    private int valueBytes;

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            defaultValue = "2",
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
}
