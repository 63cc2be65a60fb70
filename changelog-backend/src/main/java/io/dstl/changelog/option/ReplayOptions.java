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
package io.dstl.changelog.option;

import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.fs.option.DstlOptions;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.execution.Environment;

/** The options of the replay of a log, for which Flink has none. */
public final class ReplayOptions {
    public static final ConfigOption<Boolean> BULK_ENABLED =
            ConfigOptions.key("state.changelog.replay.bulk.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether a restore writes only the last change of each key to RocksDB,"
                                    + " many at a time, as the bytes that the log has. Default:"
                                    + " true. Otherwise each change is replayed through its state,"
                                    + " which takes several times the CPU and no memory. States"
                                    + " that bytes can't be written to, those on the heap among"
                                    + " them, are replayed that way in any case.");

    public static final ConfigOption<MemorySize> BULK_MAX_MEMORY =
            ConfigOptions.key("state.changelog.replay.bulk.max-memory")
                    .memoryType()
                    .defaultValue(MemorySize.parse("128mb"))
                    .withDescription(
                            "Heap of a task for changes not yet written, while it is restored;"
                                    + " half as much again for moments, and 4 MB per thread."
                                    + " Default: 128 MB. Higher: fewer writes, as a change is left"
                                    + " out if a later one of its key comes while both are there."
                                    + " All restores share a quarter of the TaskManager's heap, in"
                                    + " equal parts if they begin together. Each is sure of 5 MB,"
                                    + " from another quarter. When that is used up, further tasks"
                                    + " replay one by one.");

    public static final ConfigOption<Boolean> BACKGROUND_ENABLED =
            ConfigOptions.key("state.changelog.replay.background.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether a task runs while the rest of its log is replayed. Default:"
                                    + " true. The first use of its state waits for the replay: a"
                                    + " record, a savepoint, a full checkpoint, a new or changed"
                                    + " state. Other checkpoints complete after it. With RocksDB"
                                    + " only, and with at most 16 logs that begin with the same"
                                    + " states. A log that can't be read fails a running task."
                                    + " false: INITIALIZING until all is replayed.");

    public static final ConfigOption<Boolean> WARM_UP_ENABLED =
            ConfigOptions.key("state.changelog.replay.warm-up.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether a TaskManager that has just started loads RocksDB's library"
                                    + " and the classes of a job, and replays small logs of its own"
                                    + " making, so that the JVM has compiled what a restore runs."
                                    + " Default: true. Takes 3 to 5 seconds of two cores once, from 3"
                                    + " seconds after its start on, and ends when the first job"
                                    + " comes. Saves about as much of the first restore as loading"
                                    + " and compiling take. Done only where the configuration file in"
                                    + " FLINK_CONF_DIR enables the changelog and has RocksDB as the"
                                    + " state backend.");

    /** All of them. */
    public static final List<ConfigOption<?>> ALL =
            List.of(BULK_ENABLED, BULK_MAX_MEMORY, BACKGROUND_ENABLED, WARM_UP_ENABLED);

    /** Bytes of a log that a task replays in a second, before any is measured: a cautious guess. */
    private static final double USUAL_RATE = 20e6;

    /** The least that one thread needs for a table. */
    private static final long LEAST_BYTES = 1 << 20;

    private ReplayOptions() {}

    /**
     * Whether a TaskManager prepares for the restore of a log into RocksDB.
     *
     * @param cluster the configuration of the TaskManager; no job is known yet
     */
    public static boolean warmsUp(Configuration cluster) {
        String backend = cluster.get(StateBackendOptions.STATE_BACKEND);
        return cluster.get(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG)
                && cluster.get(WARM_UP_ENABLED)
                && cluster.get(BULK_ENABLED)
                && DelegateSupport.get().isNamed(backend);
    }

    /** The settings of the job or, if it has none, of the cluster. */
    public static BulkSettings bulk(Environment env) {
        Configuration cluster = env.getTaskManagerInfo().getConfiguration();
        // The job has the slots that its client's file names, which may be any.
        int slots = Math.max(1, cluster.get(TaskManagerOptions.NUM_TASK_SLOTS));
        return bulk(options(env), Runtime.getRuntime().availableProcessors() / slots);
    }

    /** Whether a task may run before its log is replayed: set for the job, or else the cluster. */
    public static boolean isInBackground(Environment env) {
        return options(env).get(BACKGROUND_ENABLED);
    }

    /**
     * The longest log that is replayed beside a task. A checkpoint waits for that, and the job
     * restarts if it expires: so half of its timeout has to do, or a tenth before a full
     * checkpoint, which uploads the whole state after the replay.
     *
     * @param timeout of a checkpoint
     * @param bytesPerSecond the rate at which logs are replayed here, if it is known
     * @param beforeFull whether the first checkpoint may be a full one
     */
    public static long longestInBackground(
            Duration timeout, OptionalDouble bytesPerSecond, boolean beforeFull) {
        double seconds = timeout.toMillis() / 1e3;
        return (long) (bytesPerSecond.orElse(USUAL_RATE) * seconds / (beforeFull ? 10 : 2));
    }

    /** Whether segments are compressed, by what the cluster does now, not when it wrote them. */
    public static boolean isLogCompressed(Environment env) {
        return env.getTaskManagerInfo().getConfiguration().get(DstlOptions.COMPRESSION_ENABLED);
    }

    /**
     * After which the JobManager aborts a checkpoint. The job has it from its client: what this
     * TaskManager's configuration says does not count.
     */
    public static Duration checkpointTimeout(Environment env) {
        return env.getJobConfiguration().get(CheckpointingOptions.CHECKPOINTING_TIMEOUT);
    }

    private static Configuration options(Environment env) {
        Configuration options = new Configuration(env.getTaskManagerInfo().getConfiguration());
        options.addAll(env.getJobConfiguration());
        return options;
    }

    /**
     * @param processors of a slot
     */
    static BulkSettings bulk(Configuration options, int processors) {
        if (!options.get(BULK_ENABLED)) {
            return BulkSettings.off();
        }
        return BulkSettings.of(
                Math.max(1, processors),
                Math.max(LEAST_BYTES, options.get(BULK_MAX_MEMORY).getBytes()));
    }
}
