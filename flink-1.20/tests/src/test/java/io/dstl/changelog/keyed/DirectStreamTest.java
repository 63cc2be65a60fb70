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
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.registry.LogSegmentHandle;
import io.dstl.store.LateException;
import io.dstl.store.RefusedException;
import io.dstl.store.ThrottledException;
import io.dstl.testkit.PathsBelow;
import java.io.File;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.io.disk.iomanager.IOManager;
import org.apache.flink.runtime.io.disk.iomanager.IOManagerAsync;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory.MemoryCheckpointOutputStream;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which way the files of materializations take, and that they are whole on each. */
class DirectStreamTest {
    private static final int INLINE = 10;
    private static final int MOST = ScriptedUploads.MOST;

    @TempDir Path checkpoints;
    @TempDir Path disk;

    private final ScriptedUploads uploads = new ScriptedUploads();
    private final List<StreamStateHandle> unwanted = new ArrayList<>();
    private IOManager disks;
    private MockEnvironment env;
    private TaskOwnedStreams streams;

    @BeforeEach
    void open() throws Exception {
        disks = new IOManagerAsync(disk.toString());
        env = new MockEnvironmentBuilder().setIOManager(disks).build();
        env.getJobConfiguration()
                .set(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD, new MemorySize(INLINE));
        CheckpointStorageAccess storage =
                new FileSystemCheckpointStorage(checkpoints.toUri(), INLINE)
                        .createCheckpointStorage(new JobID(1, 2));
        storage.initializeBaseLocationsForCheckpoint();
        env.setCheckpointStorageAccess(storage);
        streams =
                new TaskOwnedStreams(
                        new FlinkFiles(storage, Runnable::run), files(), unnamed -> {});
    }

    @AfterEach
    void close() throws Exception {
        env.close();
        disks.close();
    }

    private Optional<DirectFiles> files() throws IOException {
        int[] name = new int[1];
        return DirectFiles.of(env, uploads, () -> "file-" + name[0]++, unwanted::add);
    }

    private CheckpointStateOutputStream stream() throws IOException {
        return streams.createCheckpointStateOutputStream(CheckpointedStateScope.SHARED);
    }

    private static byte[] content(int bytes) {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        return content;
    }

    private StreamStateHandle written(byte[] content) throws IOException {
        try (CheckpointStateOutputStream stream = stream()) {
            write(stream, content, 0, content.length);
            return stream.closeAndGetHandle();
        }
    }

    /** A byte at a time, then in parts of many sizes. */
    private static void write(CheckpointStateOutputStream stream, byte[] content, int from, int to)
            throws IOException {
        int size = 0;
        for (int at = from; at < to; at += size) {
            size = Math.min(1 + size * 2, to - at);
            if (size == 1) {
                stream.write(content[at]);
            } else {
                stream.write(content, at, size);
            }
            assertThat(stream.getPos()).isEqualTo(at + size);
        }
    }

    private byte[] flinks(StreamStateHandle file) throws IOException {
        return Files.readAllBytes(Path.of(((FileStateHandle) file).getFilePath().getPath()));
    }

    private void assertNothingIsLeftOnTheDisk() {
        assertThat(disks.getSpillingDirectories())
                .allSatisfy(directory -> assertThat(directory.list()).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(ints = {INLINE + 1, 64 << 10, (64 << 10) + 1, 200_000, MOST})
    void aFileGoesToTheStoreItself(int bytes) throws Exception {
        byte[] content = content(bytes);
        CheckpointStateOutputStream stream = stream();
        write(stream, content, 0, bytes);
        long before = streams.steps();

        StreamStateHandle file = stream.closeAndGetHandle();

        assertThat(streams.steps()).as("a step of the upload, and its end").isEqualTo(before + 2);
        assertThat(file).isInstanceOf(LogSegmentHandle.class);
        assertThat(file.getStateSize()).isEqualTo(bytes);
        org.apache.flink.core.fs.Path path = ((FileStateHandle) file).getFilePath();
        assertThat(path.toString()).endsWith("/taskowned/file-0");
        assertThat(uploads.stored).containsOnlyKeys(path);
        assertThat(uploads.stored.get(path)).isEqualTo(content);
        assertThat(unwanted).isEmpty();
        assertNothingIsLeftOnTheDisk();
    }

    @Test
    void whatIsInTheMetadataStaysFlinks() throws Exception {
        StreamStateHandle small = written(content(INLINE));

        assertThat(small).isExactlyInstanceOf(ByteStreamStateHandle.class);
        assertThat(((ByteStreamStateHandle) small).getData()).isEqualTo(content(INLINE));
        assertThat(written(new byte[0])).isNull();
        assertThat(uploads.stored).isEmpty();
    }

    @Test
    void whatIsTooLargeForOneRequestGoesByFlinksFileSystem() throws Exception {
        byte[] content = content(3 * MOST);

        assertThat(flinks(written(content))).isEqualTo(content);
        assertThat(uploads.stored).isEmpty();
        assertNothingIsLeftOnTheDisk();
    }

    /** As where a proxy lets no body through that is as large: Flink's client sends parts. */
    @Test
    void whatTheStoreRefusesGoesByFlinksFileSystemAndAllAfterIt() throws Exception {
        uploads.failure = Optional.of(new RefusedException("too large", "EntityTooLarge"));
        byte[] content = content(200_000);

        assertThat(flinks(written(content))).isEqualTo(content);
        uploads.failure = Optional.empty();
        assertThat(flinks(written(content))).isEqualTo(content);

        assertThat(uploads.begun).isOne();
        assertNothingIsLeftOnTheDisk();
    }

    /** A proxy may also have no patience for it. The first may have met the end of an outage. */
    @Test
    void whatFailsGoesByFlinksFileSystemAndAllAfterTwoInARow() throws Exception {
        Optional<IOException> failure = Optional.of(new IOException("the answer is lost"));
        byte[] content = content(200_000);
        uploads.failure = failure;
        assertThat(flinks(written(content))).isEqualTo(content);
        uploads.failure = Optional.empty();
        written(content);
        uploads.failure = failure;
        assertThat(flinks(written(content))).isEqualTo(content);
        assertThat(flinks(written(content))).isEqualTo(content);
        assertThat(uploads.begun).isEqualTo(4);

        assertThat(flinks(written(content))).isEqualTo(content);

        assertThat(uploads.begun).isEqualTo(4);
        assertNothingIsLeftOnTheDisk();
    }

    /** The store takes more again some time; until then each attempt takes a minute. */
    @Test
    void whatIsThrottledGoesByFlinksFileSystemAndOneOfManyTriesTheStoreItself() throws Exception {
        Optional<IOException> throttled =
                Optional.of(new IOException(new ThrottledException("slow down", null)));
        byte[] content = content(200_000);
        uploads.failure = throttled;
        for (int files = 0; files < 2 + DirectFiles.PASSED_OVER; files++) {
            assertThat(flinks(written(content))).isEqualTo(content);
        }
        assertThat(uploads.begun).isEqualTo(2);
        assertThat(flinks(written(content))).isEqualTo(content);
        assertThat(uploads.begun).isEqualTo(3);
        for (int files = 0; files < DirectFiles.PASSED_OVER; files++) {
            written(content);
        }
        assertThat(uploads.begun).isEqualTo(3);
        uploads.failure = Optional.empty();

        written(content);
        written(content);
        assertThat(uploads.stored).hasSize(2);
    }

    /** As a store that has too much to do throttles some requests and drops others. */
    @Test
    void whatIsThrottledDoesNotCountAsFailed() throws Exception {
        byte[] content = content(200_000);
        uploads.failure = Optional.of(new ThrottledException("slow down", null));
        for (int files = 0; files < 2 + DirectFiles.PASSED_OVER; files++) {
            written(content);
        }
        uploads.failure = Optional.of(new IOException("the answer is lost"));
        assertThat(flinks(written(content))).isEqualTo(content);
        uploads.failure = Optional.empty();
        written(content);
        assertThat(uploads.stored).hasSize(1);
    }

    @Test
    void whatIsThrottledAfterARefusalBringsNothingBack() throws Exception {
        byte[] content = content(200_000);
        CheckpointStateOutputStream begunBefore = stream();
        begunBefore.write(content);
        uploads.failure = Optional.of(new RefusedException("too large", "EntityTooLarge"));
        assertThat(flinks(written(content))).isEqualTo(content);
        uploads.failure = Optional.of(new ThrottledException("slow down", null));
        begunBefore.closeAndGetHandle();
        uploads.failure = Optional.empty();

        for (int files = 0; files <= DirectFiles.PASSED_OVER; files++) {
            written(content);
        }
        assertThat(uploads.stored).isEmpty();
    }

    /** The first request may still store it: nothing else may have that path. */
    @Test
    void whatIsLateIsStoredByAnotherPath() throws Exception {
        uploads.late = true;
        byte[] content = content(200_000);

        FileStateHandle file = (FileStateHandle) written(content);

        assertThat(file.getFilePath().toString()).endsWith("/taskowned/file-1");
        assertThat(uploads.stored.get(file.getFilePath())).isEqualTo(content);
        assertThat(unwanted)
                .singleElement()
                .satisfies(
                        late ->
                                assertThat(((FileStateHandle) late).getFilePath().toString())
                                        .endsWith("/taskowned/file-0"));
        assertThat(uploads.closed).as("each by its user, and by the stream").isEqualTo(4);
        assertNothingIsLeftOnTheDisk();
    }

    @Test
    void whatIsLateDoesNotCountAsFailed() throws Exception {
        byte[] content = content(200_000);
        for (int files = 0; files < 5; files++) {
            uploads.late = true;
            written(content);
        }
        assertThat(uploads.begun).isEqualTo(10);
    }

    @Test
    void aLateOneIsNotStoredAgainForAThreadThatIsInterrupted() throws Exception {
        uploads.late = true;
        uploads.whileStoring = () -> Thread.currentThread().interrupt();

        assertThatThrownBy(() -> written(content(INLINE + 1))).isInstanceOf(LateException.class);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(uploads.begun).isOne();
        assertThat(unwanted).hasSize(1);
    }

    @Test
    void whatTheLocalDiskRefusesGoesByFlinksFileSystem() throws Exception {
        byte[] content = content(200_000);
        for (File directory : disks.getSpillingDirectories()) {
            assertThat(directory.delete()).isTrue();
        }

        assertThat(flinks(written(content))).isEqualTo(content);
        assertThat(uploads.begun).isZero();
    }

    /** It may have arrived, and only its answer was lost. */
    @Test
    void whatAFailedUploadMayHaveStoredIsDeleted() throws Exception {
        uploads.failure = Optional.of(new IOException("the answer is lost"));

        written(content(INLINE + 1));

        assertThat(unwanted)
                .singleElement()
                .satisfies(
                        file ->
                                assertThat(((FileStateHandle) file).getFilePath().toString())
                                        .endsWith("/taskowned/file-0"));
        assertNothingIsLeftOnTheDisk();
    }

    /** As RocksDB uploads several files at once, and an outage may meet all of them. */
    @Test
    void ofUploadsThatFailTogetherOneCounts() throws Exception {
        byte[] content = content(200_000);
        uploads.failure = Optional.of(new IOException("the store is down"));
        CheckpointStateOutputStream other = stream();
        other.write(content);
        uploads.whileStoring =
                () -> {
                    uploads.whileStoring = () -> {};
                    other.closeAndGetHandle();
                };
        assertThat(flinks(written(content))).isEqualTo(content);
        uploads.failure = Optional.empty();

        written(content);

        assertThat(uploads.stored).hasSize(1);
    }

    /** Flink keeps no file of a snapshot that was cancelled by then, and deletes none. */
    @Test
    void whatIsStoredForAThreadThatIsInterruptedIsDeleted() throws Exception {
        uploads.whileStoring = () -> Thread.currentThread().interrupt();

        assertThatThrownBy(() -> written(content(INLINE + 1)))
                .isInstanceOf(ClosedByInterruptException.class);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(unwanted).hasSize(1);
        assertThat(PathsBelow.files(checkpoints)).isEmpty();
    }

    /** That would wait for the store: it deletes the file. */
    @Test
    void closingLeavesAStreamOfFlinksThatIsBeingCompleted() throws Exception {
        List<String> calls = new ArrayList<>();
        DirectStream[] itself = new DirectStream[1];
        DirectStream stream =
                new DirectStream(
                        files().orElseThrow(),
                        () -> new CompletedBy(() -> itself[0].close(), calls),
                        () -> {},
                        closed -> {});
        itself[0] = stream;
        stream.write(1);

        stream.closeAndGetHandle();

        assertThat(calls).containsExactly("complete");
    }

    @Test
    void aThreadThatIsInterruptedWritesNothingMore() throws Exception {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> written(content(200_000)))
                .isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();

        assertThat(uploads.begun).isZero();
        assertThat(PathsBelow.files(checkpoints)).isEmpty();
        assertNothingIsLeftOnTheDisk();
    }

    @Test
    void closingLeavesNothing() throws Exception {
        CheckpointStateOutputStream stream = stream();
        stream.write(content(200_000));

        stream.close();

        assertNothingIsLeftOnTheDisk();
        assertThatThrownBy(() -> stream.write(content(200_000))).hasMessageContaining("closed");
        assertThatThrownBy(stream::closeAndGetHandle).hasMessageContaining("closed");
        assertThat(uploads.begun).isZero();
    }

    /** Which Flink does not: it forgets the stream before the upload begins. */
    @Test
    void closingAllEndsTheUpload() throws Exception {
        CheckpointStateOutputStream stream = stream();
        stream.write(content(200_000));
        uploads.whileStoring = () -> streams.close();
        uploads.failure = Optional.of(new IOException("aborted"));

        assertThatThrownBy(stream::closeAndGetHandle)
                .hasMessageContaining("closed")
                .hasCause(uploads.failure.get());

        assertThat(uploads.closed).isPositive();
        assertThat(unwanted).hasSize(1);
        assertThat(PathsBelow.files(checkpoints)).isEmpty();
        assertThatThrownBy(this::stream).hasMessageContaining("closed");
    }

    @Test
    void theEndOfAnUploadClosesAll() throws Exception {
        streams.run(() -> assertThatCode(() -> stream().close()).doesNotThrowAnyException());

        assertThatThrownBy(this::stream).hasMessageContaining("closed");
    }

    @Test
    void aStreamThatIsOverIsForgotten() throws Exception {
        CheckpointStateOutputStream over = stream();
        over.write(content(200_000));
        over.closeAndGetHandle();
        int closed = uploads.closed;

        streams.close();

        assertThat(uploads.closed).isEqualTo(closed);
    }

    /** Flink ignores it. */
    @Test
    void aThresholdThatIsTooLargeIsTheDefault() throws Exception {
        env.getJobConfiguration()
                .set(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD, MemorySize.ofMebiBytes(2));

        assertThat(files().orElseThrow().inlineBytes()).isEqualTo(20 << 10);
    }

    @Test
    void onlyWhatTheUploadsReachGoesThere() throws Exception {
        assertThat(files()).isPresent();
        uploads.reached = false;
        assertThat(files()).isEmpty();
        uploads.reached = true;
        env.setCheckpointStorageAccess(
                new JobManagerCheckpointStorage().createCheckpointStorage(new JobID(1, 2)));
        assertThat(files()).isEmpty();
    }

    /** Flink's stream, of which another thread does something while it is completed. */
    private static final class CompletedBy extends MemoryCheckpointOutputStream {
        private final Runnable meanwhile;
        private final List<String> calls;

        CompletedBy(Runnable meanwhile, List<String> calls) {
            super(100);
            this.meanwhile = meanwhile;
            this.calls = calls;
        }

        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
            calls.add("complete");
            meanwhile.run();
            return super.closeAndGetHandle();
        }

        @Override
        public void close() {
            calls.add("close");
            super.close();
        }
    }
}
