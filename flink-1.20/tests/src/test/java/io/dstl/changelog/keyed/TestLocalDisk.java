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

import io.dstl.testkit.PathsBelow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.PrioritizedOperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.clusterframework.types.AllocationID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.ChangelogTaskLocalStateStore;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.LocalSnapshotDirectoryProviderImpl;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.TaskLocalStateStore;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendLocalHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.concurrent.Executors;

/**
 * The local disk of the TaskManager: the stores that Flink keeps there for the local recovery of
 * each subtask, one slot for all.
 */
final class TestLocalDisk {
    private final Path root;
    private final JobID job;
    private final OperatorID operator;
    private final JobVertexID vertex = new JobVertexID();
    private final AllocationID slot = new AllocationID();
    private final NavigableMap<Integer, ChangelogTaskLocalStateStore> stores = new TreeMap<>();

    TestLocalDisk(Path root, JobID job, OperatorID operator) {
        this.root = root;
        this.job = job;
        this.operator = operator;
    }

    LocalRecoveryConfig config(int subtask) {
        return store(subtask).getLocalRecoveryConfig();
    }

    private TaskLocalStateStore store(int subtask) {
        return stores.computeIfAbsent(
                subtask,
                index ->
                        new ChangelogTaskLocalStateStore(
                                job,
                                slot,
                                vertex,
                                index,
                                LocalRecoveryConfig.backupAndRecoveryEnabled(
                                        new LocalSnapshotDirectoryProviderImpl(
                                                root.toFile(), job, vertex, index)),
                                Executors.directExecutor()));
    }

    /** As a task that acknowledges a checkpoint does. */
    void keep(int subtask, long checkpointId, KeyedStateHandle local) {
        TaskStateSnapshot snapshot = new TaskStateSnapshot();
        if (local != null) {
            snapshot.putSubtaskStateByOperatorID(
                    operator,
                    OperatorSubtaskState.builder()
                            .setManagedKeyedState(StateObjectCollection.singleton(local))
                            .build());
        }
        store(subtask).storeLocalState(checkpointId, snapshot);
    }

    void complete(long checkpointId) {
        stores.values().forEach(store -> store.confirmCheckpoint(checkpointId));
    }

    void abort(long checkpointId) {
        stores.values().forEach(store -> store.abortCheckpoint(checkpointId));
    }

    /** What Flink tries, in this order, to restore a subtask from. */
    List<StateObjectCollection<KeyedStateHandle>> alternatives(
            int subtask, long checkpointId, OperatorSubtaskState remote) {
        TaskStateSnapshot local = store(subtask).retrieveLocalState(checkpointId);
        store(subtask).pruneMatchingCheckpoints(id -> id != checkpointId);
        return new PrioritizedOperatorSubtaskState.Builder(
                        remote,
                        local == null || local.getSubtaskStateByOperatorID(operator) == null
                                ? List.of()
                                : List.of(local.getSubtaskStateByOperatorID(operator)))
                .build()
                .getPrioritizedManagedKeyedState();
    }

    /** Subtasks from this one on leave their slots. */
    void leave(int firstSubtask) {
        Collection<ChangelogTaskLocalStateStore> left = stores.tailMap(firstSubtask).values();
        left.forEach(store -> store.dispose().join());
        left.clear();
    }

    /** Files below the root, other than Flink's own lists of them. */
    Set<Path> files() {
        return walk(root);
    }

    /** Those that delegates write snapshots to, empty ones too. */
    Set<Path> snapshotDirectories() {
        try {
            return PathsBelow.directories(root).stream()
                    .filter(each -> each.getFileName().toString().startsWith("chk_"))
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<Path> walk(Path directory) {
        try {
            return PathsBelow.files(directory).stream()
                    .filter(file -> !file.endsWith("_task_state_snapshot"))
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Backups of the log, as opposed to the delegate's. */
    static boolean isOfLog(Path file) {
        return file.getParent().endsWith("dstl");
    }

    /** The files that the local state of a checkpoint refers to. */
    Set<Path> filesOf(long checkpointId) {
        Set<Path> files = new TreeSet<>();
        for (TaskLocalStateStore store : stores.values()) {
            TaskStateSnapshot local = store.retrieveLocalState(checkpointId);
            if (local != null && local.getSubtaskStateByOperatorID(operator) != null) {
                local.getSubtaskStateByOperatorID(operator)
                        .getManagedKeyedState()
                        .forEach(handle -> add((ChangelogStateBackendLocalHandle) handle, files));
            }
        }
        return files;
    }

    private void add(ChangelogStateBackendLocalHandle handle, Set<Path> files) {
        for (KeyedStateHandle materialized : handle.getMaterializedStateHandles()) {
            if (materialized instanceof IncrementalLocalKeyedStateHandle) {
                IncrementalLocalKeyedStateHandle local =
                        (IncrementalLocalKeyedStateHandle) materialized;
                files.addAll(walk(local.getDirectoryStateHandle().getDirectory()));
                add(local.getMetaDataStateHandle(), files);
            } else if (materialized instanceof KeyGroupsStateHandle) {
                add(((KeyGroupsStateHandle) materialized).getDelegateStateHandle(), files);
            }
        }
        for (ChangelogStateHandle log : handle.getNonMaterializedStateHandles()) {
            ((ChangelogStateHandleStreamImpl) log)
                    .getHandlesAndOffsets()
                    .forEach(location -> add(location.f0, files));
        }
    }

    /** What has no backup is in the store. */
    private void add(StreamStateHandle handle, Set<Path> files) {
        if (handle instanceof FileStateHandle) {
            Path file = Path.of(((FileStateHandle) handle).getFilePath().toUri());
            if (file.startsWith(root)) {
                files.add(file);
            }
        }
    }
}
