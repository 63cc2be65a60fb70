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
package io.dstl.changelog.flink;

import static java.util.Objects.requireNonNull;

import io.dstl.changelog.testing.Delegate;
import io.dstl.testkit.Matrix;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.state.changelog.ChangelogStateBackend;
import org.apache.flink.util.InstantiationUtil;

/**
 * The changelog backend as Flink's bases can drive it: on the TaskManager that they don't have, and
 * snapshotted in the way that is under test.
 */
final class BackendUnderTest implements ConfigurableStateBackend {
    private final transient TaskManagerUnderTest taskManager;
    private final SnapshotMode snapshots;
    private final ChangelogStateBackend backend;

    BackendUnderTest(
            TaskManagerUnderTest taskManager,
            SnapshotMode snapshots,
            ConfigurableStateBackend delegate) {
        this(taskManager, snapshots, new ChangelogStateBackend(delegate));
    }

    private BackendUnderTest(
            TaskManagerUnderTest taskManager,
            SnapshotMode snapshots,
            ChangelogStateBackend backend) {
        this.taskManager = requireNonNull(taskManager);
        this.snapshots = requireNonNull(snapshots);
        this.backend = requireNonNull(backend);
    }

    @Override
    public StateBackend configure(ReadableConfig config, ClassLoader classLoader) {
        return new BackendUnderTest(
                taskManager,
                snapshots,
                (ChangelogStateBackend) backend.configure(config, classLoader));
    }

    @Override
    public <K> CheckpointableKeyedStateBackend<K> createKeyedStateBackend(
            KeyedStateBackendParameters<K> ofBase) throws Exception {
        return snapshots.create(backend, inTaskManager(ofBase));
    }

    private <K> KeyedStateBackendParameters<K> inTaskManager(KeyedStateBackendParameters<K> ofBase)
            throws IOException, ClassNotFoundException {
        return new KeyedStateBackendParametersImpl<>(
                taskManager.environment(ofBase.getEnv()),
                ofBase.getJobID(),
                ofBase.getOperatorIdentifier(),
                ofBase.getKeySerializer(),
                ofBase.getNumberOfKeyGroups(),
                ofBase.getKeyGroupRange(),
                ofBase.getKvStateRegistry(),
                ofBase.getTtlTimeProvider(),
                ofBase.getMetricGroup(),
                ofBase.getCustomInitializationMetrics(),
                sent(ofBase.getStateHandles()),
                ofBase.getCancelStreamRegistry(),
                ofBase.getManagedMemoryFraction());
    }

    /** What arrives of them on the other side of a remote procedure call. */
    private static Collection<KeyedStateHandle> sent(Collection<KeyedStateHandle> handles)
            throws IOException, ClassNotFoundException {
        return InstantiationUtil.clone(new ArrayList<>(handles));
    }

    @Override
    public OperatorStateBackend createOperatorStateBackend(
            OperatorStateBackendParameters parameters) throws Exception {
        return backend.createOperatorStateBackend(parameters);
    }

    @Override
    public boolean useManagedMemory() {
        return backend.useManagedMemory();
    }

    @Override
    public boolean supportsSavepointFormat(SavepointFormatType format) {
        return backend.supportsSavepointFormat(format);
    }

    /**
     * What a base runs on: the delegate, the storage of the log, and what becomes of checkpoints.
     */
    static final class Mode {
        /** Where the log goes. */
        enum Storage {
            /** Ours, on local files. */
            DSTL,
            /** Flink's, in memory. */
            MEMORY
        }

        private final Delegate delegate;
        private final Storage storage;
        private final SnapshotMode snapshots;

        Mode(Delegate delegate, Storage storage, SnapshotMode snapshots) {
            this.delegate = delegate;
            this.storage = storage;
            this.snapshots = snapshots;
        }

        /**
         * Of both delegates, with each kind of snapshot on our storage, and on Flink's: those that
         * run.
         */
        static List<Mode> selected() {
            List<Mode> all = new ArrayList<>();
            for (Delegate delegate : List.of(Delegate.ROCKSDB, Delegate.HEAP)) {
                for (SnapshotMode snapshots : SnapshotMode.values()) {
                    all.add(new Mode(delegate, Storage.DSTL, snapshots));
                }
                all.add(new Mode(delegate, Storage.MEMORY, SnapshotMode.LOG));
            }
            return Matrix.ofThisRun().select(all);
        }

        Delegate delegate() {
            return delegate;
        }

        Storage storage() {
            return storage;
        }

        SnapshotMode snapshots() {
            return snapshots;
        }

        @Override
        public String toString() {
            return delegate + " on " + storage + ", " + snapshots;
        }
    }
}
