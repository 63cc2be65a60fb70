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
package io.dstl.tools.sizing;

import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What the job is: options of the command line that only its owner knows. */
final class Workload {
    /** Of a change in the log, beside key and value: its framing, and the namespace of none. */
    private static final int FRAME_BYTES = 8;

    private static final int MOST_TASKS = 1_000_000;
    private static final double LEAST_RATE = 1e-9;

    /** Far more than the memory of any machine takes. */
    private static final double MOST_BYTES_PER_SECOND = 1e12;

    @Option(
            names = "--tasks",
            required = true,
            paramLabel = "N",
            description =
                    "Subtasks of keyed operators: the sum of the parallelism of each of them.")
    private int tasks;

    @Option(
            names = "--task-managers",
            paramLabel = "N",
            defaultValue = "1",
            description = "TaskManagers, among which the tasks are spread evenly. Default: 1.")
    private int taskManagers;

    @Option(
            names = "--rate",
            required = true,
            paramLabel = "N",
            description = "Changes of keyed state per second, of the whole job.")
    private double rate;

    @Option(
            names = "--value-bytes",
            required = true,
            paramLabel = "SIZE",
            converter = Amount.ToBytes.class,
            description = "What the serializer writes for the value of a change.")
    private long valueBytes;

    @Option(
            names = "--key-bytes",
            paramLabel = "SIZE",
            defaultValue = "8",
            converter = Amount.ToBytes.class,
            description =
                    "What it writes for the key, for a map's key within it, and for a window (16)."
                            + " Default: 8, a long.")
    private long keyBytes;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = Amount.ToDuration.class,
            description = "execution.checkpointing.interval. Default: 1s.")
    private Duration interval;

    @Option(
            names = "--distinct-keys",
            paramLabel = "N",
            description =
                    "Keys of the whole job that are changed, each as often as the others. Changes"
                            + " that a later one of the same key makes void before they are stored"
                            + " are then left out. By default each change counts.")
    private Long distinctKeys;

    @Option(
            names = "--state-bytes",
            paramLabel = "SIZE",
            converter = Amount.ToBytes.class,
            description =
                    "Full Checkpoint Data Size of the job without a changelog. Default:"
                            + " --distinct-keys times the bytes of key and value. With neither, the"
                            + " state counts as so large that only the period materializes it.")
    private Long stateBytes;

    /** In the log, with its framing; B in the formulas. */
    double changeBytes() {
        return (double) keyBytes + valueBytes + FRAME_BYTES;
    }

    int tasks() {
        return tasks;
    }

    int taskManagers() {
        return taskManagers;
    }

    /** Of the TaskManager that has most; W. */
    int tasksOfTaskManager() {
        return (tasks + taskManagers - 1) / taskManagers;
    }

    /** Changes per second of a task. */
    double rateOfTask() {
        return rate / tasks;
    }

    /** In seconds; C. */
    double intervalSeconds() {
        return interval.toMillis() / 1000.0;
    }

    Duration interval() {
        return interval;
    }

    /** Of a task; empty if each change is of another key. */
    Optional<Double> keysOfTask() {
        return Optional.ofNullable(distinctKeys).map(keys -> (double) keys / tasks);
    }

    /** Of a task, materialized; S. Empty if it is not known. */
    Optional<Double> stateBytesOfTask() {
        if (stateBytes != null) {
            return Optional.of((double) stateBytes / tasks);
        }
        return keysOfTask().map(keys -> keys * (keyBytes + valueBytes));
    }

    /** What is wrong with it and how to put that right, in one line. */
    Optional<String> mistake() {
        if (tasks < 1 || tasks > MOST_TASKS) {
            return Optional.of(
                    "--tasks is " + tasks + ": give the keyed subtasks, 1 to " + MOST_TASKS);
        }
        if (taskManagers < 1 || taskManagers > tasks) {
            return Optional.of(
                    "--task-managers is "
                            + taskManagers
                            + ": give 1 to "
                            + tasks
                            + ", as --tasks says, for one without a task stores nothing");
        }
        if (!(rate >= LEAST_RATE)) {
            return Optional.of("--rate is " + rate + ": give changes per second, 1e-9 or more");
        }
        if (changeBytes() > Integer.MAX_VALUE) {
            return Optional.of(
                    "--value-bytes is "
                            + valueBytes
                            + " and --key-bytes "
                            + keyBytes
                            + ": a change has less than 2gb");
        }
        double bytesPerSecond = tasksOfTaskManager() * rateOfTask() * changeBytes();
        if (bytesPerSecond > MOST_BYTES_PER_SECOND) {
            return Optional.of(
                    "--rate is "
                            + rate
                            + ", which is "
                            + Amount.bytes(bytesPerSecond)
                            + " a second of a TaskManager: give changes per second, more"
                            + " --task-managers, or a smaller --value-bytes, so that it is at most "
                            + Amount.bytes(MOST_BYTES_PER_SECOND));
        }
        if (interval.isZero()) {
            return Optional.of("--interval is 0: give the time between checkpoints, such as 1s");
        }
        if (distinctKeys != null && distinctKeys < 1) {
            return Optional.of("--distinct-keys is " + distinctKeys + ": give 1 or more");
        }
        return Optional.empty();
    }
}
