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
package io.dstl.tools.orphans;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.AbstractChannelStateHandle;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.inmemory.InMemoryChangelogStateHandle;
import org.apache.flink.runtime.state.filemerging.SegmentFileStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/** The {@code _metadata} of one retained checkpoint or savepoint. */
final class MetadataFile {
    static final String NAME = "_metadata";

    private static final Pattern CHECKPOINT = Pattern.compile("chk-[0-9]+");

    private final Path path;
    private final long writtenAt;

    MetadataFile(FileStatus file) {
        this.path = file.getPath();
        this.writtenAt = file.getModificationTime();
    }

    Path path() {
        return path;
    }

    /** In ms since the epoch, by the store's clock. */
    long writtenAt() {
        return writtenAt;
    }

    /**
     * The job that took this checkpoint, by the directory it is in: {@code <job id>/chk-<n>}. Empty
     * for a savepoint, which says nothing of what the job's later checkpoints need, and where
     * checkpoints have no directory of their job.
     */
    Optional<String> checkpointOf() {
        Path directory = path.getParent();
        Path job = directory.getParent();
        return job != null && isCheckpoint(directory.getName()) && StoredName.isJob(job.getName())
                ? Optional.of(job.getName())
                : Optional.empty();
    }

    static boolean isCheckpoint(String directory) {
        return CHECKPOINT.matcher(directory).matches();
    }

    /**
     * Gives all files that it refers to.
     *
     * @throws IOException if it isn't there, or is nothing that Flink 1.20 can read
     */
    void read(Consumer<Path> references) throws IOException {
        try (DataInputStream in = new DataInputStream(path.getFileSystem().open(path))) {
            new ReferenceWalk(references)
                    .walk(
                            Checkpoints.loadCheckpointMetadata(
                                    in, MetadataFile.class.getClassLoader(), path.toString()));
        }
    }

    /**
     * Finds the files that a checkpoint refers to: segments of logs, and state.
     *
     * <p>Knows every kind of handle that Flink 1.20 writes into metadata, and refuses any other:
     * one that is skipped could hold references.
     */
    static final class ReferenceWalk {
        private final Consumer<Path> found;

        ReferenceWalk(Consumer<Path> found) {
            this.found = found;
        }

        /**
         * @throws IOException at a handle of an unknown kind
         */
        void walk(CheckpointMetadata metadata) throws IOException {
            for (OperatorState operator : metadata.getOperatorStates()) {
                if (operator.getCoordinatorState() != null) {
                    file(operator.getCoordinatorState());
                }
                for (OperatorSubtaskState subtask : operator.getStates()) {
                    subtask(subtask);
                }
            }
        }

        private void subtask(OperatorSubtaskState subtask) throws IOException {
            for (KeyedStateHandle handle : subtask.getManagedKeyedState()) {
                keyed(handle);
            }
            for (KeyedStateHandle handle : subtask.getRawKeyedState()) {
                keyed(handle);
            }
            for (OperatorStateHandle handle : subtask.getManagedOperatorState()) {
                file(handle.getDelegateStateHandle());
            }
            for (OperatorStateHandle handle : subtask.getRawOperatorState()) {
                file(handle.getDelegateStateHandle());
            }
            for (StateObject handle : subtask.getInputChannelState()) {
                channel(handle);
            }
            for (StateObject handle : subtask.getResultSubpartitionState()) {
                channel(handle);
            }
        }

        /** Flink 2.3 has kinds that are none of these. */
        private void channel(StateObject handle) throws IOException {
            if (!(handle instanceof AbstractChannelStateHandle)) {
                throw unknown(handle);
            }
            file(((AbstractChannelStateHandle<?>) handle).getDelegate());
        }

        private void keyed(KeyedStateHandle handle) throws IOException {
            if (handle instanceof ChangelogStateBackendHandle) {
                ChangelogStateBackendHandle changelog = (ChangelogStateBackendHandle) handle;
                for (KeyedStateHandle materialized : changelog.getMaterializedStateHandles()) {
                    keyed(materialized);
                }
                for (ChangelogStateHandle log : changelog.getNonMaterializedStateHandles()) {
                    keyed(log);
                }
            } else if (handle instanceof ChangelogStateHandleStreamImpl) {
                for (var segment :
                        ((ChangelogStateHandleStreamImpl) handle).getHandlesAndOffsets()) {
                    file(segment.f0);
                }
            } else if (handle instanceof KeyGroupsStateHandle) {
                file(((KeyGroupsStateHandle) handle).getDelegateStateHandle());
            } else if (handle instanceof IncrementalRemoteKeyedStateHandle) {
                incremental((IncrementalRemoteKeyedStateHandle) handle);
            } else if (!(handle instanceof InMemoryChangelogStateHandle)) {
                throw unknown(handle);
            }
        }

        private void incremental(IncrementalRemoteKeyedStateHandle handle) throws IOException {
            file(handle.getMetaDataStateHandle());
            for (HandleAndLocalPath shared : handle.getSharedState()) {
                file(shared.getHandle());
            }
            for (HandleAndLocalPath own : handle.getPrivateState()) {
                file(own.getHandle());
            }
        }

        private void file(StreamStateHandle handle) throws IOException {
            if (handle instanceof FileStateHandle) {
                found.accept(((FileStateHandle) handle).getFilePath());
            } else if (handle instanceof SegmentFileStateHandle) {
                found.accept(((SegmentFileStateHandle) handle).getFilePath());
            } else if (!(handle instanceof ByteStreamStateHandle)) {
                throw unknown(handle);
            }
        }

        private static IOException unknown(Object handle) {
            return new IOException(
                    "It holds a state handle of a kind unknown to this version of dstl: "
                            + handle.getClass().getName());
        }
    }
}
