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

import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.TestableKeyedStateBackend;
import org.apache.flink.state.changelog.ChangelogStateBackend;
import org.apache.flink.streaming.api.operators.StreamOperatorStateHandler;

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
                        backend.snapshot(
                                (long) of[0],
                                (long) of[1],
                                (CheckpointStreamFactory) of[2],
                                CheckpointOptions.alignedNoTimeout(
                                        type, ((CheckpointOptions) of[3]).getTargetLocation())));
    }

    @SuppressWarnings("unchecked") // An overlay is over a backend of K.
    private static <K> CheckpointableKeyedStateBackend<K> snapshottedBy(
            CheckpointableKeyedStateBackend<K> backend, Overlay.Replacement snapshot) {
        return Overlay.over(CheckpointableKeyedStateBackend.class, backend)
                .keeping(TestableKeyedStateBackend.class)
                .replacing("snapshot", snapshot)
                .get();
    }
}
