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
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.keyed.LoggedKeyedStateBackend;
import io.dstl.changelog.keyed.ManualPolicy;
import java.io.IOException;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.TestableKeyedStateBackend;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.state.changelog.ChangelogStateBackend;
import org.apache.flink.streaming.api.operators.StreamOperatorStateHandler;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.concurrent.Executors;

/** What becomes of the incremental checkpoints that Flink's bases ask for. */
enum SnapshotMode {
    /** Checkpoints of the log and nothing else. */
    LOG {
        @Override
        <K> CheckpointableKeyedStateBackend<K> create(
                ChangelogStateBackend backend, KeyedStateBackendParameters<K> parameters)
                throws Exception {
            return backend.createKeyedStateBackend(parameters);
        }
    },
    /** The delegate is materialized before each: checkpoints of a snapshot and no log. */
    MATERIALIZED {
        @Override
        <K> CheckpointableKeyedStateBackend<K> create(
                ChangelogStateBackend backend, KeyedStateBackendParameters<K> parameters)
                throws Exception {
            return MaterializingBackend.create(backend.getDelegatedStateBackend(), parameters);
        }
    },
    /** Full checkpoints, as Flink asks for after a restore in NO_CLAIM mode. */
    FULL {
        @Override
        <K> CheckpointableKeyedStateBackend<K> create(
                ChangelogStateBackend backend, KeyedStateBackendParameters<K> parameters)
                throws Exception {
            return typed(
                    backend.createKeyedStateBackend(parameters), CheckpointType.FULL_CHECKPOINT);
        }
    },
    /** Savepoints in the delegate's own format. */
    NATIVE_SAVEPOINT {
        @Override
        <K> CheckpointableKeyedStateBackend<K> create(
                ChangelogStateBackend backend, KeyedStateBackendParameters<K> parameters)
                throws Exception {
            return typed(
                    backend.createKeyedStateBackend(parameters),
                    SavepointType.savepoint(SavepointFormatType.NATIVE));
        }
    },
    /** Savepoints in the format of all backends. */
    CANONICAL_SAVEPOINT {
        @Override
        <K> CheckpointableKeyedStateBackend<K> create(
                ChangelogStateBackend backend, KeyedStateBackendParameters<K> parameters)
                throws Exception {
            CheckpointableKeyedStateBackend<K> keyed = backend.createKeyedStateBackend(parameters);
            return snapshottedBy(
                    keyed,
                    of ->
                            StreamOperatorStateHandler.prepareCanonicalSavepoint(
                                            keyed, new CloseableRegistry())
                                    .snapshot(
                                            (long) of[0],
                                            (long) of[1],
                                            (CheckpointStreamFactory) of[2],
                                            (CheckpointOptions) of[3]));
        }
    };

    abstract <K> CheckpointableKeyedStateBackend<K> create(
            ChangelogStateBackend backend, KeyedStateBackendParameters<K> parameters)
            throws Exception;

    private static <K> CheckpointableKeyedStateBackend<K> typed(
            CheckpointableKeyedStateBackend<K> backend, SnapshotType type) {
        return snapshottedBy(
                backend,
                of ->
                        acknowledged(
                                backend.snapshot(
                                        (long) of[0],
                                        (long) of[1],
                                        (CheckpointStreamFactory) of[2],
                                        CheckpointOptions.alignedNoTimeout(
                                                type,
                                                ((CheckpointOptions) of[3]).getTargetLocation()))));
    }

    /**
     * Each checkpoint comes to the JobManager as a copy. Without that two that start from one base
     * would register the same handle twice, which Flink refuses.
     */
    private static RunnableFuture<?> acknowledged(
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot) {
        return Overlay.over(RunnableFuture.class, snapshot)
                .replacing("get", none -> acknowledged(snapshot.get()))
                .get();
    }

    private static SnapshotResult<KeyedStateHandle> acknowledged(
            SnapshotResult<KeyedStateHandle> result) throws IOException, ClassNotFoundException {
        KeyedStateHandle handle = result.getJobManagerOwnedSnapshot();
        return handle == null ? result : SnapshotResult.of(InstantiationUtil.clone(handle));
    }

    @SuppressWarnings("unchecked") // An overlay is over a backend of K.
    private static <K> CheckpointableKeyedStateBackend<K> snapshottedBy(
            CheckpointableKeyedStateBackend<K> backend, Overlay.Replacement snapshot) {
        return Overlay.over(CheckpointableKeyedStateBackend.class, backend)
                .keeping(TestableKeyedStateBackend.class)
                .replacing("snapshot", snapshot)
                .get();
    }

    /**
     * A keyed backend that materializes before each snapshot, and takes the snapshot before for a
     * completed checkpoint, without which it could not materialize again.
     */
    private static final class MaterializingBackend<K> {
        private final LoggedKeyedStateBackend<K> backend;
        private final ManualPolicy policy;

        private RunnableFuture<SnapshotResult<KeyedStateHandle>> last;
        private long lastId;

        private MaterializingBackend(LoggedKeyedStateBackend<K> backend, ManualPolicy policy) {
            this.backend = requireNonNull(backend);
            this.policy = requireNonNull(policy);
        }

        @SuppressWarnings("unchecked") // The overlay is over a backend of K.
        static <K> CheckpointableKeyedStateBackend<K> create(
                StateBackend delegate, KeyedStateBackendParameters<K> parameters) throws Exception {
            ManualPolicy policy = new ManualPolicy();
            LoggedKeyedStateBackend<K> backend =
                    policy.backend(delegate, parameters, Executors.directExecutor());
            MaterializingBackend<K> materializing = new MaterializingBackend<>(backend, policy);
            return Overlay.over(CheckpointableKeyedStateBackend.class, backend)
                    .keeping(TestableKeyedStateBackend.class)
                    .replacing("snapshot", of -> materializing.snapshot(of))
                    .get();
        }

        private RunnableFuture<?> snapshot(Object[] arguments) throws Exception {
            boolean confirmed = confirmLast();
            policy.materialize();
            lastId = (long) arguments[0];
            last =
                    backend.snapshot(
                            lastId,
                            (long) arguments[1],
                            (CheckpointStreamFactory) arguments[2],
                            (CheckpointOptions) arguments[3]);
            return confirmed ? materialized(last) : last;
        }

        private boolean confirmLast() throws Exception {
            if (last == null) {
                return true;
            }
            boolean completed = last.isDone() && !last.isCancelled();
            if (completed) {
                backend.notifyCheckpointComplete(lastId);
            }
            return completed;
        }

        /** Whoever gets the snapshot knows that no part of it is a log. */
        private static RunnableFuture<?> materialized(
                RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot) {
            return Overlay.over(RunnableFuture.class, snapshot)
                    .replacing("get", none -> materialized(snapshot.get()))
                    .get();
        }

        private static SnapshotResult<KeyedStateHandle> materialized(
                SnapshotResult<KeyedStateHandle> result) {
            KeyedStateHandle handle = result.getJobManagerOwnedSnapshot();
            if (handle != null) {
                assertThat(((ChangelogStateBackendHandle) handle).getNonMaterializedStateHandles())
                        .isEmpty();
            }
            return result;
        }
    }
}
