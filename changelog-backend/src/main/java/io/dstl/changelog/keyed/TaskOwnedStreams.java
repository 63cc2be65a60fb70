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
import java.util.concurrent.atomic.LongAdder;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStorageWorkerView;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Where one materialization writes: the task-owned directory, since its files belong to no single
 * checkpoint and must outlive the one that mentions them first. Counts what has got there, so that
 * it can be told from what hangs.
 *
 * <p>Thread-safe; a stream is one thread's.
 */
final class TaskOwnedStreams implements CheckpointStreamFactory {

    private final CheckpointStorageWorkerView storage;
    private final LongAdder steps = new LongAdder();

    TaskOwnedStreams(CheckpointStorageWorkerView storage) {
        this.storage = requireNonNull(storage);
    }

    @Override
    public CheckpointStateOutputStream createCheckpointStateOutputStream(
            CheckpointedStateScope scope) throws IOException {
        CheckpointStateOutputStream stream = storage.createTaskOwnedStateStream();
        steps.increment();
        return new CountedStream(stream);
    }

    /** Of the calls to the file system so far, those that have returned. */
    long steps() {
        return steps.sum();
    }

    @Override
    public boolean canFastDuplicate(StreamStateHandle stateHandle, CheckpointedStateScope scope)
            throws IOException {
        return storage.createTaskOwnedCheckpointStateToolset().canFastDuplicate(stateHandle);
    }

    @Override
    public List<StreamStateHandle> duplicate(
            List<StreamStateHandle> stateHandles, CheckpointedStateScope scope) throws IOException {
        List<StreamStateHandle> duplicates =
                storage.createTaskOwnedCheckpointStateToolset().duplicate(stateHandles);
        steps.increment();
        return duplicates;
    }

    private final class CountedStream extends CheckpointStateOutputStream {
        private final CheckpointStateOutputStream stream;

        CountedStream(CheckpointStateOutputStream stream) {
            this.stream = stream;
        }

        @Override
        public void write(int value) throws IOException {
            stream.write(value);
            steps.increment();
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            stream.write(bytes, offset, length);
            steps.increment();
        }

        @Override
        public void flush() throws IOException {
            stream.flush();
            steps.increment();
        }

        @Override
        public void sync() throws IOException {
            stream.sync();
            steps.increment();
        }

        @Override
        public long getPos() throws IOException {
            return stream.getPos();
        }

        @Nullable
        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
            StreamStateHandle handle = stream.closeAndGetHandle();
            steps.increment();
            return handle;
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }
}
