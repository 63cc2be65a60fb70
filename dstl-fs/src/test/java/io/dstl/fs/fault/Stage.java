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
package io.dstl.fs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.dstl.fs.option.DstlOptions;
import io.dstl.fs.testing.Changes;
import io.dstl.testkit.ManualMailbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;
import org.apache.flink.util.CloseableIterator;

/**
 * A storage of either kind, used through Flink's interfaces alone, over a store that gets into
 * trouble. What is asked of it fails with an {@link AssertionError} where it does not happen.
 */
final class Stage implements AutoCloseable {

    private static final KeyGroupRange KEY_GROUPS = new KeyGroupRange(0, 9);

    final Trouble trouble;
    final ManualMailbox mailbox = new ManualMailbox();
    final StateChangelogWriter<ChangelogStateHandleStreamImpl> writer;

    private final StorageKind kind;
    private final Path temporary;
    private final Configuration config = new Configuration();
    private final StateChangelogStorage<ChangelogStateHandleStreamImpl> storage;
    private final SequenceNumber start;
    private boolean writerClosed;

    /**
     * @param directory an empty one, with a name that no other stage has
     */
    @SuppressWarnings("unchecked")
    Stage(StorageKind kind, Path directory) throws IOException {
        this.kind = kind;
        String name = directory.getFileName().toString();
        trouble = Trouble.named(name);
        temporary = Files.createDirectory(directory.resolve("temporary"));
        config.set(CoreOptions.TMP_DIRS, temporary.toString());
        config.set(
                DstlOptions.BASE_PATH,
                TroubledFileSystem.SCHEME + "://" + name + directory.resolve("store"));
        config.set(DstlOptions.PERSIST_DELAY, Duration.ZERO);
        config.set(DstlOptions.RETRY_DELAY_AFTER_FAILURE, Duration.ofMillis(1));
        config.set(DstlOptions.UPLOAD_TIMEOUT, Duration.ofMinutes(5));
        config.set(DstlOptions.PERSIST_SIZE_THRESHOLD, MemorySize.parse("1kb"));
        config.set(DstlOptions.IN_FLIGHT_DATA_LIMIT, MemorySize.parse("1kb"));
        // Far above what a fault needs: tasks stop between records, and no thread waits.
        config.set(DstlOptions.HARD_IN_FLIGHT_DATA_LIMIT, MemorySize.parse("10mb"));
        storage =
                (StateChangelogStorage<ChangelogStateHandleStreamImpl>)
                        kind.factory()
                                .createStorage(
                                        new JobID(),
                                        config,
                                        UnregisteredMetricGroups
                                                .createUnregisteredTaskManagerJobMetricGroup(),
                                        LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED);
        writer = storage.createWriter("task", KEY_GROUPS, mailbox);
        start = writer.initialSequenceNumber();
    }

    void append(int... bytes) throws IOException {
        byte[] change = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            change[i] = (byte) bytes[i];
        }
        writer.append(3, change);
    }

    /** Persists all that has been appended. */
    CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist(long checkpoint)
            throws IOException {
        return writer.persist(start, checkpoint);
    }

    /** Runs the mailbox as a task would, until that is stored. */
    ChangelogStateHandleStreamImpl stored(
            CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist)
            throws Exception {
        return mailbox.await(persist).getJobManagerOwnedSnapshot();
    }

    /** Waits until that has ended, well or not. */
    void ended(CompletableFuture<?> future) throws InterruptedException {
        try {
            future.get(kind.patienceSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            assertThat(future).isCompletedExceptionally();
        } catch (TimeoutException e) {
            fail("nobody completes it", e);
        }
    }

    /** Calls on a thread that does nothing else, as a task's. */
    <T> T onTaskThread(Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, "task");
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(kind.patienceSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return fail("the task thread is held up at " + List.of(thread.getStackTrace()), e);
        }
    }

    boolean takesRecords() {
        return storage.getAvailabilityProvider().isAvailable();
    }

    /** Waits until what has been appended is stored but for a little. */
    void awaitTakingRecords() throws Exception {
        storage.getAvailabilityProvider()
                .getAvailableFuture()
                .get(kind.patienceSeconds(), TimeUnit.SECONDS);
    }

    /** The job leaves the TaskManager. */
    void leave() throws Exception {
        closeWriter();
        storage.close();
    }

    /** Waits until deletions that have been asked for are done. */
    void settle() throws Exception {
        if (kind == StorageKind.DSTL) {
            storage.close();
        } else if (!trouble.sawDeletionWithin(StorageKind.DSTL.patienceSeconds())) {
            throw new IllegalStateException("Flink's storage has deleted nothing");
        }
    }

    /** The changes of a handle, as a restore reads them. */
    @SuppressWarnings("unchecked")
    List<String> read(ChangelogStateHandleStreamImpl handle) throws Exception {
        List<String> changes = new ArrayList<>();
        try (StateChangelogStorageView<ChangelogStateHandleStreamImpl> view =
                (StateChangelogStorageView<ChangelogStateHandleStreamImpl>)
                        kind.factory().createStorageView(config)) {
            try (CloseableIterator<StateChange> iterator = view.createReader().getChanges(handle)) {
                iterator.forEachRemaining(change -> changes.add(Changes.show(change)));
            }
        }
        return changes;
    }

    /** Files that reading has left on local disk. */
    List<Path> temporaryFiles() throws IOException {
        try (Stream<Path> files = Files.walk(temporary)) {
            return files.filter(Files::isRegularFile).collect(Collectors.toList());
        }
    }

    void closeWriter() {
        if (!writerClosed) {
            writerClosed = true;
            writer.close();
        }
    }

    @Override
    public void close() throws Exception {
        trouble.goOn();
        closeWriter();
        storage.close();
    }
}
