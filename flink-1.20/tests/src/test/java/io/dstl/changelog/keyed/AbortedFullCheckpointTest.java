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

import static org.apache.flink.runtime.checkpoint.CheckpointType.CHECKPOINT;
import static org.apache.flink.runtime.checkpoint.CheckpointType.FULL_CHECKPOINT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.keyed.ForwardingBackend.KeyedOnly;
import io.dstl.materializer.UploadLane;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A full checkpoint is given up, as Flink does at its timeout, while its upload is under way. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AbortedFullCheckpointTest {
    private final List<HeldUpload> uploads = new ArrayList<>();
    private final List<Thread> uploading = new CopyOnWriteArrayList<>();

    /** As Flink makes it for each task: of one thread, whatever its greatest size says. */
    private final ExecutorService snapshots =
            new ThreadPoolExecutor(0, 2, 60, TimeUnit.SECONDS, new LinkedBlockingQueue<>());

    private TestJob job;
    private TestSubtask subtask;

    @BeforeEach
    void startAJob(@TempDir Path directory) throws Exception {
        job = new TestJob(new Held(uploads), directory);
        job.runOn(snapshots, this::upload);
        job.options().set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, Duration.ofHours(1));
        job.start(1);
        subtask = job.subtasks().get(0);
        job.put(1, 8, "a");
        job.checkpoint(1);
        job.holdMails();
    }

    @AfterEach
    void end() throws Exception {
        uploads.forEach(upload -> upload.released.countDown());
        job.close();
        snapshots.shutdownNow();
        for (Thread each : uploading) {
            each.join();
        }
    }

    private void upload(Runnable work) {
        Thread thread = new Thread(work, "uploads");
        uploading.add(thread);
        thread.start();
    }

    /** Checkpoint 2, with the upload under way. */
    private void beginAFullCheckpoint() throws Exception {
        job.trigger(2, FULL_CHECKPOINT);
        uploads.get(0).underWay.await();
    }

    private void abort(long checkpointId) {
        job.cancelSnapshots(checkpointId);
        job.notifyAborted(checkpointId);
    }

    /** All mails are delivered when the upload has ended. */
    private void endUpload() throws Exception {
        uploads.get(0).released.countDown();
        uploading.get(0).join();
        job.deliverMails();
        job.holdMails();
    }

    private void complete(long checkpointId) throws Exception {
        job.acknowledge(checkpointId);
        job.completeAndNotify(checkpointId);
    }

    @Test
    void theNextFullCheckpointStartsFromItsUpload() throws Exception {
        beginAFullCheckpoint();
        abort(2);
        job.put(1, 4, "b");
        job.trigger(3, FULL_CHECKPOINT);
        endUpload();
        complete(3);

        assertThat(uploads).hasSize(1);
        assertThat(job.materializedFilesOf(3)).isNotEmpty();
        job.checkpoint(4);
        job.assertStoredIsReferenced(4);
        job.stop();
        job.start(1);
        assertThat(job.read(4, 5)).isEqualTo(Map.of(4, "b of [a, b] timed", 5, "a of [a] timed"));
    }

    /** As a state does that takes longer to upload than any checkpoint may take. */
    @Test
    void theNextFullCheckpointStartsFromAnUploadThatEndedInBetween() throws Exception {
        beginAFullCheckpoint();
        abort(2);
        job.trigger(3, FULL_CHECKPOINT);
        abort(3);
        endUpload();

        job.checkpoint(4, FULL_CHECKPOINT);
        assertThat(uploads).hasSize(1);
        assertThat(job.materializedFilesOf(4)).isNotEmpty();
        job.checkpoint(5, CHECKPOINT);
        job.assertStoredIsReferenced(5);
    }

    @Test
    void aFullCheckpointAfterOneThatCompletedSharesNothingWithIt() throws Exception {
        beginAFullCheckpoint();
        abort(2);
        endUpload();
        job.checkpoint(3, FULL_CHECKPOINT);
        job.acknowledge(4, FULL_CHECKPOINT);

        assertThat(uploads).hasSize(2);
        assertThat(job.materializedFilesOf(4))
                .isNotEmpty()
                .doesNotContainAnyElementsOf(job.materializedFilesOf(3));
    }

    /** Otherwise one that a user asks for would hold up all others of a large job. */
    @Test
    void aCheckpointThatMayShareDoesNotWaitForIt() throws Exception {
        beginAFullCheckpoint();
        abort(2);
        job.put(1, 4, "b");
        job.checkpoint(3, CHECKPOINT);
        assertThat(job.materializedFilesOf(3)).isEmpty();
        job.deliverMails();
        subtask.materialize();
        assertThat(uploads).as("one at a time").hasSize(1);
        job.holdMails();

        endUpload();
        job.acknowledge(4, CHECKPOINT);
        assertThat(uploads).hasSize(1);
        assertThat(job.materializedFilesOf(4)).isNotEmpty();
        job.completeAndNotify(4);
        job.assertStoredIsReferenced(4);
        job.stop();
        job.start(1);
        assertThat(job.read(4, 5)).isEqualTo(Map.of(4, "b of [a, b] timed", 5, "a of [a] timed"));
    }

    @Test
    void aMaterializationThatWasDueMeanwhileFollows() throws Exception {
        beginAFullCheckpoint();
        abort(2);
        job.deliverMails();
        subtask.materialize();
        endUpload();
        job.put(1, 4, "b");
        job.deliverMails();
        job.checkpoint(3, CHECKPOINT);
        assertThat(uploads).hasSize(2);
    }

    /** A JobManager that has it deletes it with the first checkpoint that does not list it. */
    @Test
    void aCheckpointThatMayShareWaitsWhileAFullOneDoes() throws Exception {
        beginAFullCheckpoint();
        job.trigger(3, FULL_CHECKPOINT);
        abort(2);
        job.trigger(4, CHECKPOINT);
        endUpload();
        job.acknowledge(3);
        complete(4);

        assertThat(job.materializedFilesOf(3)).isNotEmpty();
        assertThat(job.materializedFilesOf(4)).isEqualTo(job.materializedFilesOf(3));
        job.checkpoint(5);
        job.assertStoredIsReferenced(5);
    }

    /** Otherwise each would make the next one wait, until the upload ends. */
    @Test
    void whatHasJoinedItFailsWithItAndTheNextDoesNotWait() throws Exception {
        beginAFullCheckpoint();
        job.trigger(3, CHECKPOINT);
        abort(2);
        assertThatThrownBy(() -> job.acknowledge(3))
                .hasMessageContaining("Checkpoint 3 waited for the upload of a full checkpoint")
                .satisfies(
                        failure ->
                                assertThat(reasonOf(failure))
                                        .as("one that Flink does not count")
                                        .isEqualTo(
                                                CheckpointFailureReason
                                                        .CHECKPOINT_DECLINED_SUBSUMED));
        job.put(1, 4, "b");
        job.checkpoint(4, CHECKPOINT);
        assertThat(job.materializedFilesOf(4)).isEmpty();
        job.notifyAborted(3);

        endUpload();
        job.checkpoint(5, CHECKPOINT);
        assertThat(uploads).hasSize(1);
        assertThat(job.materializedFilesOf(5)).isNotEmpty();
        job.assertStoredIsReferenced(5);
        job.stop();
        job.start(1);
        assertThat(job.read(4, 5)).isEqualTo(Map.of(4, "b of [a, b] timed", 5, "a of [a] timed"));
    }

    /** As Flink's task finds it. */
    private static CheckpointFailureReason reasonOf(Throwable failure) {
        return ExceptionUtils.findThrowable(failure, CheckpointException.class)
                .orElseThrow()
                .getCheckpointFailureReason();
    }

    @Test
    void oneCheckpointCountsItsBytes() throws Exception {
        beginAFullCheckpoint();
        abort(2);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> third =
                subtask.snapshot(3, FULL_CHECKPOINT);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> fourth = subtask.snapshot(4, CHECKPOINT);
        endUpload();
        KeyedStateHandle first = TestSubtask.finish(third).getJobManagerOwnedSnapshot();
        KeyedStateHandle later = TestSubtask.finish(fourth).getJobManagerOwnedSnapshot();

        long base =
                ((ChangelogStateBackendHandle) first)
                        .getMaterializedStateHandles().stream()
                                .mapToLong(KeyedStateHandle::getStateSize)
                                .sum();
        assertThat(base).isPositive();
        assertThat(first.getCheckpointedSize()).isGreaterThanOrEqualTo(base);
        assertThat(later.getStateSize()).isGreaterThanOrEqualTo(base);
        assertThat(later.getCheckpointedSize()).isZero();
    }

    /** Whether its checkpoint was aborted or waits for it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anUploadThatHangsIsGivenUp(boolean aborted) throws Exception {
        beginAFullCheckpoint();
        job.trigger(3, FULL_CHECKPOINT);
        if (aborted) {
            abort(2);
        }
        subtask.letTimePass(ManualPolicy.SILENCE.multipliedBy(2));
        job.deliverMails();
        job.holdMails();
        uploading.get(0).join();
        assertGivenUp(uploads.get(0));
        assertThatThrownBy(() -> job.acknowledge(3))
                .hasMessageContaining("has got anywhere. See that this TaskManager");
        job.notifyAborted(3);

        job.trigger(4, FULL_CHECKPOINT);
        complete(4);
        assertThat(uploads).hasSize(2);
        job.checkpoint(5);
        job.assertStoredIsReferenced(5);
    }

    /** It is interrupted and cancelled: it may hear of the one or of the other first. */
    private static void assertGivenUp(Future<?> upload) {
        assertThatThrownBy(upload::get)
                .matches(
                        end ->
                                end instanceof CancellationException
                                        || end.getCause() instanceof InterruptedException);
    }

    /** As one that has read all its input, and waits for its checkpoints. */
    @Test
    void anUploadThatHangsIsGivenUpWhereTheTaskTakesNoMails() throws Exception {
        beginAFullCheckpoint();
        subtask.mailbox().close();
        subtask.letTimePass(ManualPolicy.SILENCE.multipliedBy(2));
        assertThatThrownBy(() -> job.acknowledge(2))
                .hasMessageContaining("has got anywhere. See that this TaskManager");
        assertGivenUp(uploads.get(0));
    }

    @Test
    void anUploadThatHasNotBegunEndsWithItsCheckpoint() throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> full =
                subtask.snapshot(2, FULL_CHECKPOINT);
        full.cancel(true);
        subtask.abort(2);
        assertThat(uploads.get(0).isCancelled()).isTrue();

        job.trigger(3, FULL_CHECKPOINT);
        complete(3);
        assertThat(uploads).hasSize(2);
        job.checkpoint(4);
        job.assertStoredIsReferenced(4);
    }

    @Test
    void anUploadThatHasNotBegunIsBegunByTheNextThatWaitsForIt() throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> full =
                subtask.snapshot(2, FULL_CHECKPOINT);
        job.trigger(3, FULL_CHECKPOINT);
        full.cancel(true);
        subtask.abort(2);
        uploads.get(0).released.countDown();
        complete(3);

        assertThat(uploads).hasSize(1);
        assertThat(job.materializedFilesOf(3)).isNotEmpty();
    }

    /** Otherwise a job that needs this checkpoint could not go on. */
    @Test
    void theThreadOfItsCheckpointUploadsWhereTooManyUploadsHang() throws Exception {
        job.stop();
        job.runOn(
                snapshots,
                work -> {
                    throw new UploadLane.FullException("four uploads hang");
                });
        job.start(1);
        job.holdMails();
        job.trigger(2, FULL_CHECKPOINT);
        uploads.get(0).released.countDown();
        complete(2);

        assertThat(uploading).isEmpty();
        assertThat(job.materializedFilesOf(2)).isNotEmpty();
    }

    @Test
    void itEndsWithTheTask() throws Exception {
        beginAFullCheckpoint();
        abort(2);
        job.stop();
        assertThatThrownBy(uploads.get(0)::get).isInstanceOf(CancellationException.class);
        uploading.get(0).join();
    }

    /** One that writes a little, and the first waits until it is released or interrupted. */
    private static final class HeldUpload extends FutureTask<SnapshotResult<KeyedStateHandle>> {
        final CountDownLatch underWay;
        final CountDownLatch released;

        private HeldUpload(
                RunnableFuture<SnapshotResult<KeyedStateHandle>> upload,
                CheckpointStreamFactory streams,
                CountDownLatch underWay,
                CountDownLatch released) {
            super(
                    () -> {
                        try (CheckpointStateOutputStream stream =
                                streams.createCheckpointStateOutputStream(
                                        CheckpointedStateScope.EXCLUSIVE)) {
                            stream.write(1);
                        }
                        underWay.countDown();
                        released.await();
                        return TestSubtask.finish(upload);
                    });
            this.underWay = underWay;
            this.released = released;
        }

        static HeldUpload of(
                RunnableFuture<SnapshotResult<KeyedStateHandle>> upload,
                CheckpointStreamFactory streams) {
            return new HeldUpload(upload, streams, new CountDownLatch(1), new CountDownLatch(1));
        }
    }

    private static final class Held implements KeyedOnly {
        private final transient List<HeldUpload> uploads;

        Held(List<HeldUpload> uploads) {
            this.uploads = uploads;
        }

        @Override
        public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws Exception {
            return new ForwardingBackend<K>(
                    new HashMapStateBackend().createKeyedStateBackend(parameters)) {
                @Override
                public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
                        long checkpointId,
                        long timestamp,
                        CheckpointStreamFactory streams,
                        CheckpointOptions options)
                        throws Exception {
                    HeldUpload upload =
                            HeldUpload.of(
                                    super.snapshot(checkpointId, timestamp, streams, options),
                                    streams);
                    if (!uploads.isEmpty()) {
                        upload.released.countDown();
                    }
                    uploads.add(upload);
                    return upload;
                }
            };
        }
    }
}
