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
package io.dstl.changelog.serializer;

import io.dstl.changelog.keyed.SteeredBackend;
import io.dstl.fs.DstlStorageFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.TestLocalRecoveryConfig;
import org.apache.flink.runtime.state.TestTaskStateManager;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageAccess;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.runtime.tasks.StreamTaskActionExecutor;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxExecutorImpl;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailboxImpl;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.TemporaryClassLoaderContext;

/**
 * One task, attempt after attempt, each restored from the checkpoint before. The test's thread is
 * the task's; snapshots and materializations are written by another one, which it waits for.
 */
final class TaskAttempts<K> implements AutoCloseable {

    private static final int KEY_GROUPS = 16;
    private static final int MAX_STATE_BYTES = 64 << 20;

    private final JobID job = new JobID();
    private final StateBackend delegate;
    private final TtlTimeProvider time;
    private final Changelog changelog;
    private final CheckpointStorageAccess checkpointStorage;
    private final StateChangelogStorage<?> storage;
    private final SharedStateRegistry registry = new SharedStateRegistryImpl();
    private final ExecutorService asynchronous = Executors.newSingleThreadExecutor();
    private final ArrayList<KeyedStateHandle> lastCheckpoint = new ArrayList<>();

    private AbstractKeyedStateBackend<K> attempt;
    private Runnable materialization;
    private MailboxExecutorImpl mailbox;
    private long checkpoints;

    TaskAttempts(StateBackend delegate, Path directory, TtlTimeProvider time, Changelog changelog)
            throws IOException {
        this.delegate = delegate;
        this.time = time;
        this.changelog = changelog;
        checkpointStorage =
                new FsCheckpointStorageAccess(
                        new org.apache.flink.core.fs.Path(
                                Files.createDirectories(directory.resolve("checkpoints")).toUri()),
                        null,
                        job,
                        0,
                        4096);
        checkpointStorage.initializeBaseLocationsForCheckpoint();
        Configuration configuration = new Configuration();
        configuration.setString(
                "state.changelog.dstl.dfs.base-path", directory.resolve("log").toUri().toString());
        storage =
                new DstlStorageFactory()
                        .createStorage(
                                job,
                                configuration,
                                UnregisteredMetricGroups
                                        .createUnregisteredTaskManagerJobMetricGroup(),
                                TestLocalRecoveryConfig.disabled());
    }

    /**
     * From the last checkpoint, if there is one. The user's classes are those of the context class
     * loader, as in a task.
     */
    AbstractKeyedStateBackend<K> start(TypeSerializer<K> keys) throws Exception {
        mailbox =
                new MailboxExecutorImpl(
                        new TaskMailboxImpl(Thread.currentThread()),
                        0,
                        StreamTaskActionExecutor.IMMEDIATE);
        MockEnvironment env =
                new MockEnvironmentBuilder()
                        .setJobID(job)
                        .setMaxParallelism(KEY_GROUPS)
                        .setManagedMemorySize(16 << 20)
                        .setUserCodeClassLoader(Thread.currentThread().getContextClassLoader())
                        .setTaskStateManager(
                                TestTaskStateManager.builder()
                                        .setJobID(job)
                                        .setStateChangelogStorage(storage)
                                        .build())
                        .build();
        env.setMainMailboxExecutor(mailbox);
        env.setAsyncOperationsThreadPool(asynchronous);
        env.setCheckpointStorageAccess(checkpointStorage);
        open(
                new KeyedStateBackendParametersImpl<>(
                        env,
                        job,
                        "operator",
                        keys,
                        KEY_GROUPS,
                        KeyGroupRange.of(0, KEY_GROUPS - 1),
                        env.getTaskKvStateRegistry(),
                        time,
                        new UnregisteredMetricsGroup(),
                        InstantiationUtil.clone(lastCheckpoint),
                        new CloseableRegistry()));
        return attempt;
    }

    private void open(KeyedStateBackendParameters<K> parameters) throws Exception {
        if (changelog == Changelog.OFF) {
            attempt = (AbstractKeyedStateBackend<K>) delegate.createKeyedStateBackend(parameters);
            materialization = () -> {};
            return;
        }
        SteeredBackend<K> steered = SteeredBackend.create(delegate, parameters, this::runElsewhere);
        attempt = steered.backend();
        materialization = steered::materialize;
    }

    /**
     * The delegate's state as of now goes into the next checkpoint, and the log up to here not. As
     * each checkpoint is without a changelog.
     */
    void materialize() {
        materialization.run();
        while (mailbox.tryYield()) {
            // until what the materialization has posted is done
        }
    }

    /** A checkpoint that completes. */
    void checkpoint() throws Exception {
        long id = ++checkpoints;
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                attempt.snapshot(
                        id,
                        id,
                        new MemCheckpointStreamFactory(MAX_STATE_BYTES),
                        CheckpointOptions.forCheckpointWithDefaultLocation());
        runElsewhere(inContextOfTask(snapshot));
        KeyedStateHandle handle =
                InstantiationUtil.clone(snapshot.get().getJobManagerOwnedSnapshot());
        handle.registerSharedStates(registry, id);
        registry.checkpointCompleted(id);
        lastCheckpoint.clear();
        lastCheckpoint.add(handle);
        attempt.notifyCheckpointComplete(id);
    }

    KeyedStateHandle lastCheckpoint() {
        return lastCheckpoint.get(0);
    }

    /** What the task has done since the last checkpoint is lost. */
    void kill() throws IOException {
        attempt.close();
        attempt.dispose();
        attempt = null;
    }

    /** As Flink's threads for checkpoints have it from the task that started them. */
    private static Runnable inContextOfTask(Runnable command) {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return () -> {
            try (TemporaryClassLoaderContext ignored = TemporaryClassLoaderContext.of(context)) {
                command.run();
            }
        };
    }

    private void runElsewhere(Runnable command) {
        try {
            asynchronous.submit(command).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws Exception {
        if (attempt != null) {
            kill();
        }
        asynchronous.shutdownNow();
        storage.close();
        registry.close();
    }
}
