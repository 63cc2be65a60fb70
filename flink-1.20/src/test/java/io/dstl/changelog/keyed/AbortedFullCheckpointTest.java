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

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A full checkpoint is given up, as Flink does at its timeout, while its upload is under way. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AbortedFullCheckpointTest {
    private final List<HeldUpload> uploads = new ArrayList<>();
    private TestJob job;
    private TestSubtask subtask;
    private RunnableFuture<SnapshotResult<KeyedStateHandle>> full;
    private Thread writing;

    @BeforeEach
    void beginAFullCheckpoint(@TempDir Path directory) throws Exception {
        job = new TestJob(new Held(uploads), directory);
        job.start(1);
        subtask = job.subtasks().get(0);
        job.put(1, 8, "a");
        job.checkpoint(1);

        full = subtask.snapshot(2, FULL_CHECKPOINT);
        writing = new Thread(full, "writes checkpoint 2");
    }

    @AfterEach
    void end() throws Exception {
        uploads.forEach(upload -> upload.released.countDown());
        job.close();
        writing.join();
    }

    private void write() throws InterruptedException {
        writing.start();
        uploads.get(0).underWay.await();
    }

    private void giveUp() {
        full.cancel(true);
        subtask.abort(2);
    }

    private void endUpload() throws InterruptedException {
        uploads.get(0).released.countDown();
        writing.join();
    }

    @Test
    void theNextFullCheckpointStartsFromItsUpload() throws Exception {
        write();
        giveUp();
        job.put(1, 4, "b");
        job.trigger(3, FULL_CHECKPOINT);
        uploads.get(0).released.countDown();
        job.acknowledge(3);
        job.completeAndNotify(3);

        assertThat(uploads).hasSize(1);
        assertThat(job.materializedFilesOf(3)).isNotEmpty();
        assertThatThrownBy(full::get).isInstanceOf(CancellationException.class);
        job.checkpoint(4);
        job.assertStoredIsReferenced(4);
        job.stop();
        job.start(1);
        assertThat(job.read(4, 5)).isEqualTo(Map.of(4, "b of [a, b] timed", 5, "a of [a] timed"));
    }

    /** As a state does that takes longer to upload than any checkpoint may take. */
    @Test
    void theNextFullCheckpointStartsFromAnUploadThatEndedInBetween() throws Exception {
        write();
        giveUp();
        job.trigger(3, FULL_CHECKPOINT);
        job.cancelSnapshots(3);
        job.notifyAborted(3);
        endUpload();

        job.checkpoint(4, FULL_CHECKPOINT);
        assertThat(uploads).hasSize(1);
        assertThat(job.materializedFilesOf(4)).isNotEmpty();
        job.checkpoint(5, CHECKPOINT);
        job.assertStoredIsReferenced(5);
    }

    @Test
    void aFullCheckpointAfterOneThatCompletedSharesNothingWithIt() throws Exception {
        write();
        giveUp();
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
        write();
        giveUp();
        job.put(1, 4, "b");
        job.checkpoint(3, CHECKPOINT);
        assertThat(job.materializedFilesOf(3)).isEmpty();
        subtask.materialize();
        assertThat(uploads).as("one at a time").hasSize(1);

        endUpload();
        job.acknowledge(4, CHECKPOINT);
        assertThat(uploads).hasSize(1);
        assertThat(job.materializedFilesOf(4)).isNotEmpty();
        job.completeAndNotify(4);
        assertThat(uploads).as("what was due meanwhile").hasSize(2);
        job.checkpoint(5, CHECKPOINT);
        job.assertStoredIsReferenced(5);
        job.stop();
        job.start(1);
        assertThat(job.read(4, 5)).isEqualTo(Map.of(4, "b of [a, b] timed", 5, "a of [a] timed"));
    }

    /** A JobManager that has it deletes it with the first checkpoint that does not list it. */
    @Test
    void aCheckpointThatMayShareWaitsWhileAnotherDoes() throws Exception {
        write();
        job.trigger(3, CHECKPOINT);
        giveUp();
        job.trigger(4, CHECKPOINT);
        endUpload();
        job.acknowledge(3);
        job.acknowledge(4);
        job.completeAndNotify(4);

        assertThat(job.materializedFilesOf(3)).isNotEmpty();
        assertThat(job.materializedFilesOf(4)).isEqualTo(job.materializedFilesOf(3));
        job.checkpoint(5);
        job.assertStoredIsReferenced(5);
    }

    @Test
    void oneCheckpointCountsItsBytes() throws Exception {
        write();
        giveUp();
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

    @Test
    void anUploadThatHangsIsGivenUp() throws Exception {
        write();
        giveUp();
        job.trigger(3, FULL_CHECKPOINT);
        subtask.letTimePass(ManualPolicy.SILENCE.multipliedBy(2));
        writing.join();
        assertThatThrownBy(uploads.get(0)::get).hasCauseInstanceOf(InterruptedException.class);
        assertThatThrownBy(() -> job.acknowledge(3)).hasMessageContaining("got nowhere");
        job.notifyAborted(3);

        job.trigger(4, FULL_CHECKPOINT);
        assertThat(uploads).hasSize(2);
        job.acknowledge(4);
        job.completeAndNotify(4);
        job.checkpoint(5);
        job.assertStoredIsReferenced(5);
    }

    @Test
    void anUploadThatItsCheckpointWaitsForMayTakeAsLongAsThat() throws Exception {
        write();
        subtask.letTimePass(ManualPolicy.SILENCE.multipliedBy(2));
        endUpload();
        assertThat(TestSubtask.finish(full).getJobManagerOwnedSnapshot()).isNotNull();
    }

    @Test
    void anUploadThatHasNotBegunEndsWithItsCheckpoint() throws Exception {
        giveUp();
        assertThat(uploads.get(0).isCancelled()).isTrue();

        job.trigger(3, FULL_CHECKPOINT);
        assertThat(uploads).hasSize(2);
        job.acknowledge(3);
        job.completeAndNotify(3);
        job.checkpoint(4);
        job.assertStoredIsReferenced(4);
    }

    /** Flink runs one after the other what the operators of a chain have to write. */
    @Test
    void anUploadThatHasNotBegunIsBegunByTheNextThatWaitsForIt() throws Exception {
        job.trigger(3, FULL_CHECKPOINT);
        giveUp();
        uploads.get(0).released.countDown();
        job.acknowledge(3);
        job.completeAndNotify(3);

        assertThat(uploads).hasSize(1);
        assertThat(job.materializedFilesOf(3)).isNotEmpty();
    }

    @Test
    void itEndsWithTheTask() throws Exception {
        write();
        giveUp();
        job.stop();
        assertThatThrownBy(uploads.get(0)::get).isInstanceOf(CancellationException.class);
        writing.join();
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

    private static final class Held implements StateBackend {
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

        @Override
        public OperatorStateBackend createOperatorStateBackend(
                OperatorStateBackendParameters parameters) {
            throw new UnsupportedOperationException("Keyed state only");
        }
    }
}
