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

import io.dstl.changelog.testing.Delegate;
import io.dstl.testkit.Matrix.MatrixCase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.ttl.StateBackendTestContext;
import org.apache.flink.runtime.state.ttl.TtlStateTestBase;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.testutils.junit.extensions.parameterized.ParameterizedTestExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Flink's {@link TtlStateTestBase} on the changelog backend. The base is parameterized by the kind
 * of state, so there is a class for each mode; the first stands for the others.
 */
class TtlStateBaseTest {
    @Nested
    class RocksDbLog extends OnChangelog {
        RocksDbLog() {
            super(Delegate.ROCKSDB, SnapshotMode.LOG);
        }
    }

    @Nested
    @ExtendWith(MatrixCase.class)
    class RocksDbMaterialized extends OnChangelog {
        RocksDbMaterialized() {
            super(Delegate.ROCKSDB, SnapshotMode.MATERIALIZED);
        }
    }

    @Nested
    @ExtendWith(MatrixCase.class)
    class RocksDbCanonicalSavepoint extends OnChangelog {
        RocksDbCanonicalSavepoint() {
            super(Delegate.ROCKSDB, SnapshotMode.CANONICAL_SAVEPOINT);
        }
    }

    @Nested
    @ExtendWith(MatrixCase.class)
    class HashMapLog extends OnChangelog {
        HashMapLog() {
            super(Delegate.HEAP, SnapshotMode.LOG);
        }
    }

    @Nested
    @ExtendWith(MatrixCase.class)
    class HashMapMaterialized extends OnChangelog {
        HashMapMaterialized() {
            super(Delegate.HEAP, SnapshotMode.MATERIALIZED);
        }
    }

    @Nested
    @ExtendWith(MatrixCase.class)
    class HashMapFull extends OnChangelog {
        HashMapFull() {
            super(Delegate.HEAP, SnapshotMode.FULL);
        }
    }

    @Nested
    @ExtendWith(MatrixCase.class)
    class HashMapNativeSavepoint extends OnChangelog {
        HashMapNativeSavepoint() {
            super(Delegate.HEAP, SnapshotMode.NATIVE_SAVEPOINT);
        }
    }

    @Nested
    @ExtendWith(MatrixCase.class)
    class HashMapCanonicalSavepoint extends OnChangelog {
        HashMapCanonicalSavepoint() {
            super(Delegate.HEAP, SnapshotMode.CANONICAL_SAVEPOINT);
        }
    }

    /** On our storage. */
    @ExtendWith(ParameterizedTestExtension.class)
    abstract static class OnChangelog extends TtlStateTestBase {
        @TempDir private Path directory;

        private final BackendUnderTest.Mode mode;
        private TaskManagerUnderTest taskManager;

        OnChangelog(Delegate delegate, SnapshotMode snapshots) {
            this.mode =
                    new BackendUnderTest.Mode(
                            delegate, BackendUnderTest.Mode.Storage.DSTL, snapshots);
        }

        @BeforeEach
        void leaveOut(TestInfo test) {
            BaseUnderTest.leaveOut(
                    test,
                    TtlStateTestBase.class,
                    "testIncrementalCleanupWholeState",
                    "It looks into the state table of a state of the heap backend, which ours has"
                            + " wrapped");
        }

        @AfterEach
        void closeTaskManager() throws Exception {
            taskManager.close();
        }

        @Override
        protected StateBackendTestContext createStateBackendTestContext(TtlTimeProvider time) {
            try {
                taskManager = new TaskManagerUnderTest(mode.storage(), directory);
                StateBackend backend =
                        new BackendUnderTest(
                                taskManager, mode.snapshots(), mode.delegate().backend(directory));
                CheckpointStorage storage = taskManager.checkpointStorage();
                return new StateBackendTestContext(time) {
                    @Override
                    protected StateBackend createStateBackend() {
                        return backend;
                    }

                    @Override
                    protected CheckpointStorage createCheckpointStorage() {
                        return storage;
                    }
                };
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /**
         * Whether each snapshot leaves out what has expired. A log and RocksDB's files do not, and
         * a materialization is not repeated while nothing changes.
         */
        @Override
        public boolean isSavepoint() {
            switch (mode.snapshots()) {
                case CANONICAL_SAVEPOINT:
                    return true;
                case FULL:
                case NATIVE_SAVEPOINT:
                    return mode.delegate() == Delegate.HEAP;
                default:
                    return false;
            }
        }

        @Override
        protected boolean incrementalCleanupSupported() {
            return mode.delegate() == Delegate.HEAP;
        }
    }
}
