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
import static org.awaitility.Awaitility.await;

import io.dstl.changelog.cluster.HangingFileSystem;
import io.dstl.testkit.PathsBelow;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemSafetyNet;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStateToolset;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStorageWorkerView;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.NotDuplicatingCheckpointStateToolset;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory.MemoryCheckpointOutputStream;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which thread closes the files of an upload, and that they are as Flink makes them. */
@Timeout(120)
class FlinkFilesTest {
    private static final int INLINE = 10;
    private static final int BUFFER = 100;

    @TempDir Path checkpoints;

    private final List<Runnable> endings = new CopyOnWriteArrayList<>();
    private FlinkFiles files;

    /** As on the thread of a task. */
    @BeforeEach
    void open() throws Exception {
        FileSystemSafetyNet.initializeSafetyNetForThread();
        files = filesIn(checkpoints.toUri(), endings::add);
    }

    private FlinkFiles filesIn(URI directory, Executor executor) throws IOException {
        CheckpointStorageAccess storage =
                new FileSystemCheckpointStorage(
                                new org.apache.flink.core.fs.Path(directory), INLINE, BUFFER)
                        .createCheckpointStorage(new JobID(1, 2));
        storage.initializeBaseLocationsForCheckpoint();
        return new FlinkFiles(storage, executor);
    }

    @AfterEach
    void close() {
        FileSystemSafetyNet.closeSafetyNetAndGuardedResourcesForThread();
    }

    @Test
    void theTaskThreadClosesNoneAtItsEnd() throws Exception {
        Upload upload = new Upload();
        CheckpointStateOutputStream stream = elsewhere(this::begun);
        FileSystemSafetyNet.closeSafetyNetAndGuardedResourcesForThread();
        FileSystemSafetyNet.initializeSafetyNetForThread();
        stream.write(1);

        assertThat(stream.closeAndGetHandle().getStateSize()).isEqualTo(BUFFER + 2);
        upload.finish();
    }

    @Test
    void anotherThreadThanTheWritersDoesNotWait() throws Exception {
        Upload upload = new Upload();
        CheckpointStateOutputStream stream = elsewhere(this::begun);
        stream.close();
        upload.call(() -> closed(stream));
        assertThat(stored()).as("not closed yet").hasSize(1);

        assertThat(endings).as("once").hasSize(1);
        endings.get(0).run();
        assertThat(stored()).as("deleted as it is closed").isEmpty();
        upload.finish();
    }

    @Test
    void theWriterWaits() throws Exception {
        Upload upload = new Upload();
        elsewhere(() -> closed(begun()));

        assertThat(endings).isEmpty();
        assertThat(stored()).isEmpty();
        upload.finish();
    }

    /** Also what Flink's streams do not close. */
    @Test
    void theUploadHasASafetyNet() throws Exception {
        Upload upload = new Upload();
        FSDataOutputStream left =
                upload.call(
                        () ->
                                FileSystem.get(checkpoints.toUri())
                                        .create(
                                                new org.apache.flink.core.fs.Path(
                                                        checkpoints.toUri() + "/left"),
                                                FileSystem.WriteMode.NO_OVERWRITE));
        left.write(1);
        upload.finish();

        assertThat(failureOf(() -> written(left))).isInstanceOf(IOException.class);
    }

    /** And counts as hanging until then. */
    @Test
    void itsThreadWaitsForThoseThatCloseItsFiles() throws Exception {
        Upload upload = new Upload();
        elsewhere(this::begun);
        upload.stop();
        awaitEndings(1);
        assertThat(upload.thread.isAlive()).isTrue();
        assertThat(stored()).hasSize(1);

        endings.get(0).run();
        upload.thread.join();
        assertThat(stored()).isEmpty();
    }

    /** As the task ends it. */
    @Test
    void itsThreadMayBeInterrupted() throws Exception {
        HangingFileSystem.hangAfter(Integer.MAX_VALUE, 0);
        Upload upload = uploadWithEndings(FlinkFilesTest::startThread);
        elsewhere(this::begun);
        upload.call(
                () -> {
                    Thread.currentThread().interrupt();
                    return null;
                });
        upload.thread.join();

        assertThat(stored()).isEmpty();
    }

    /** It writes RocksDB's metadata, and all of a heap. */
    @Test
    void itsThreadMayBeInterruptedAsItClosesAFileOfItsOwn() throws Exception {
        HangingFileSystem.hangAfter(Integer.MAX_VALUE, 0);
        Upload upload = uploadWithEndings(FlinkFilesTest::startThread);
        upload.call(
                () -> {
                    CheckpointStateOutputStream stream = begun();
                    Thread.currentThread().interrupt();
                    return closed(stream);
                });
        upload.thread.join();

        assertThat(stored()).isEmpty();
    }

    /** A store makes the file as its stream is closed, and deletes none that is not there. */
    @Test
    void aFileWhoseWriterHangsIsDeletedInTheEnd() throws Exception {
        HangingFileSystem.hangAfter(0, 0);
        Upload upload = uploadWithEndings(FlinkFilesTest::startThread);
        CompletableFuture<Throwable> writer = async(() -> failureOf(this::begun));
        HangingFileSystem.awaitWriter();
        upload.releaseWhenItWaits();
        assertThat(stored()).isEmpty();
        writer.get();
    }

    @Test
    void theUploadsThreadWaitsForAWriterThatCloses() throws Exception {
        HangingFileSystem.hangInClose();
        Upload upload = uploadWithEndings(FlinkFilesTest::startThread);
        CompletableFuture<Throwable> writer = async(() -> failureOf(() -> closed(begun())));
        HangingFileSystem.awaitWriter();
        upload.releaseWhenItWaits();
        assertThat(stored()).isEmpty();
        assertThat(writer.get()).isNull();
    }

    /** That would wait for the store too, and a result may name the file. */
    @Test
    void norDoesAnyOtherCloseAFileThatIsBeingCompleted() throws Exception {
        HangingFileSystem.hangAfter(0, BUFFER + 1);
        Upload upload = uploadWithEndings(endings::add);
        CheckpointStateOutputStream stream = elsewhere(this::begun);
        stream.write(1);
        CompletableFuture<StreamStateHandle> writer = async(stream::closeAndGetHandle);
        HangingFileSystem.awaitWriter();
        stream.close();
        upload.stop();
        await().atMost(Duration.ofMinutes(1))
                .until(() -> upload.thread.getState() == Thread.State.BLOCKED);
        HangingFileSystem.release();
        upload.thread.join();
        assertThat(endings).isEmpty();
        assertThat(stored()).containsExactly(pathOf(writer.get()));
    }

    /** The close of the other one comes when this has begun, or after it. */
    @Test
    void aFileThatAnotherClosesIsNotCompleted() throws Exception {
        Upload upload = new Upload();
        elsewhere(this::begun);
        upload.stop();
        awaitEndings(1);
        CheckpointStateOutputStream late = elsewhere(this::begun);
        endings.get(0).run();
        awaitEndings(2);
        assertThat(failureOf(late::closeAndGetHandle)).isInstanceOf(IOException.class);
        assertThat(failureOf(() -> written(late))).isInstanceOf(IOException.class);

        endings.get(1).run();
        upload.thread.join();
        assertThat(stored()).isEmpty();
    }

    private void awaitEndings(int count) {
        await().atMost(Duration.ofMinutes(1)).until(() -> endings.size() == count);
    }

    /** Whose streams may need it. */
    @Test
    void aFileOfAnotherStorageIsClosedIfItsCompletionFails() throws Exception {
        FailingStream failing = new FailingStream();
        files = new FlinkFiles(failing.storage(), endings::add);
        Upload upload = new Upload();
        assertThat(failureOf(() -> files.open().closeAndGetHandle())).hasMessage("a test");
        upload.stop();
        awaitEndings(1);
        endings.get(0).run();
        upload.thread.join();

        assertThat(failing.wasClosed).isTrue();
    }

    /** That of a checkpoint, which other checkpoints wait for. */
    @Test
    void aThreadWithASafetyNetKeepsItAndDoesNotWait() throws Exception {
        CheckpointStateOutputStream[] left = {null};
        files.run(
                () -> {
                    left[0] = async(this::begun).join();
                });
        left[0].write(new byte[BUFFER + 1]);
        assertThat(stored()).hasSize(1);

        FileSystemSafetyNet.closeSafetyNetAndGuardedResourcesForThread();
        assertThat(failureOf(() -> written(left[0]))).isInstanceOf(IOException.class);
    }

    /** By program too. */
    @Test
    void buffersAndThresholdsAreThoseOfTheStorage() throws Exception {
        Upload upload = new Upload();
        CheckpointStateOutputStream inline = files.open();
        inline.write(new byte[INLINE]);
        assertThat(inline.closeAndGetHandle()).isExactlyInstanceOf(ByteStreamStateHandle.class);

        CheckpointStateOutputStream file = files.open();
        file.write(new byte[BUFFER - 1]);
        assertThat(stored()).isEmpty();
        file.write(new byte[2]);
        assertThat(stored()).hasSize(1);

        StreamStateHandle handle = file.closeAndGetHandle();
        assertThat(stored()).containsExactly(pathOf(handle));
        assertThat(stored().get(0)).hasSize(BUFFER + 1);
        upload.finish();
    }

    /** To the file system that hangs. */
    private Upload uploadWithEndings(Executor executor) throws Exception {
        files = filesIn(URI.create(HangingFileSystem.SCHEME + "://" + checkpoints), executor);
        return new Upload();
    }

    private static void startThread(Runnable work) {
        new Thread(work).start();
    }

    private static Path pathOf(StreamStateHandle file) {
        return Path.of(((FileStateHandle) file).getFilePath().getPath());
    }

    private CheckpointStateOutputStream begun() throws IOException {
        return written(files.open());
    }

    private static <S extends OutputStream> S written(S stream) throws IOException {
        stream.write(new byte[BUFFER + 1]);
        return stream;
    }

    private static Void closed(OutputStream stream) throws IOException {
        stream.close();
        return null;
    }

    /** The files that a task owns. */
    private List<Path> stored() throws IOException {
        List<Path> stored = new ArrayList<>(PathsBelow.files(checkpoints));
        stored.removeIf(file -> !file.getParent().endsWith("taskowned"));
        return stored;
    }

    /** On a thread of its own, which has no safety net. */
    private static <T> CompletableFuture<T> async(Callable<T> work) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return work.call();
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                FlinkFilesTest::startThread);
    }

    private static <T> T elsewhere(Callable<T> work) throws Exception {
        return async(work).get();
    }

    private static Throwable failureOf(Callable<?> work) {
        try {
            work.call();
            return null;
        } catch (Throwable t) {
            return t;
        }
    }

    private static final class FailingStream extends MemoryCheckpointOutputStream {
        private volatile boolean wasClosed;

        FailingStream() {
            super(1);
        }

        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
            throw new IOException("a test");
        }

        @Override
        public void close() {
            wasClosed = true;
        }

        CheckpointStorageWorkerView storage() {
            return new CheckpointStorageWorkerView() {
                @Override
                public CheckpointStateOutputStream createTaskOwnedStateStream() {
                    return FailingStream.this;
                }

                @Override
                public CheckpointStateToolset createTaskOwnedCheckpointStateToolset() {
                    return new NotDuplicatingCheckpointStateToolset();
                }

                @Override
                public CheckpointStreamFactory resolveCheckpointStorageLocation(
                        long checkpointId, CheckpointStorageLocationReference reference) {
                    throw new IllegalStateException("a test");
                }
            };
        }
    }

    /** Runs on a thread of its own until it is stopped. */
    private final class Upload {
        private final BlockingQueue<FutureTask<?>> tasks = new LinkedBlockingQueue<>();
        private final CompletableFuture<Void> running = new CompletableFuture<>();
        private final Thread thread = new Thread(() -> files.run(this::work));
        private volatile boolean stops;
        private volatile boolean stopped;

        Upload() throws Exception {
            thread.start();
            running.get();
        }

        private void work() {
            running.complete(null);
            while (!stops) {
                try {
                    tasks.take().run();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    stops = true;
                }
            }
            stopped = true;
        }

        <T> T call(Callable<T> task) throws Exception {
            FutureTask<T> submitted = new FutureTask<>(task);
            tasks.add(submitted);
            return submitted.get();
        }

        void finish() throws InterruptedException {
            stop();
            thread.join();
        }

        void stop() {
            tasks.add(
                    new FutureTask<>(
                            () -> {
                                stops = true;
                                return null;
                            }));
        }

        /** Fails if it does not wait for the store. */
        void releaseWhenItWaits() throws InterruptedException {
            stop();
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> stopped && thread.getState() != Thread.State.RUNNABLE);
            assertThat(thread.isAlive()).isTrue();
            HangingFileSystem.release();
            thread.join();
        }
    }
}
