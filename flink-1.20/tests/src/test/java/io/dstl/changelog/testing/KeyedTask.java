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
package io.dstl.changelog.testing;

import io.dstl.fs.DstlStorageFactory;
import io.dstl.fs.option.DstlOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SavepointSnapshotStrategy;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.SnapshotStrategyRunner;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.TestLocalRecoveryConfig;
import org.apache.flink.runtime.state.TestTaskStateManager;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageAccess;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * What a keyed backend is made with in a task, and a TaskManager around it: environment, key
 * groups, state to restore, storage of log and checkpoints. What a test does not set is of an empty
 * task.
 *
 * @param <K> type of the keys
 */
public final class KeyedTask<K> {
    private final TypeSerializer<K> keys;
    private MockEnvironment environment = new MockEnvironmentBuilder().build();
    private String operator = "operator";
    private int keyGroups = Delegate.KEY_GROUPS;
    private KeyGroupRange own = Delegate.ALL;
    private TtlTimeProvider time = TtlTimeProvider.DEFAULT;
    private MetricGroup metrics = new UnregisteredMetricsGroup();
    private Collection<KeyedStateHandle> restored = List.of();

    public KeyedTask(TypeSerializer<K> keys) {
        this.keys = keys;
    }

    public KeyedTask<K> environment(MockEnvironment of) {
        environment = of;
        return this;
    }

    /** An environment of the job, with the context class loader as that of the user's code. */
    public KeyedTask<K> environment(
            JobID job,
            StateChangelogStorage<?> log,
            CheckpointStorageAccess checkpoints,
            MailboxExecutor mailbox,
            ExecutorService threads) {
        environment =
                new MockEnvironmentBuilder()
                        .setJobID(job)
                        .setMaxParallelism(Delegate.KEY_GROUPS)
                        .setManagedMemorySize(16 << 20)
                        .setUserCodeClassLoader(Thread.currentThread().getContextClassLoader())
                        .setTaskStateManager(
                                TestTaskStateManager.builder()
                                        .setJobID(job)
                                        .setStateChangelogStorage(log)
                                        .build())
                        .build();
        environment.setMainMailboxExecutor(mailbox);
        environment.setAsyncOperationsThreadPool(threads);
        environment.setCheckpointStorageAccess(checkpoints);
        return this;
    }

    public KeyedTask<K> operator(String id) {
        operator = id;
        return this;
    }

    /**
     * @param all how many the job has
     * @param range the task's own
     */
    public KeyedTask<K> keyGroups(int all, KeyGroupRange range) {
        keyGroups = all;
        own = range;
        return this;
    }

    public KeyedTask<K> time(TtlTimeProvider of) {
        time = of;
        return this;
    }

    public KeyedTask<K> metrics(MetricGroup of) {
        metrics = of;
        return this;
    }

    public KeyedTask<K> restored(Collection<KeyedStateHandle> handles) {
        restored = handles;
        return this;
    }

    public KeyedStateBackendParameters<K> parameters() {
        return new KeyedStateBackendParametersImpl<>(
                environment,
                environment.getJobID(),
                operator,
                keys,
                keyGroups,
                own,
                environment.getTaskKvStateRegistry(),
                time,
                metrics,
                restored,
                new CloseableRegistry());
    }

    /** A state without namespaces, as user code gets it. */
    public static <S extends State> S state(
            KeyedStateBackend<?> backend, StateDescriptor<S, ?> descriptor) throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    /** A savepoint in Flink's own format, as an operator begins one. It is in memory. */
    public static RunnableFuture<SnapshotResult<KeyedStateHandle>> canonicalSavepoint(
            CheckpointableKeyedStateBackend<?> backend, long checkpointId) throws Exception {
        SavepointResources<?> begun = backend.savepoint();
        return new SnapshotStrategyRunner<>(
                        "savepoint",
                        new SavepointSnapshotStrategy<>(begun.getSnapshotResources()),
                        new CloseableRegistry(),
                        begun.getPreferredSnapshotExecutionType())
                .snapshot(
                        checkpointId,
                        0,
                        new MemCheckpointStreamFactory(1 << 20),
                        CheckpointOptions.forCheckpointWithDefaultLocation());
    }

    /** Our storage of the log, with no local recovery. */
    public static StateChangelogStorage<ChangelogStateHandleStreamImpl> logStorage(
            JobID job, Configuration configuration) throws IOException {
        return new DstlStorageFactory()
                .createStorage(
                        job,
                        configuration,
                        UnregisteredMetricGroups.createUnregisteredTaskManagerJobMetricGroup(),
                        TestLocalRecoveryConfig.disabled());
    }

    /** A configuration of the log below this directory. */
    public static Configuration logIn(Path directory) {
        Configuration configuration = new Configuration();
        configuration.set(DstlOptions.BASE_PATH, directory.toUri().toString());
        // However slow the machine: a second attempt would write when the test has moved on.
        configuration.set(DstlOptions.UPLOAD_TIMEOUT, Duration.ofMinutes(5));
        return configuration;
    }

    /**
     * Of a job's checkpoints, in files however small they are.
     *
     * @param directory made if it is not there
     */
    public static CheckpointStorageAccess checkpointStorage(JobID job, Path directory)
            throws IOException {
        CheckpointStorageAccess storage =
                new FsCheckpointStorageAccess(
                        new org.apache.flink.core.fs.Path(
                                Files.createDirectories(directory).toUri()),
                        null,
                        job,
                        0,
                        4096);
        storage.initializeBaseLocationsForCheckpoint();
        return storage;
    }
}
