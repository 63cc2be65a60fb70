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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.FileSystemSafetyNet;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which thread closes the files of an upload, and that they are as Flink makes them. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SAME_THREAD)
class FlinkFilesTest {
    private static final JobID JOB = new JobID(1, 2);
    private static final int INLINE = 10;
    private static final int BUFFER = 100;

    @TempDir Path checkpoints;

    private final List<Runnable> endings = new ArrayList<>();
    private FlinkFiles files;

    /** As on the thread of a task. */
    @BeforeEach
    void open() throws Exception {
        FileSystemSafetyNet.initializeSafetyNetForThread();
        CheckpointStorageAccess storage =
                new FileSystemCheckpointStorage(
                                new org.apache.flink.core.fs.Path(checkpoints.toUri()),
                                INLINE,
                                BUFFER)
                        .createCheckpointStorage(JOB);
        storage.initializeBaseLocationsForCheckpoint();
        files = new FlinkFiles(storage, endings::add);
    }

    @AfterEach
    void close() {
        FileSystemSafetyNet.closeSafetyNetAndGuardedResourcesForThread();
    }

    @Test
    void theTaskThreadClosesNoneAtItsEnd() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch taskEnded = new CountDownLatch(1);
        CompletableFuture<StreamStateHandle> upload =
                upload(
                        () -> {
                            CheckpointStateOutputStream stream = begun();
                            begun.countDown();
                            taskEnded.await();
                            stream.write(1);
                            return stream.closeAndGetHandle();
                        });
        begun.await();
        FileSystemSafetyNet.closeSafetyNetAndGuardedResourcesForThread();
        FileSystemSafetyNet.initializeSafetyNetForThread();
        taskEnded.countDown();

        assertThat(upload.get().getStateSize()).isEqualTo(BUFFER + 2);
    }

    @Test
    void whatTheUploadLeavesOpenIsClosedAtItsEnd() {
        CompletableFuture<Void> later = new CompletableFuture<>();
        CompletableFuture<Void> tried =
                CompletableFuture.runAsync(
                        () -> {
                            CheckpointStateOutputStream[] left = {null};
                            files.run(() -> left[0] = unchecked(this::begun));
                            unchecked(
                                    () -> {
                                        left[0].write(new byte[BUFFER + 1]);
                                        return later.complete(null);
                                    });
                        });

        assertThatThrownBy(tried::join)
                .isInstanceOf(CompletionException.class)
                .hasRootCauseInstanceOf(IOException.class);
        assertThat(later).isNotDone();
    }

    /** That of a checkpoint closes what it has left open itself. */
    @Test
    void aThreadThatHasASafetyNetKeepsIt() throws Exception {
        CheckpointStateOutputStream[] left = {null};
        files.run(() -> left[0] = unchecked(this::begun));
        left[0].write(new byte[BUFFER + 1]);

        FileSystemSafetyNet.closeSafetyNetAndGuardedResourcesForThread();
        assertThatThrownBy(() -> left[0].write(new byte[BUFFER + 1]))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aThreadOutsideOfTheUploadDoesNotWait() throws Exception {
        CheckpointStateOutputStream stream = upload(this::begun).get();
        assertThat(stored()).hasSize(1);

        stream.close();
        assertThat(stored()).as("not closed yet").hasSize(1);

        endings.forEach(Runnable::run);
        assertThat(stored()).as("deleted as it is closed").isEmpty();
    }

    /** Flink's stream to two places writes what is left in its buffer as it is closed. */
    @Test
    void norDoesItWrite() throws Exception {
        CheckpointStateOutputStream stream = upload(this::begun).get();

        assertThatThrownBy(() -> stream.write(1)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> stream.write(new byte[1], 0, 1)).isInstanceOf(IOException.class);
        assertThatThrownBy(stream::flush).isInstanceOf(IOException.class);
        assertThatThrownBy(stream::sync).isInstanceOf(IOException.class);
    }

    @Test
    void theWriterWaits() throws Exception {
        begun().close();

        assertThat(endings).isEmpty();
        assertThat(stored()).isEmpty();
    }

    /** So that its thread counts as hanging. */
    @Test
    void soDoesTheThreadOfTheUpload() throws Exception {
        upload(
                        () -> {
                            CheckpointStateOutputStream stream =
                                    CompletableFuture.supplyAsync(
                                                    () -> unchecked(this::begun),
                                                    work -> new Thread(work).start())
                                            .get();
                            stream.close();
                            return stream;
                        })
                .get();

        assertThat(endings).isEmpty();
        assertThat(stored()).isEmpty();
    }

    /** By program too. */
    @Test
    void buffersAndThresholdsAreThoseOfTheStorage() throws Exception {
        StreamStateHandle inline =
                upload(
                                () -> {
                                    CheckpointStateOutputStream stream = files.open();
                                    stream.write(new byte[INLINE]);
                                    return stream.closeAndGetHandle();
                                })
                        .get();
        assertThat(inline).isExactlyInstanceOf(ByteStreamStateHandle.class);

        List<Path> whenFull = new ArrayList<>();
        StreamStateHandle file =
                upload(
                                () -> {
                                    CheckpointStateOutputStream stream = files.open();
                                    stream.write(new byte[BUFFER - 1]);
                                    assertThat(stored()).isEmpty();
                                    stream.write(new byte[2]);
                                    whenFull.addAll(stored());
                                    return stream.closeAndGetHandle();
                                })
                        .get();
        assertThat(whenFull).hasSize(1).first().asString().endsWith(name(file));
        assertThat(whenFull.get(0)).hasSize(BUFFER + 1);
    }

    private static String name(StreamStateHandle file) {
        return ((FileStateHandle) file).getFilePath().getName();
    }

    /** On a thread of its own. */
    private <T> CompletableFuture<T> upload(Callable<T> upload) {
        CompletableFuture<T> result = new CompletableFuture<>();
        new Thread(
                        () ->
                                files.run(
                                        () -> {
                                            try {
                                                result.complete(upload.call());
                                            } catch (Throwable t) {
                                                result.completeExceptionally(t);
                                            }
                                        }))
                .start();
        return result;
    }

    private static <T> T unchecked(Callable<T> work) {
        try {
            return work.call();
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    private CheckpointStateOutputStream begun() throws IOException {
        CheckpointStateOutputStream stream = files.open();
        stream.write(new byte[BUFFER + 1]);
        return stream;
    }

    /** The files that a task owns. */
    private List<Path> stored() throws IOException {
        List<Path> found = new ArrayList<>();
        try (var entries = Files.list(checkpoints.resolve(JOB + "/taskowned"))) {
            entries.forEach(found::add);
        }
        return found;
    }
}
