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
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A full checkpoint is given up, as Flink does at its timeout, while its upload is under way. */
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
        writing.start();
        uploads.get(0).underWay.await();
    }

    @AfterEach
    void end() throws Exception {
        uploads.forEach(upload -> upload.released.countDown());
        job.close();
        writing.join();
    }

    private void giveUp() {
        full.cancel(true);
        subtask.abort(2);
    }

    @Test
    void theNextCheckpointStartsFromItsUpload() throws Exception {
        giveUp();
        job.put(1, 4, "b");
        job.trigger(3, CHECKPOINT);
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

    @Test
    void itHoldsUpNoOtherCheckpointThatWaitsForIt() throws Exception {
        job.trigger(3, FULL_CHECKPOINT);
        giveUp();
        uploads.get(0).released.countDown();
        job.acknowledge(3);
        job.completeAndNotify(3);

        assertThat(uploads).hasSize(1);
        job.checkpoint(4);
        job.assertStoredIsReferenced(4);
    }

    @Test
    void anUploadThatGetsNowhereFromOneBarrierToTheNextIsGivenUp() throws Exception {
        giveUp();
        job.trigger(3, FULL_CHECKPOINT);
        job.cancelSnapshots(3);
        job.notifyAborted(3);
        assertThat(uploads).as("it has written since its own barrier").hasSize(1);

        job.trigger(4, FULL_CHECKPOINT);
        assertThat(uploads).hasSize(2);
        assertThatThrownBy(uploads.get(0)::get).isInstanceOf(CancellationException.class);
        uploads.get(1).released.countDown();
        job.acknowledge(4);
        job.completeAndNotify(4);
        job.checkpoint(5);
        job.assertStoredIsReferenced(5);
    }

    @Test
    void itEndsWithTheTask() throws Exception {
        giveUp();
        job.stop();
        assertThatThrownBy(uploads.get(0)::get).isInstanceOf(CancellationException.class);
        writing.join();
    }

    /** One that writes a little, and waits until it is released or interrupted. */
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
