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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.registry.LogSegmentHandle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStateToolset;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStorageWorkerView;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a materialization's files are listed as. */
class TaskOwnedStreamsTest {
    private static final JobID JOB = new JobID(1, 2);
    private static final int INLINE = 10;

    @TempDir Path directory;

    private TaskOwnedStreams streams;

    @BeforeEach
    void open() throws Exception {
        CheckpointStorageAccess storage =
                new FileSystemCheckpointStorage(directory.toUri(), INLINE)
                        .createCheckpointStorage(JOB);
        storage.initializeBaseLocationsForCheckpoint();
        streams = new TaskOwnedStreams(files(storage), Optional.empty(), files -> {});
    }

    private static FlinkFiles files(CheckpointStorageWorkerView storage) {
        return new FlinkFiles(storage, Runnable::run);
    }

    private StreamStateHandle written(int bytes) throws Exception {
        try (CheckpointStateOutputStream stream =
                streams.createCheckpointStateOutputStream(CheckpointedStateScope.SHARED)) {
            stream.write(new byte[bytes]);
            return stream.closeAndGetHandle();
        }
    }

    /** So no checkpoint waits until the JobManager has deleted them. */
    @Test
    void filesAreListedAsSegmentsAre() throws Exception {
        StreamStateHandle file = written(INLINE + 1);

        assertThat(file).isInstanceOf(LogSegmentHandle.class);
        assertThat(file.getStateSize()).isEqualTo(INLINE + 1);
        Path path = Path.of(((FileStateHandle) file).getFilePath().getPath());
        assertThat(path).hasSize(INLINE + 1);
        assertThat(file)
                .isEqualTo(new FileStateHandle(((FileStateHandle) file).getFilePath(), INLINE + 1));
    }

    /** Where no checkpoint has had it: on the caller's thread, at once. */
    @Test
    void theTaskManagerDeletesOneItself() throws Exception {
        StreamStateHandle file = written(INLINE + 1);
        Path path = Path.of(((FileStateHandle) file).getFilePath().getPath());
        assertThat(path).exists();

        file.discardState();

        assertThat(path).doesNotExist();
    }

    /** RocksDB's uploads go on beside the one that has failed and so ends the snapshot. */
    @Test
    void whatIsStoredAfterTheSnapshotHasFailedIsDeletedToo() throws Exception {
        CheckpointStorageAccess heap =
                new JobManagerCheckpointStorage().createCheckpointStorage(JOB);
        List<StreamStateHandle> deleted = new ArrayList<>();
        streams = new TaskOwnedStreams(files(heap), Optional.empty(), deleted::addAll);
        StreamStateHandle first = written(1);
        try (CheckpointStateOutputStream stream =
                streams.createCheckpointStateOutputStream(CheckpointedStateScope.SHARED)) {
            stream.write(new byte[2]);
            streams.discard();
            assertThat(deleted).containsExactly(first);

            assertThat(deleted).contains(stream.closeAndGetHandle());
        }
    }

    /** As Flink's own: what it keeps for high availability needs no class of ours. */
    @Test
    void whatTheJobManagerWritesIsFlinks() throws Exception {
        StreamStateHandle file = written(INLINE + 1);
        ClassLoader loader = getClass().getClassLoader();

        StreamStateHandle received = InstantiationUtil.clone(file, loader);

        assertThat(received).isInstanceOf(LogSegmentHandle.class).isEqualTo(file);
        assertThat(InstantiationUtil.clone(received, loader))
                .isExactlyInstanceOf(FileStateHandle.class)
                .isEqualTo(file);
        assertThat(Files.exists(Path.of(((FileStateHandle) file).getFilePath().getPath())))
                .isTrue();
    }

    /** A file system may upload all of a file in this one call, and tell of no progress. */
    @Test
    void aFileThatIsBeingClosedIsGivenTimeForItsBytes() throws Exception {
        List<Duration> patience = new ArrayList<>();
        CheckpointStorageAccess heap =
                new JobManagerCheckpointStorage().createCheckpointStorage(JOB);
        streams =
                new TaskOwnedStreams(
                        files(
                                new ForwardingView(
                                        heap, 3_500_000, () -> patience.add(streams.patience()))),
                        Optional.empty(),
                        files -> {});
        long steps = streams.steps();

        written(1);

        assertThat(patience).containsExactly(Duration.ofSeconds(3));
        assertThat(streams.patience()).as("once it is closed").isZero();
        assertThat(streams.steps()).as("opened, written, closed").isEqualTo(steps + 3);
    }

    /** One that hangs keeps others from their turn. */
    @Test
    void aFileThatIsBeingClosedIsGivenAnHourAtMost() throws Exception {
        List<Duration> patience = new ArrayList<>();
        CheckpointStorageAccess heap =
                new JobManagerCheckpointStorage().createCheckpointStorage(JOB);
        streams =
                new TaskOwnedStreams(
                        files(
                                new ForwardingView(
                                        heap,
                                        100_000_000_000L,
                                        () -> patience.add(streams.patience()))),
                        Optional.empty(),
                        files -> {});

        written(1);

        assertThat(patience).containsExactly(Duration.ofHours(1));
    }

    /** Flink's stream to two places writes what is left in its buffer as it is closed. */
    @Test
    void onlyTheWriterWrites() throws Exception {
        CheckpointStateOutputStream stream =
                CompletableFuture.supplyAsync(this::opened, work -> new Thread(work).start()).get();

        assertThatThrownBy(() -> stream.write(1)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> stream.write(new byte[1])).isInstanceOf(IOException.class);
        assertThatThrownBy(stream::flush).isInstanceOf(IOException.class);
        assertThatThrownBy(stream::sync).isInstanceOf(IOException.class);
    }

    private CheckpointStateOutputStream opened() {
        try {
            return streams.createCheckpointStateOutputStream(CheckpointedStateScope.SHARED);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whatIsInTheMetadataStaysFlinks() throws Exception {
        assertThat(written(INLINE)).isExactlyInstanceOf(ByteStreamStateHandle.class);
        assertThat(written(0)).isNull();
    }

    /** Tells when a file is being closed, and that it has some size. */
    private static final class ForwardingView implements CheckpointStorageWorkerView {
        private final CheckpointStorageWorkerView view;
        private final long size;
        private final Runnable closing;

        ForwardingView(CheckpointStorageWorkerView view, long size, Runnable closing) {
            this.view = view;
            this.size = size;
            this.closing = closing;
        }

        @Override
        public CheckpointStateOutputStream createTaskOwnedStateStream() {
            return new MemCheckpointStreamFactory.MemoryCheckpointOutputStream(Integer.MAX_VALUE) {
                @Override
                public long getPos() {
                    return size;
                }

                @Override
                public StreamStateHandle closeAndGetHandle() throws IOException {
                    closing.run();
                    return super.closeAndGetHandle();
                }
            };
        }

        @Override
        public CheckpointStateToolset createTaskOwnedCheckpointStateToolset() {
            return view.createTaskOwnedCheckpointStateToolset();
        }

        @Override
        public CheckpointStreamFactory resolveCheckpointStorageLocation(
                long checkpointId, CheckpointStorageLocationReference reference)
                throws IOException {
            return view.resolveCheckpointStorageLocation(checkpointId, reference);
        }
    }
}
