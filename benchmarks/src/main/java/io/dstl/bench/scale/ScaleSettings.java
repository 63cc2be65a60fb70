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
package io.dstl.bench.scale;

import io.dstl.bench.job.JobArguments.WorkloadKind;
import io.dstl.bench.job.Updates;
import io.dstl.bench.run.Workload;
import java.util.List;
import java.util.Locale;

/** What the benchmark of scale has of its own beside the plan of all benchmarks. Immutable. */
public final class ScaleSettings {
    private static final int KEYS_PER_TASK = 1_000;
    private static final int VALUE_BYTES = 200;

    final List<Integer> real;
    final List<Integer> simulated;
    final int slots;
    final int rate;
    final int truncated;

    /**
     * @param real numbers of real tasks, each on one TaskManager; at least one
     * @param simulated numbers of simulated tasks
     * @param slots of a simulated TaskManager
     * @param rate updates per second of one real task
     * @param truncated objects that are given up at once
     */
    public ScaleSettings(
            List<Integer> real, List<Integer> simulated, int slots, int rate, int truncated) {
        if (real.isEmpty()) {
            throw new IllegalArgumentException(
                    "--real is empty: give one number or more, the simulated tasks take after them");
        }
        requirePositive("--real", real);
        requirePositive("--fleet", simulated);
        requirePositive("--slots", List.of(slots));
        requirePositive("--rate", List.of(rate));
        requirePositive("--truncate", List.of(truncated));
        this.real = List.copyOf(real);
        this.simulated = List.copyOf(simulated);
        this.slots = slots;
        this.rate = rate;
        this.truncated = truncated;
    }

    private static void requirePositive(String option, List<Integer> values) {
        for (int value : values) {
            if (value < 1) {
                throw new IllegalArgumentException(option + " has " + value + ": give 1 or more");
            }
        }
    }

    /** In the order to run. */
    List<ScaleSize> sizes() {
        return ScaleSize.all(real, simulated);
    }

    /** Slots of one TaskManager. */
    int slots(ScaleSize size) {
        return size.simulated ? slots : size.tasks;
    }

    /** TaskManagers that a size needs. */
    int taskManagers(ScaleSize size) {
        int each = slots(size);
        return (size.tasks + each - 1) / each;
    }

    Workload workload(ScaleSize size) {
        return new Workload(
                        WorkloadKind.VALUE,
                        new Updates((long) KEYS_PER_TASK * size.tasks, 0),
                        rate * size.tasks,
                        VALUE_BYTES)
                .tasks(size.tasks);
    }

    /** For the reader of the report. */
    String describe() {
        return String.format(
                Locale.ROOT,
                "%,d keys of %d B and %d updates/s for each task; the simulated ones refer to what"
                        + " the checkpoints of the %d real ones do",
                KEYS_PER_TASK,
                VALUE_BYTES,
                rate,
                real.get(0));
    }
}
