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

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;

/** What can break as tasks become more, the key that helps, and what would help for good. */
enum ScaleLimit {
    LOCK(
            "the coordinator's lock is held for the whole second between two checkpoints",
            "the same; `execution.checkpointing.data-inline-threshold` lower, as the metadata are"
                    + " written under the lock",
            "Time under the lock: Flink writes `_metadata` while it holds the lock. Have the metadata"
                    + " written outside of it, and merge small files of a materialization into one"
                    + " object, so that a handle names one object and holds no bytes.",
            trend -> reaches(trend.of(ScaleFigures.LOCK), Constants.INTERVAL_MILLIS)),
    COMPLETION(
            "half of the checkpoints take a second from trigger to completion",
            "`execution.checkpointing.interval`",
            "Trigger to completion: two uploads one after the other, `_metadata` and the copy of the"
                    + " same handles for high availability. Store the handles once, and a pointer to"
                    + " them for high availability.",
            trend -> reaches(trend.of(ScaleFigures.COMPLETION_50), Constants.INTERVAL_MILLIS)),
    HEAP(
            "the JobManager's heap is full of handles",
            "`jobmanager.memory.process.size`",
            "Heap of the JobManager: a path for each object of each task. Let a handle have one base"
                    + " path, and short names below it.",
            trend ->
                    trend.last(ScaleFigures.HEAP_MAX).isEmpty()
                            ? Optional.empty()
                            : reaches(
                                    trend.of(ScaleFigures.HEAP),
                                    trend.last(ScaleFigures.HEAP_MAX).getAsDouble())),
    CPU(
            "the JobManager needs a whole core for a checkpoint a second",
            "cores for the JobManager; `execution.checkpointing.interval`;"
                    + " `state.changelog.periodic-materialize.interval` lower, as a handle then"
                    + " names fewer segments",
            "CPU of the JobManager: it reads and writes all handles at each checkpoint. Acknowledge"
                    + " what has changed since the last confirmed checkpoint.",
            trend -> reaches(trend.of(ScaleFigures.CPU_EACH), Constants.INTERVAL_MILLIS / 1e3)),
    DELETIONS(
            "more objects become unneeded per second than the JobManager deletes",
            "`jobmanager.io-pool.size`, but for dstl's segments and files",
            "Deletions by the JobManager: a HEAD and a DELETE for each object. Delete up to 1,000"
                    + " objects by one request.",
            trend ->
                    trend.last(ScaleFigures.DELETIONS).isEmpty()
                            ? Optional.empty()
                            : reaches(
                                    trend.deletions(),
                                    trend.last(ScaleFigures.DELETIONS).getAsDouble())),
    WRITES(
            "one prefix of S3 gets 3,500 writes a second",
            "`s3.entropy.key` in `execution.checkpointing.dir` and `dstl.dfs.base-path`",
            "Writes to one prefix: spread segments over prefixes by entropy, and merge the small"
                    + " files of a TaskManager's tasks.",
            trend -> reaches(trend.writes(), Constants.PREFIX_WRITES)),
    READS(
            "one prefix of S3 gets 5,500 reads a second",
            "the same",
            "Reads of one prefix: nearly all are the HEAD before a DELETE. Delete without asking.",
            trend -> reaches(trend.reads(), Constants.PREFIX_READS));

    final String title;
    final String key;
    final String proposal;
    private final Function<Trend, Optional<OptionalDouble>> tasks;

    ScaleLimit(
            String title,
            String key,
            String proposal,
            Function<Trend, Optional<OptionalDouble>> tasks) {
        this.title = title;
        this.key = key;
        this.proposal = proposal;
        this.tasks = tasks;
    }

    /**
     * The number of tasks at which it breaks: empty where that is not known, and where it never
     * does that within; 0 where it does with any number.
     */
    Optional<OptionalDouble> tasks(Trend trend) {
        return tasks.apply(trend);
    }

    private static Optional<OptionalDouble> reaches(Optional<Growth> growth, double limit) {
        return growth.map(line -> line.reaches(limit, Outlook.TASKS));
    }

    /** For one checkpoint a second. */
    static final class Constants {
        static final double INTERVAL_MILLIS = 1_000;

        /** Of PUT, COPY, POST and DELETE, per second, as S3 documents it. */
        static final double PREFIX_WRITES = 3_500;

        /** Of GET and HEAD, the same way. */
        static final double PREFIX_READS = 5_500;

        private Constants() {}
    }
}
