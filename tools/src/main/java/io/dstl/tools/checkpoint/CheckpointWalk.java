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
package io.dstl.tools.checkpoint;

import io.dstl.tools.checkpoint.StateReference.Part;
import java.io.IOException;
import java.util.Map;
import java.util.OptionalLong;
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
 * Goes through all that a checkpoint refers to: segments of logs, and state.
 *
 * <p>Knows every kind of handle that Flink 1.20 to 2.3 write into metadata, and refuses any other:
 * one that is skipped could hold references.
 */
public final class CheckpointWalk {
    /** A class that Flink has from 2.1 on. */
    private static final String MERGED_CHANNELS =
            "org.apache.flink.runtime.state.AbstractMergedChannelStateHandle";

    private final StateVisitor visitor;

    private CheckpointWalk(StateVisitor visitor) {
        this.visitor = visitor;
    }

    /**
     * @throws IOException at a handle of an unknown kind
     */
    public static void walk(CheckpointMetadata metadata, StateVisitor visitor) throws IOException {
        CheckpointWalk walk = new CheckpointWalk(visitor);
        for (OperatorState operator : metadata.getOperatorStates()) {
            walk.operator(operator);
        }
    }

    private void operator(OperatorState operator) throws IOException {
        if (operator.getCoordinatorState() != null) {
            stream(
                    StateOwner.coordinator(operator),
                    Part.COORDINATOR,
                    operator.getCoordinatorState());
        }
        for (Map.Entry<Integer, OperatorSubtaskState> subtask :
                operator.getSubtaskStates().entrySet()) {
            subtask(StateOwner.subtask(operator, subtask.getKey()), subtask.getValue());
        }
    }

    private void subtask(StateOwner owner, OperatorSubtaskState state) throws IOException {
        for (KeyedStateHandle handle : state.getManagedKeyedState()) {
            keyed(owner, Part.KEYED, handle);
        }
        for (KeyedStateHandle handle : state.getRawKeyedState()) {
            keyed(owner, Part.RAW_KEYED, handle);
        }
        for (OperatorStateHandle handle : state.getManagedOperatorState()) {
            stream(owner, Part.OPERATOR, handle.getDelegateStateHandle());
        }
        for (OperatorStateHandle handle : state.getRawOperatorState()) {
            stream(owner, Part.RAW_OPERATOR, handle.getDelegateStateHandle());
        }
        for (StateObject handle : state.getInputChannelState()) {
            channel(owner, Part.INPUT_CHANNEL, handle);
        }
        for (StateObject handle : state.getResultSubpartitionState()) {
            channel(owner, Part.OUTPUT_CHANNEL, handle);
        }
    }

    private void channel(StateOwner owner, Part part, StateObject handle) throws IOException {
        stream(
                owner,
                part,
                handle instanceof AbstractChannelStateHandle
                        ? ((AbstractChannelStateHandle<?>) handle).getDelegate()
                        : delegateOfMerged(handle));
    }

    /** Of all channels of a subtask that are in one file: so they are written from Flink 2.1 on. */
    private static StreamStateHandle delegateOfMerged(StateObject handle) throws IOException {
        if (!handle.getClass().getSuperclass().getName().equals(MERGED_CHANNELS)) {
            throw unknown(handle);
        }
        try {
            return (StreamStateHandle) handle.getClass().getMethod("getDelegate").invoke(handle);
        } catch (ReflectiveOperationException e) {
            throw new IOException(handle.getClass().getName() + " can't be asked for its file", e);
        }
    }

    /**
     * @param whole what a snapshot in one stream is
     */
    private void keyed(StateOwner owner, Part whole, KeyedStateHandle handle) throws IOException {
        if (handle instanceof ChangelogStateBackendHandle) {
            changelog(owner, whole, (ChangelogStateBackendHandle) handle);
        } else if (handle instanceof ChangelogStateHandleStreamImpl) {
            log(owner, (ChangelogStateHandleStreamImpl) handle);
        } else if (handle instanceof KeyGroupsStateHandle) {
            stream(owner, whole, ((KeyGroupsStateHandle) handle).getDelegateStateHandle());
        } else if (handle instanceof IncrementalRemoteKeyedStateHandle) {
            incremental(owner, (IncrementalRemoteKeyedStateHandle) handle);
        } else if (handle instanceof InMemoryChangelogStateHandle) {
            visitor.logInMemory(owner, (InMemoryChangelogStateHandle) handle);
        } else {
            throw unknown(handle);
        }
    }

    private void changelog(StateOwner owner, Part whole, ChangelogStateBackendHandle handle)
            throws IOException {
        visitor.changelog(owner, handle);
        for (KeyedStateHandle materialized : handle.getMaterializedStateHandles()) {
            keyed(owner, whole, materialized);
        }
        for (ChangelogStateHandle log : handle.getNonMaterializedStateHandles()) {
            keyed(owner, whole, log);
        }
    }

    private void log(StateOwner owner, ChangelogStateHandleStreamImpl log) throws IOException {
        for (var set : log.getHandlesAndOffsets()) {
            stream(owner, Part.SEGMENT, set.f0, OptionalLong.of(set.f1));
        }
    }

    private void incremental(StateOwner owner, IncrementalRemoteKeyedStateHandle handle)
            throws IOException {
        stream(owner, Part.BACKEND_META, handle.getMetaDataStateHandle());
        for (HandleAndLocalPath shared : handle.getSharedState()) {
            stream(owner, Part.SHARED, shared.getHandle());
        }
        for (HandleAndLocalPath own : handle.getPrivateState()) {
            stream(owner, Part.PRIVATE, own.getHandle());
        }
    }

    private void stream(StateOwner owner, Part part, StreamStateHandle handle) throws IOException {
        stream(owner, part, handle, OptionalLong.empty());
    }

    private void stream(StateOwner owner, Part part, StreamStateHandle handle, OptionalLong offset)
            throws IOException {
        if (!(handle instanceof FileStateHandle
                || handle instanceof SegmentFileStateHandle
                || handle instanceof ByteStreamStateHandle)) {
            throw unknown(handle);
        }
        visitor.stream(new StateReference(owner, part, handle, offset));
    }

    private static IOException unknown(Object handle) {
        return new IOException(
                "It holds a state handle of a kind unknown to this version of dstl: "
                        + handle.getClass().getName());
    }
}
