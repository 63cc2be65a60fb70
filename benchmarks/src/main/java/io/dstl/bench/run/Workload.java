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
package io.dstl.bench.run;

import io.dstl.bench.job.JobArguments;
import io.dstl.bench.job.JobArguments.WorkloadKind;
import io.dstl.bench.job.Updates;
import java.nio.file.Path;
import java.util.Locale;

/** What the job does, and how much of it. */
public final class Workload {
    /** Of the state, where nothing else is asked for. */
    public static final int PARALLELISM = Updates.SPLITS;

    /** Key groups that Flink makes by default for so few subtasks. */
    private static final int MAX_PARALLELISM = 128;

    private static final int MOST_TASKS = 10_000;

    private final WorkloadKind kind;
    private final Updates updates;
    private final int rate;
    private final int valueBytes;
    private final int parallelism;

    /**
     * @param updates which keys there are
     * @param rate updates per second, over all subtasks; 0: as many as there can be
     * @param valueBytes of each value, entry or element; windows have counts instead
     */
    public Workload(WorkloadKind kind, Updates updates, int rate, int valueBytes) {
        this(kind, updates, rate, valueBytes, PARALLELISM);
    }

    private Workload(
            WorkloadKind kind, Updates updates, int rate, int valueBytes, int parallelism) {
        this.kind = kind;
        this.updates = updates;
        this.rate = rate;
        this.valueBytes = valueBytes;
        this.parallelism = parallelism;
        job(Path.of(""));
    }

    /** The same, with so many subtasks that share the state. */
    public Workload parallelism(int subtasks) {
        if (subtasks < 1 || subtasks > MAX_PARALLELISM) {
            throw new IllegalArgumentException(
                    "--parallelism is " + subtasks + ": give 1 to " + MAX_PARALLELISM);
        }
        return new Workload(kind, updates, rate, valueBytes, subtasks);
    }

    /**
     * The same, with so many that several TaskManagers share them, or one with many slots.
     *
     * @throws IllegalArgumentException unless they are 1 to 10,000
     */
    public Workload tasks(int subtasks) {
        if (subtasks < 1 || subtasks > MOST_TASKS) {
            throw new IllegalArgumentException(
                    "the number of tasks is " + subtasks + ": give 1 to " + MOST_TASKS);
        }
        return new Workload(kind, updates, rate, valueBytes, subtasks);
    }

    /** Subtasks that share the state. */
    int parallelism() {
        return parallelism;
    }

    /** Of the TaskManager: one for each subtask of the state, and of the source. */
    int slots() {
        return Math.max(parallelism, Updates.SPLITS);
    }

    /**
     * What the job is told.
     *
     * @param results the directory where it writes down its totals
     */
    JobArguments job(Path results) {
        return new JobArguments(kind, updates, rate, valueBytes, results.toString());
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s%s, %,d keys, %s, %sparallelism %d",
                kind.label(),
                kind.windowed() ? "" : ", " + valueBytes + " B each",
                updates.keys(),
                rate == 0
                        ? "as many updates as there can be"
                        : String.format(Locale.ROOT, "%,d updates/s", rate),
                updates.hotShare() == 0
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                "%.0f%% of them to 1%% of the keys, ",
                                updates.hotShare() * 100),
                parallelism);
    }
}
