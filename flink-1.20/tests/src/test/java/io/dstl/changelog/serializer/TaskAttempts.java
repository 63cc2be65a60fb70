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

import io.dstl.changelog.keyed.ManualPolicy;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.KeyedTask;
import io.dstl.testkit.ManualMailbox;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.TemporaryClassLoaderContext;

/**
 * One task, attempt after attempt, each restored from the checkpoint before. The test's thread is
 * the task's; snapshots and materializations are written by another one, which it waits for.
 */
final class TaskAttempts<K> implements AutoCloseable {
    /** Whether a task's state is logged; without, it is a control of what Flink can by itself. */
    enum Changelog {
        ON,
        OFF
    }

    private static final int MAX_STATE_BYTES = 64 << 20;

    private final JobID job = new JobID();
    private final StateBackend delegate;
    private final TtlTimeProvider time;
    private final Changelog changelog;
    private final CheckpointStorageAccess checkpointStorage;
    private final StateChangelogStorage<?> storage;
    private final SharedStateRegistry registry = new SharedStateRegistryImpl();
    private final ExecutorService asynchronous = Executors.newSingleThreadExecutor();
    private final ManualPolicy policy = new ManualPolicy();
    private final ArrayList<KeyedStateHandle> lastCheckpoint = new ArrayList<>();

    private AbstractKeyedStateBackend<K> attempt;
    private ManualMailbox mailbox;
    private long checkpoints;

    TaskAttempts(Delegate delegate, Path directory, Changelog changelog) throws IOException {
        this(delegate, directory, TtlTimeProvider.DEFAULT, changelog);
    }

    TaskAttempts(Delegate delegate, Path directory, TtlTimeProvider time, Changelog changelog)
            throws IOException {
        this.delegate = delegate.backend(directory);
        this.time = time;
        this.changelog = changelog;
        checkpointStorage = KeyedTask.checkpointStorage(job, directory.resolve("checkpoints"));
        storage = KeyedTask.logStorage(job, KeyedTask.logIn(directory.resolve("log")));
    }

    /**
     * From the last checkpoint, if there is one. The user's classes are those of the context class
     * loader, as in a task.
     */
    AbstractKeyedStateBackend<K> start(TypeSerializer<K> keys) throws Exception {
        mailbox = new ManualMailbox();
        open(
                new KeyedTask<>(keys)
                        .environment(job, storage, checkpointStorage, mailbox, asynchronous)
                        .time(time)
                        .restored(InstantiationUtil.clone(lastCheckpoint))
                        .parameters());
        return attempt;
    }

    private void open(KeyedStateBackendParameters<K> parameters) throws Exception {
        if (changelog == Changelog.OFF) {
            attempt = (AbstractKeyedStateBackend<K>) delegate.createKeyedStateBackend(parameters);
        } else {
            attempt = policy.backend(delegate, parameters, this::runElsewhere);
        }
    }

    /**
     * The delegate's state as of now goes into the next checkpoint, and the log up to here not. As
     * each checkpoint is without a changelog.
     */
    void materialize() {
        policy.materialize();
        mailbox.runAll();
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
