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
package io.dstl.bench.fleet;

import io.dstl.bench.fleet.StateShape.Pieces;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;

/** Finds the shape of the states of a real job from two of its checkpoints. */
final class ShapeReader {
    private ShapeReader() {}

    /**
     * @param earlier directory with a {@code _metadata}
     * @param later the same
     * @param changelog whether a snapshot is a materialization, and not each checkpoint's
     * @throws IllegalArgumentException if the later one has no task with incremental state
     */
    static StateShape read(Path earlier, Path later, boolean changelog) throws IOException {
        Contents before = new Contents(load(earlier));
        Contents after = new Contents(load(later));
        if (after.snapshots.isEmpty()) {
            throw new IllegalArgumentException(
                    later + " has no state of RocksDB's incremental checkpoints: measure longer");
        }
        // With a changelog the backend is snapshotted once in between or not at all.
        double snapshots = changelog ? 1 : Math.max(1, after.checkpoint - before.checkpoint);
        Set<PhysicalStateHandleID> known = new HashSet<>();
        before.shared().forEach(handle -> known.add(handle.getStreamStateHandleID()));
        return new StateShape(
                pieces(after.shared(), true, after.snapshots.size(), known, snapshots),
                pieces(after.shared(), false, after.snapshots.size(), known, snapshots),
                pieces(after.own(), true, after.snapshots.size(), Set.of(), 1),
                pieces(after.own(), false, after.snapshots.size(), Set.of(), 1),
                after.logBytes());
    }

    private static CheckpointMetadata load(Path directory) throws IOException {
        try (DataInputStream in =
                new DataInputStream(
                        new BufferedInputStream(
                                Files.newInputStream(directory.resolve("_metadata"))))) {
            return Checkpoints.loadCheckpointMetadata(
                    in, ShapeReader.class.getClassLoader(), directory.toUri().toString());
        }
    }

    private static Pieces pieces(
            List<StreamStateHandle> handles,
            boolean stored,
            int tasks,
            Set<PhysicalStateHandleID> known,
            double snapshots) {
        int count = 0;
        int added = 0;
        long bytes = 0;
        for (StreamStateHandle handle : handles) {
            if (handle.asBytesIfInMemory().isEmpty() == stored) {
                count++;
                bytes += handle.getStateSize();
                added += known.contains(handle.getStreamStateHandleID()) ? 0 : 1;
            }
        }
        return new Pieces(
                (double) count / tasks, count == 0 ? 0 : bytes / count, added / snapshots / tasks);
    }

    /** All keyed states of one checkpoint. */
    private static final class Contents {
        private final long checkpoint;
        private final List<IncrementalRemoteKeyedStateHandle> snapshots = new ArrayList<>();
        private final List<ChangelogStateHandleStreamImpl> logs = new ArrayList<>();

        Contents(CheckpointMetadata metadata) {
            checkpoint = metadata.getCheckpointId();
            for (OperatorState operator : metadata.getOperatorStates()) {
                for (OperatorSubtaskState subtask : operator.getStates()) {
                    subtask.getManagedKeyedState().forEach(this::add);
                }
            }
        }

        private void add(KeyedStateHandle handle) {
            if (handle instanceof IncrementalRemoteKeyedStateHandle) {
                snapshots.add((IncrementalRemoteKeyedStateHandle) handle);
            } else if (handle instanceof ChangelogStateBackendHandle) {
                ChangelogStateBackendHandle both = (ChangelogStateBackendHandle) handle;
                both.getMaterializedStateHandles().forEach(this::add);
                for (ChangelogStateHandle log : both.getNonMaterializedStateHandles()) {
                    if (log instanceof ChangelogStateHandleStreamImpl) {
                        logs.add((ChangelogStateHandleStreamImpl) log);
                    }
                }
            }
        }

        List<StreamStateHandle> shared() {
            List<StreamStateHandle> handles = new ArrayList<>();
            for (IncrementalRemoteKeyedStateHandle snapshot : snapshots) {
                snapshot.getSharedState().stream()
                        .map(HandleAndLocalPath::getHandle)
                        .forEach(handles::add);
            }
            return handles;
        }

        List<StreamStateHandle> own() {
            List<StreamStateHandle> handles = new ArrayList<>();
            for (IncrementalRemoteKeyedStateHandle snapshot : snapshots) {
                snapshot.getPrivateState().stream()
                        .map(HandleAndLocalPath::getHandle)
                        .forEach(handles::add);
                handles.add(snapshot.getMetaDataStateHandle());
            }
            return handles;
        }

        /** Of one task in one segment. */
        long logBytes() {
            long segments = 0;
            long bytes = 0;
            for (ChangelogStateHandleStreamImpl log : logs) {
                segments += log.getHandlesAndOffsets().size();
                bytes += log.getStateSize();
            }
            return segments == 0 ? 0 : bytes / segments;
        }
    }
}
