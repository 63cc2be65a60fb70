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

import java.io.IOException;
import java.util.function.Consumer;
import org.apache.flink.core.fs.Path;
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

/**
 * Finds the files that a checkpoint refers to: segments of logs, and state.
 *
 * <p>Knows every kind of handle that Flink 1.20 writes into metadata, and refuses any other: one
 * that is skipped could hold references.
 */
final class ReferenceWalk {
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
            for (var segment : ((ChangelogStateHandleStreamImpl) handle).getHandlesAndOffsets()) {
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
