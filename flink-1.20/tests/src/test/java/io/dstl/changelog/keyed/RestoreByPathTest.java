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
package io.dstl.changelog.keyed;

import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.FlinkMembers;
import io.dstl.changelog.testing.KeyedTask;
import io.dstl.testkit.ManualMailbox;
import java.io.DataInputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.checkpoint.filemerging.FileMergingSnapshotManager;
import org.apache.flink.runtime.checkpoint.filemerging.FileMergingSnapshotManagerBuilder;
import org.apache.flink.runtime.checkpoint.filemerging.FileMergingType;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.filemerging.EmptyFileMergingOperatorStreamStateHandle;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;
import org.apache.flink.runtime.state.filesystem.FsMergingCheckpointStorageLocation;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A job is started, in CLAIM or LEGACY mode, from a checkpoint or native savepoint that was taken
 * without a changelog, and its own checkpoint, which still refers to those files, is restored by
 * its path: all that is known of it then is its metadata, read from its own directory. Or the job's
 * TaskManagers were restarted with the changelog turned on.
 */
class RestoreByPathTest {
    private static final int KEYS = 40;
    private static final ValueStateDescriptor<String> VALUE =
            new ValueStateDescriptor<>("value", STRINGS);

    @TempDir Path directory;

    private final JobID job = new JobID();
    private JobID before = new JobID();
    private final OperatorID operator = new OperatorID();
    private final ManualPolicy policy = new ManualPolicy();
    private StateChangelogStorage<?> storage;
    private SharedStateRegistry registry = new SharedStateRegistryImpl();

    @BeforeEach
    void openStorage() throws Exception {
        storage = KeyedTask.logStorage(job, KeyedTask.logIn(directory.resolve("log")));
    }

    @AfterEach
    void closeStorage() throws Exception {
        storage.close();
        registry.close();
    }

    /** What the job is started from. */
    enum Start {
        CHECKPOINT,
        NATIVE_SAVEPOINT,
        /** One that the job took itself, before its TaskManagers were restarted. */
        OWN_CHECKPOINT,
        /** The same, but RocksDB's metadata is so small that it is part of the checkpoint's. */
        OWN_CHECKPOINT_WITH_SMALL_METADATA,
        /** A checkpoint with {@code execution.checkpointing.file-merging.enabled}. */
        MERGED_FILES
    }

    @ParameterizedTest
    @CsvSource({
        "ROCKSDB, CHECKPOINT, false",
        "ROCKSDB, NATIVE_SAVEPOINT, false",
        "ROCKSDB, NATIVE_SAVEPOINT, true",
        "ROCKSDB, MERGED_FILES, false",
        "ROCKSDB, OWN_CHECKPOINT, false",
        "ROCKSDB, OWN_CHECKPOINT_WITH_SMALL_METADATA, false",
        "HEAP, CHECKPOINT, false",
        "HEAP, OWN_CHECKPOINT, false",
        "HEAP, NATIVE_SAVEPOINT, false",
        "HEAP, MERGED_FILES, false",
    })
    void aCheckpointOnFilesFromBeforeTheChangelog(Delegate kind, Start from, boolean materialized)
            throws Exception {
        StateBackend delegate = kind.backend(directory);
        boolean isOwn =
                from == Start.OWN_CHECKPOINT || from == Start.OWN_CHECKPOINT_WITH_SMALL_METADATA;
        if (isOwn) {
            before = job;
        }
        KeyedStateHandle early = withoutChangelog(kind, from);

        AbstractKeyedStateBackend<Integer> task = start(delegate, early);
        put(task, 1, KEYS / 2, "later");
        if (materialized) {
            policy.materialize();
            put(task, 1, 1, "last");
        }
        Map<Integer, String> expected = read(task);
        KeyedStateHandle own =
                end(task, 2, CheckpointType.CHECKPOINT, streams(2, directory.resolve("shared")));
        if (isOwn) {
            early.discardState();
        }
        AbstractKeyedStateBackend<Integer> restored = start(delegate, own);

        assertThat(read(restored)).isEqualTo(expected);
        restored.close();
        restored.dispose();
    }

    private KeyedStateHandle withoutChangelog(Delegate kind, Start from) throws Exception {
        AbstractKeyedStateBackend<Integer> plain = kind.create(directory, INTS);
        put(plain, 1, KEYS, "early");
        switch (from) {
            case NATIVE_SAVEPOINT:
                return end(
                        plain,
                        1,
                        SavepointType.savepoint(SavepointFormatType.NATIVE),
                        streams(1, directoryOf(1)));
            case OWN_CHECKPOINT_WITH_SMALL_METADATA:
                return end(
                        plain,
                        1,
                        CheckpointType.CHECKPOINT,
                        streams(1, directoryOf(1).resolveSibling("shared"), 2048));
            case MERGED_FILES:
                return end(plain, 1, CheckpointType.CHECKPOINT, mergingStreams(1));
            default:
                return end(
                        plain,
                        1,
                        CheckpointType.CHECKPOINT,
                        streams(1, directoryOf(1).resolveSibling("shared")));
        }
    }

    /** As a new JobManager does, which knows of the state what the metadata says. */
    private AbstractKeyedStateBackend<Integer> start(
            StateBackend delegate, KeyedStateHandle restored) throws Exception {
        return policy.backend(
                delegate,
                new KeyedTask<>(INTS)
                        .environment(
                                job,
                                storage,
                                KeyedTask.checkpointStorage(job, directory.resolve("checkpoints")),
                                ManualMailbox.direct(),
                                Executors.newDirectExecutorService())
                        .restored(List.of(InstantiationUtil.clone(restored)))
                        .parameters(),
                Executors.directExecutor());
    }

    /** Takes a last checkpoint, which subsumes the one before. */
    private KeyedStateHandle end(
            AbstractKeyedStateBackend<Integer> task,
            long checkpointId,
            SnapshotType type,
            CheckpointStreamFactory streams)
            throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                task.snapshot(
                        checkpointId,
                        checkpointId,
                        streams,
                        CheckpointOptions.alignedNoTimeout(
                                type,
                                CheckpointOptions.forCheckpointWithDefaultLocation()
                                        .getTargetLocation()));
        snapshot.run();
        KeyedStateHandle handle = snapshot.get().getJobManagerOwnedSnapshot();
        task.close();
        task.dispose();
        OperatorState state = state(InstantiationUtil.clone(handle), streams);
        state.registerSharedStates(registry, checkpointId);
        registry.unregisterUnusedState(checkpointId);
        return readBack(checkpointId, state);
    }

    /** Files of their own, however small. */
    private CheckpointStreamFactory streams(long checkpointId, Path shared) throws Exception {
        return streams(checkpointId, shared, 0);
    }

    private CheckpointStreamFactory streams(long checkpointId, Path shared, int inlineThreshold)
            throws Exception {
        return new FsCheckpointStreamFactory(
                LocalFileSystem.getSharedInstance(),
                flinks(Files.createDirectories(directoryOf(checkpointId))),
                flinks(Files.createDirectories(shared)),
                inlineThreshold,
                4096);
    }

    private CheckpointStreamFactory mergingStreams(long checkpointId) throws Exception {
        FileMergingSnapshotManager manager =
                new FileMergingSnapshotManagerBuilder(
                                job, ResourceID.generate(), FileMergingType.MERGE_ACROSS_CHECKPOINT)
                        .build();
        FileMergingSnapshotManager.SubtaskKey subtask =
                new FileMergingSnapshotManager.SubtaskKey(
                        job.toString(), operator.toString(), 0, 1);
        org.apache.flink.core.fs.Path merged =
                flinks(Files.createDirectories(directory.resolve("merged")));
        org.apache.flink.core.fs.Path own =
                flinks(Files.createDirectories(directoryOf(checkpointId)));
        manager.initFileSystem(LocalFileSystem.getSharedInstance(), own, merged, merged, 4096);
        manager.registerSubtaskForSharedStates(subtask);
        return new FsMergingCheckpointStorageLocation(
                subtask,
                LocalFileSystem.getSharedInstance(),
                own,
                merged,
                merged,
                CheckpointStorageLocationReference.getDefault(),
                0,
                4096,
                manager,
                checkpointId);
    }

    /** With the directories of merged files, which Flink lists with the state of operators. */
    private OperatorState state(KeyedStateHandle handle, CheckpointStreamFactory streams) {
        OperatorSubtaskState.Builder subtask =
                OperatorSubtaskState.builder().setManagedKeyedState(handle);
        if (streams instanceof FsMergingCheckpointStorageLocation) {
            FsMergingCheckpointStorageLocation merging =
                    (FsMergingCheckpointStorageLocation) streams;
            subtask.setManagedOperatorState(
                    EmptyFileMergingOperatorStreamStateHandle.create(
                            merging.getExclusiveStateHandle(), merging.getSharedStateHandle()));
        }
        OperatorState state = FlinkMembers.operatorState(operator, 1, Delegate.KEY_GROUPS);
        state.putState(0, subtask.build());
        return state;
    }

    private KeyedStateHandle readBack(long checkpointId, OperatorState state) throws Exception {
        Path metadata =
                directoryOf(checkpointId)
                        .resolve(AbstractFsCheckpointStorageAccess.METADATA_FILE_NAME);
        try (OutputStream out = Files.newOutputStream(metadata)) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(
                            checkpointId,
                            List.of(state),
                            List.of(),
                            CheckpointProperties.forCheckpoint(
                                    CheckpointRetentionPolicy.NEVER_RETAIN_AFTER_TERMINATION)),
                    out);
        }
        OperatorState read;
        try (DataInputStream in = new DataInputStream(Files.newInputStream(metadata))) {
            read =
                    Checkpoints.loadCheckpointMetadata(
                                    in,
                                    getClass().getClassLoader(),
                                    directoryOf(checkpointId).toUri().toString())
                            .getOperatorStates()
                            .iterator()
                            .next();
        }
        registry.close();
        registry = new SharedStateRegistryImpl();
        read.registerSharedStates(registry, checkpointId);
        return read.getState(0).getManagedKeyedState().iterator().next();
    }

    private Path directoryOf(long checkpointId) {
        JobID taker = checkpointId == 1 ? before : job;
        return directory.resolve(taker.toHexString()).resolve("chk-" + checkpointId);
    }

    private static org.apache.flink.core.fs.Path flinks(Path path) {
        return new org.apache.flink.core.fs.Path(path.toUri());
    }

    private static void put(
            AbstractKeyedStateBackend<Integer> task, int firstKey, int lastKey, String value)
            throws Exception {
        for (int key = firstKey; key <= lastKey; key++) {
            task.setCurrentKey(key);
            value(task).update(value);
        }
    }

    private static Map<Integer, String> read(AbstractKeyedStateBackend<Integer> task)
            throws Exception {
        Map<Integer, String> read = new TreeMap<>();
        for (int key = 1; key <= KEYS; key++) {
            task.setCurrentKey(key);
            read.put(key, value(task).value());
        }
        return read;
    }

    private static ValueState<String> value(AbstractKeyedStateBackend<Integer> task)
            throws Exception {
        return KeyedTask.state(task, VALUE);
    }
}
