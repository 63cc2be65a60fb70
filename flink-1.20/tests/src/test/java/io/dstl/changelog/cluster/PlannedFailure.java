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
package io.dstl.changelog.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.changelog.testing.KeyedTask;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Fails a job once, at a checkpoint of a materialization and a log in each subtask, which is the
 * one that it is restored from, and ends it when it has gone on for a while. The job's parts find
 * it by name, since they are serialized on their way.
 */
public class PlannedFailure implements AutoCloseable {
    /** Of the job. */
    public static final int PARALLELISM = 2;

    private static final Map<String, PlannedFailure> BY_NAME = new ConcurrentHashMap<>();

    /** The last of so many, as one that has just been materialized is an easy case. */
    private static final int CHECKPOINTS_BEFORE = 4;

    /** By which the job is seen to work again. */
    private static final int CHECKPOINTS_AFTER = 4;

    private final Path checkpoints;

    @GuardedBy("this")
    private int before;

    @GuardedBy("this")
    private int after;

    @GuardedBy("this")
    private boolean failed;

    @GuardedBy("this")
    private long restoredFrom;

    PlannedFailure(Path checkpoints) {
        this.checkpoints = checkpoints;
    }

    /**
     * @param checkpoints of the job
     */
    public static PlannedFailure of(Path checkpoints) {
        return findable(new PlannedFailure(checkpoints));
    }

    /**
     * Of the job: two slots, a checkpoint every 100 ms and a restart at once, with a changelog.
     *
     * @param materialization how often state is materialized
     */
    public final StreamExecutionEnvironment environment(String delegate, Duration materialization) {
        Configuration configuration = job(delegate, checkpoints, materialization);
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(PARALLELISM);
        environment.enableCheckpointing(100);
        return environment;
    }

    /**
     * Of a job with a changelog that restarts once, at once.
     *
     * @param materialization how often state is materialized
     */
    static Configuration job(String delegate, Path checkpoints, Duration materialization) {
        Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, delegate);
        // A column family for each of many states: each would take 8 MB at its first value.
        configuration.setString("state.backend.rocksdb.writebuffer.size", "1 mb");
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
        configuration.set(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD, MemorySize.ZERO);
        configuration.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, true);
        configuration.set(StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL, materialization);
        // A slow machine may fail some.
        configuration.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 10);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ZERO);
        return configuration;
    }

    /** A cluster for the job, which keeps its log below this directory. */
    public static Configuration cluster(Path log) {
        Configuration configuration = KeyedTask.logIn(log);
        configuration.set(StateChangelogOptions.STATE_CHANGE_LOG_STORAGE, "filesystem");
        return configuration;
    }

    static <F extends PlannedFailure> F findable(F failure) {
        BY_NAME.put(failure.name(), failure);
        return failure;
    }

    static PlannedFailure named(String name) {
        return BY_NAME.get(name);
    }

    public final String name() {
        return checkpoints.toString();
    }

    /**
     * Called before the source takes part in a later checkpoint.
     *
     * @throws IllegalStateException if it is time for the failure
     */
    final synchronized void checkpointCompleted(long id) throws IOException {
        if (failed) {
            after++;
            return;
        }
        before += hasBothParts(id) ? 1 : 0;
        if (before == CHECKPOINTS_BEFORE) {
            failed = true;
            throw new IllegalStateException("The failure that the test asks for");
        }
    }

    private boolean hasBothParts(long id) throws IOException {
        Path metadata = checkpoints.resolve(job()).resolve("chk-" + id).resolve("_metadata");
        List<ChangelogStateBackendHandle> subtasks;
        try (DataInputStream in = new DataInputStream(Files.newInputStream(metadata))) {
            String checkpoint = metadata.getParent().toUri().toString();
            subtasks = keyed(Checkpoints.loadCheckpointMetadata(in, loader(), checkpoint));
        }
        return !subtasks.isEmpty()
                && subtasks.stream().allMatch(CheckpointParts::isMaterialized)
                && subtasks.stream().allMatch(CheckpointParts::isLogged);
    }

    /** The only job's directory. */
    private Path job() throws IOException {
        try (Stream<Path> jobs = Files.list(checkpoints)) {
            return jobs.collect(Collectors.toList()).get(0);
        }
    }

    private static ClassLoader loader() {
        return PlannedFailure.class.getClassLoader();
    }

    private static List<ChangelogStateBackendHandle> keyed(CheckpointMetadata metadata) {
        return metadata.getOperatorStates().stream()
                .flatMap(operator -> operator.getStates().stream())
                .flatMap(subtask -> subtask.getManagedKeyedState().stream())
                .map(ChangelogStateBackendHandle.class::cast)
                .collect(Collectors.toList());
    }

    /**
     * The source goes on from what a checkpoint has.
     *
     * @throws IllegalStateException if the job has failed by itself
     */
    final synchronized void restored(long number) {
        if (!failed) {
            throw new IllegalStateException("Restored before it was to fail");
        }
        restoredFrom = number;
        notifyAll();
    }

    /** Of the source's state, which is an operator's, there is no copy on the local disk. */
    final synchronized void awaitSourceRestored() throws InterruptedException {
        while (restoredFrom == 0) {
            wait();
        }
    }

    final synchronized boolean hasFailed() {
        return failed;
    }

    /** The number that the source went on with; 0 if it has not failed. */
    public final synchronized long restoredFrom() {
        return restoredFrom;
    }

    final synchronized boolean isOver() {
        return after >= CHECKPOINTS_AFTER;
    }

    @Override
    public final void close() {
        BY_NAME.remove(name());
    }
}
