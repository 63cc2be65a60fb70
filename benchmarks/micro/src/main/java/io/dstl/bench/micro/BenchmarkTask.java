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
package io.dstl.bench.micro;

import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.CodeSource;
import java.util.Collection;
import java.util.Optional;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.io.AvailabilityProvider;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.runtime.state.TestLocalRecoveryConfig;
import org.apache.flink.runtime.state.TestTaskStateManager;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageLoader;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageAccess;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.runtime.util.TestingTaskManagerRuntimeInfo;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * The state of one subtask, with the backend and the log that Flink finds on this JVM's class path:
 * both are loaded as a TaskManager loads them. The log's own threads batch and upload.
 *
 * <p>For one thread, which is the task's.
 */
final class BenchmarkTask implements AutoCloseable {
    private static final int KEY_GROUPS = 128;
    private static final long MANAGED_MEMORY = 256L << 20;
    private static final int MAX_STATE_BYTES = 64 << 20;
    private static final int WRITE_BUFFER = 4096;

    private final ExecutorService async = Executors.newSingleThreadExecutor();
    private final RocksDbWork rocksDbWork = new RocksDbWork();
    private final TaskMailbox mailbox = new TaskMailbox();
    private final StateBackend stateBackend;
    private final StateChangelogStorage<?> storage;
    private final AvailabilityProvider available;
    private final MockEnvironment environment;
    private final CheckpointableKeyedStateBackend<Long> backend;

    /**
     * @param restored the state to begin with; may be empty
     */
    BenchmarkTask(TaskSetup setup, Collection<KeyedStateHandle> restored) throws Exception {
        JobID job = new JobID();
        Configuration configuration = setup.configuration();
        StateChangelogStorageLoader.initialize(null);
        storage = setup.changelog() ? storage(job, configuration) : null;
        available =
                storage == null
                        ? () -> AvailabilityProvider.AVAILABLE
                        : storage.getAvailabilityProvider();
        stateBackend =
                StateBackendLoader.fromApplicationOrConfigOrDefault(
                        null,
                        new Configuration(),
                        configuration,
                        BenchmarkTask.class.getClassLoader(),
                        null);
        environment = environment(job, setup);
        backend =
                stateBackend.createKeyedStateBackend(
                        new KeyedStateBackendParametersImpl<>(
                                environment,
                                job,
                                new OperatorID().toHexString(),
                                LongSerializer.INSTANCE,
                                KEY_GROUPS,
                                KeyGroupRange.of(0, KEY_GROUPS - 1),
                                environment.getTaskKvStateRegistry(),
                                TtlTimeProvider.DEFAULT,
                                rocksDbWork,
                                restored,
                                new CloseableRegistry()));
    }

    private static StateChangelogStorage<?> storage(JobID job, Configuration configuration)
            throws IOException {
        return StateChangelogStorageLoader.load(
                job,
                configuration,
                UnregisteredMetricGroups.createUnregisteredTaskManagerJobMetricGroup(),
                TestLocalRecoveryConfig.disabled());
    }

    private MockEnvironment environment(JobID job, TaskSetup setup) throws IOException {
        MockEnvironment made =
                new MockEnvironmentBuilder()
                        .setJobID(job)
                        .setExecutionConfig(setup.executionConfig())
                        .setMaxParallelism(KEY_GROUPS)
                        .setManagedMemorySize(MANAGED_MEMORY)
                        .setTaskManagerRuntimeInfo(
                                new TestingTaskManagerRuntimeInfo(
                                        setup.configuration(), setup.local().toFile()))
                        .setTaskStateManager(
                                TestTaskStateManager.builder()
                                        .setJobID(job)
                                        .setStateChangelogStorage(storage)
                                        .setLocalRecoveryConfig(TestLocalRecoveryConfig.disabled())
                                        .build())
                        .build();
        made.setMainMailboxExecutor(mailbox);
        made.setAsyncOperationsThreadPool(async);
        FsCheckpointStorageAccess checkpoints =
                new FsCheckpointStorageAccess(
                        new Path(setup.checkpoints().toUri()), null, job, 0, WRITE_BUFFER);
        checkpoints.initializeBaseLocationsForCheckpoint();
        made.setCheckpointStorageAccess(checkpoints);
        return made;
    }

    CheckpointableKeyedStateBackend<Long> backend() {
        return backend;
    }

    /** What a task does between two records: it also waits there while the log is full. */
    void betweenRecords() throws Exception {
        mailbox.drain();
        while (!available.isAvailable()) {
            Thread.onSpinWait();
            mailbox.drain();
        }
    }

    /** The barrier: the part on the task's thread; the rest goes on beside it. */
    PendingCheckpoint checkpoint(long id) throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                backend.snapshot(
                        id,
                        id,
                        new MemCheckpointStreamFactory(MAX_STATE_BYTES),
                        CheckpointOptions.alignedNoTimeout(
                                CheckpointType.CHECKPOINT,
                                CheckpointOptions.forCheckpointWithDefaultLocation()
                                        .getTargetLocation()));
        async.execute(snapshot);
        return new PendingCheckpoint(id, snapshot);
    }

    /** The end of it, as the JobManager tells; returns what it had. */
    Optional<KeyedStateHandle> complete(PendingCheckpoint checkpoint) throws Exception {
        Optional<KeyedStateHandle> handle = checkpoint.await(this);
        ((CheckpointListener) backend).notifyCheckpointComplete(checkpoint.id());
        return handle;
    }

    /** Waits until RocksDB has nothing left to do in the background. */
    void awaitRocksDb() {
        rocksDbWork.awaitEnd();
    }

    LoadedClasses loaded() {
        return new LoadedClasses(stateBackend, backend, storage);
    }

    @Override
    public void close() throws Exception {
        backend.close();
        backend.dispose();
        if (storage != null) {
            storage.close();
        }
        environment.close();
        async.shutdownNow();
    }

    /** Between the barrier and the acknowledgement. */
    static final class PendingCheckpoint {
        private final long id;
        private final RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot;

        private PendingCheckpoint(
                long id, RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot) {
            this.id = id;
            this.snapshot = snapshot;
        }

        long id() {
            return id;
        }

        boolean isDone() {
            return snapshot.isDone();
        }

        /** Flink's log completes it through the mailbox, so mails are processed meanwhile. */
        private Optional<KeyedStateHandle> await(BenchmarkTask task) throws Exception {
            while (!snapshot.isDone()) {
                task.mailbox.drain();
                Thread.onSpinWait();
            }
            try {
                return Optional.ofNullable(snapshot.get().getJobManagerOwnedSnapshot());
            } catch (ExecutionException e) {
                throw new IOException("checkpoint " + id + " failed", e);
            }
        }
    }

    /** A task's mailbox: any thread posts mails, the task's runs them between two updates. */
    static final class TaskMailbox implements MailboxExecutor {
        private final Queue<ThrowingRunnable<? extends Exception>> mails =
                new ConcurrentLinkedQueue<>();

        @Override
        public void execute(
                MailOptions options,
                ThrowingRunnable<? extends Exception> mail,
                String description,
                Object... descriptionArgs) {
            mails.add(mail);
        }

        /** Runs what was posted; for the task's thread. */
        void drain() throws Exception {
            for (ThrowingRunnable<? extends Exception> mail = mails.poll();
                    mail != null;
                    mail = mails.poll()) {
                mail.run();
            }
        }

        @Override
        public void yield() {
            throw new UnsupportedOperationException("nothing waits for a mail here");
        }

        @Override
        public boolean tryYield() {
            return false;
        }

        @Override
        public boolean shouldInterrupt() {
            return false;
        }
    }

    /** Which classes did the work, and of which jars: what tells one variant from another. */
    static final class LoadedClasses {
        /** Names the file to write them to; unset: none is written. */
        static final String FILE_PROPERTY = "dstl.bench.loaded";

        private final Properties properties = new Properties();

        /**
         * @param storage may be null: there is no log
         */
        LoadedClasses(Object stateBackend, Object keyedBackend, Object storage) {
            put("stateBackend", stateBackend);
            put("keyedBackend", keyedBackend);
            if (storage != null) {
                put("storage", storage);
            }
        }

        private void put(String role, Object object) {
            properties.setProperty(role, object.getClass().getName());
            CodeSource source = object.getClass().getProtectionDomain().getCodeSource();
            properties.setProperty(
                    role + "From",
                    source == null ? "" : new File(source.getLocation().getPath()).getName());
        }

        void report() throws IOException {
            String file = System.getProperty(FILE_PROPERTY);
            if (file != null) {
                try (Writer out =
                        Files.newBufferedWriter(Paths.get(file), StandardCharsets.UTF_8)) {
                    properties.store(out, null);
                }
            }
        }
    }
}
