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

import io.dstl.changelog.keyed.ForwardingBackend.KeyedOnly;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A task is cancelled while its last file is being closed, which no interrupt ends; or its upload
 * fails then.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CancelledMaterializationTest {
    private final CountDownLatch stored = new CountDownLatch(1);
    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    /** The result has their only names, and a future that was cancelled drops it. */
    @Test
    void itsFilesAreDeleted(@TempDir Path directory) throws Exception {
        try (TestJob job = new TestJob(new Closing(stored, released), directory)) {
            uploadUpToTheClose(job);
            job.holdMails();
            job.subtasks().get(0).cancel();
            released.complete(null);
            endThreads();
            job.stop();
            assertThat(job.storedMaterializedFiles()).isEmpty();
        }
    }

    /** Also if one attempt has failed: Flink makes it when the store has just failed the upload. */
    @Test
    void whatAnUploadThatFailsHasStoredIsDeleted(@TempDir Path directory) throws Exception {
        try (TestJob job = new TestJob(new Closing(stored, released), directory)) {
            uploadUpToTheClose(job);
            released.completeExceptionally(new IOException("503"));
            endThreads();
            assertThat(job.storedMaterializedFiles()).isEmpty();
        }
    }

    private void uploadUpToTheClose(TestJob job) throws Exception {
        job.runOn(Executors.directExecutor(), this::begin);
        job.start(1);
        job.put(1, 8, "a");
        job.materialize();
        stored.await();
        assertThat(job.storedMaterializedFiles()).hasSize(1);
    }

    private void begin(Runnable work) {
        Thread thread = new Thread(work, "in the background");
        threads.add(thread);
        thread.start();
    }

    /** Also of those that the first ones start. */
    private void endThreads() throws InterruptedException {
        for (int i = 0; i < threads.size(); i++) {
            threads.get(i).join();
        }
    }

    /** Goes on after its file is stored until it is released, as a slow store does in a close. */
    private static final class Closing implements KeyedOnly {
        private final transient CountDownLatch stored;
        private final transient CompletableFuture<Void> released;

        Closing(CountDownLatch stored, CompletableFuture<Void> released) {
            this.stored = stored;
            this.released = released;
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
                    RunnableFuture<SnapshotResult<KeyedStateHandle>> written =
                            super.snapshot(checkpointId, timestamp, streams, options);
                    FutureTask<SnapshotResult<KeyedStateHandle>> snapshot =
                            new FutureTask<>(
                                    () -> {
                                        SnapshotResult<KeyedStateHandle> result =
                                                TestSubtask.finish(written);
                                        stored.countDown();
                                        released.join();
                                        return result;
                                    });
                    cancelStreamRegistry.registerCloseable(() -> snapshot.cancel(true));
                    return snapshot;
                }
            };
        }
    }
}
