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

import java.nio.file.Path;
import java.util.List;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendMigrationTestBase;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameter;
import org.apache.flink.testutils.junit.extensions.parameterized.ParameterizedTestExtension;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameters;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Flink's {@link StateBackendMigrationTestBase} on the changelog backend. */
@ExtendWith(ParameterizedTestExtension.class)
class MigrationBaseTest extends StateBackendMigrationTestBase<StateBackend> {
    @TempDir private Path directory;

    @Parameter public BackendUnderTest.Mode mode;

    @RegisterExtension private final BaseUnderTest underTest = new BaseUnderTest();

    @Parameters(name = "{0}")
    public static List<BackendUnderTest.Mode> modes() {
        return BackendUnderTest.Mode.selected();
    }

    /**
     * Flink's format of a log has no snapshot of the key serializer, as the delegate's part has.
     */
    @BeforeEach
    void leaveOut(TestInfo test) {
        if (mode.snapshots() == SnapshotMode.LOG) {
            BaseUnderTest.leaveOut(
                    test,
                    StateBackendMigrationTestBase.class,
                    "testStateBackendRestoreSucceedsIfNewKeySerializerRequiresReconfiguration",
                    "There is nothing in a log that a key serializer could be reconfigured from");
            BaseUnderTest.leaveOut(
                    test,
                    StateBackendMigrationTestBase.class,
                    "testStateBackendRestoreFailsIfNewKeySerializerRequiresMigration",
                    "A wrong key serializer shows when it fails to read; the test's own then throws"
                            + " an AssertionError, which passes through any restore");
        }
    }

    @Override
    protected StateBackend getStateBackend() throws Exception {
        return underTest.backend(mode, directory);
    }

    @Override
    protected CheckpointStorage getCheckpointStorage() throws Exception {
        return underTest.checkpointStorage(mode, directory);
    }
}
