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

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.List;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStorageWorkerView;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Where a materialization writes: the task-owned directory, since its files belong to no single
 * checkpoint and must outlive the one that mentions them first.
 */
final class TaskOwnedStreams implements CheckpointStreamFactory {

    private final CheckpointStorageWorkerView storage;

    TaskOwnedStreams(CheckpointStorageWorkerView storage) {
        this.storage = requireNonNull(storage);
    }

    @Override
    public CheckpointStateOutputStream createCheckpointStateOutputStream(
            CheckpointedStateScope scope) throws IOException {
        return storage.createTaskOwnedStateStream();
    }

    @Override
    public boolean canFastDuplicate(StreamStateHandle stateHandle, CheckpointedStateScope scope)
            throws IOException {
        return storage.createTaskOwnedCheckpointStateToolset().canFastDuplicate(stateHandle);
    }

    @Override
    public List<StreamStateHandle> duplicate(
            List<StreamStateHandle> stateHandles, CheckpointedStateScope scope) throws IOException {
        return storage.createTaskOwnedCheckpointStateToolset().duplicate(stateHandles);
    }
}
