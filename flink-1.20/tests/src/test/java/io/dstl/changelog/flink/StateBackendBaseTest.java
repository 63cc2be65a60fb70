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
import io.dstl.testkit.Matrix;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.StateBackendTestBase;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameter;
import org.apache.flink.testutils.junit.extensions.parameterized.ParameterizedTestExtension;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameters;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Flink's {@link StateBackendTestBase} on the changelog backend. */
@ExtendWith(ParameterizedTestExtension.class)
class StateBackendBaseTest extends StateBackendTestBase<AbstractStateBackend> {
    private static final List<String> MANY_COLUMN_FAMILIES =
            List.of(
                    "testKeyGroupsSnapshotRestoreNoRescale",
                    "testKeyGroupSnapshotRestoreScaleUp",
                    "testKeyGroupSnapshotRestoreScaleDown",
                    "testKeyGroupsSnapshotRestoreScaleUpUnEvenDistribute",
                    "testKeyGroupsSnapshotRestoreScaleDownUnEvenDistribute");

    @TempDir private Path directory;

    @Parameter public BackendUnderTest.Mode mode;

    @RegisterExtension private final BaseUnderTest underTest = new BaseUnderTest();

    @Parameters(name = "{0}")
    public static List<BackendUnderTest.Mode> modes() {
        return BackendUnderTest.Mode.selected();
    }

    /**
     * Flink's own heap backend takes the configuration snapshot of the live serializers on the
     * thread that writes a canonical savepoint ({@code HeapKeyValueStateIterator}), so two at once
     * fail this test now and then, with and without a changelog.
     */
    @BeforeEach
    void leaveOut(TestInfo test) {
        if (mode.delegate() == Delegate.HEAP
                && mode.snapshots() == SnapshotMode.CANONICAL_SAVEPOINT) {
            BaseUnderTest.leaveOut(
                    test,
                    StateBackendTestBase.class,
                    "testNonConcurrentSnapshotTransformerAccess",
                    "Flink's heap backend uses live serializers while it writes a canonical"
                            + " savepoint");
        }
    }

    /** They take most of the time of this class. */
    @BeforeEach
    void leaveOutManyColumnFamilies(TestInfo test) {
        String flink = EnvironmentInformation.getVersion().startsWith("1.") ? "1.20" : "2";
        if (!Matrix.ofThisRun().select(List.of("1.20", "2")).contains(flink)) {
            for (String name : MANY_COLUMN_FAMILIES) {
                BaseUnderTest.leaveOut(
                        test,
                        StateBackendTestBase.class,
                        name,
                        "128 column families in each of up to 92 databases: Flink 1.20 stands for"
                                + " both, and mvn -Pfull runs it");
            }
        }
    }

    @Override
    protected ConfigurableStateBackend getStateBackend() throws Exception {
        return underTest.backend(mode, directory);
    }

    @Override
    protected CheckpointStorage getCheckpointStorage() throws Exception {
        return underTest.checkpointStorage(mode, directory);
    }

    @Override
    protected boolean isSerializerPresenceRequiredOnRestore() {
        return true;
    }

    @Override
    protected boolean supportsAsynchronousSnapshots() {
        return true;
    }

    @Override
    protected boolean isSafeToReuseKVState() {
        return mode.delegate() == Delegate.ROCKSDB;
    }

    /**
     * Not for a log, nor for materializations, which outlive the checkpoint. A canonical savepoint
     * does, but it is cancelled by its task, and not with the backend as the base expects.
     */
    @Override
    protected boolean snapshotUsesStreamFactory() {
        return mode.snapshots() == SnapshotMode.NATIVE_SAVEPOINT;
    }
}
