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
package io.dstl.tools.orphans;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.RestoreMode;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCompletedCheckpointStorageLocation;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What Flink's JobManager leaves of the checkpoints that it takes over from the one before, with
 * any changelog: nothing but the claim mode that the job was started with decides it.
 */
class RecoveredCheckpointTest {
    private static final String JOB = Store.job(1);

    @TempDir private Path root;

    private Store store;
    private ChangelogStateBackendHandle state;
    private CompletedCheckpoint recovered;

    @BeforeEach
    void aCheckpointWithALogAndSharedFiles() throws Exception {
        store = new Store(root);
        state = store.materialized(JOB, 7, 0, store.segment(JOB, "segment", 0));
        recovered = completed(Store.operator(state));
    }

    private CompletedCheckpoint completed(OperatorState operator) throws Exception {
        return new CompletedCheckpoint(
                new JobID(0, 1),
                7,
                0,
                1,
                Map.of(operator.getOperatorID(), operator),
                List.of(),
                CheckpointProperties.forCheckpoint(
                        CheckpointRetentionPolicy.RETAIN_ON_CANCELLATION),
                new FsCompletedCheckpointStorageLocation(
                        FileSystem.getLocalFileSystem(),
                        new org.apache.flink.core.fs.Path(root.toUri()),
                        (FileStateHandle) store.stateFile(JOB, "chk-7", "metadata", 0),
                        "pointer"),
                null);
    }

    /** A later checkpoint is complete that refers to none of it. */
    private void takeOverAndSubsume(RestoreMode mode) throws Exception {
        try (SharedStateRegistry registry =
                SharedStateRegistry.DEFAULT_FACTORY.create(
                        Runnable::run, List.of(recovered), mode)) {
            registry.unregisterUnusedState(9);
        }
    }

    @Test
    void staysForEverAsItDoesNotCountAsClaimed() throws Exception {
        takeOverAndSubsume(SavepointRestoreSettings.none().getRestoreMode());

        assertThat(store.segments(JOB)).containsExactly("segment");
        assertThat(store.stateFiles(JOB, "shared")).containsExactly("sst");
        assertThat(store.stateFiles(JOB, "taskowned")).containsExactly("meta", "own");

        // What goes with the checkpoint's directory does go.
        assertThat(recovered.shouldBeDiscardedOnSubsume()).isTrue();
    }

    @Test
    void isDeletedInAJobThatWasStartedInClaimMode() throws Exception {
        takeOverAndSubsume(RestoreMode.CLAIM);

        assertThat(store.segments(JOB)).isEmpty();
        assertThat(store.stateFiles(JOB, "taskowned")).isEmpty();
        assertThat(store.stateFiles(JOB, "shared")).isEmpty();
    }

    /** The JobManager alone remembers that it is to be deleted: the next one does not know. */
    @Test
    void keepsItsMetadataWhileALaterOneHasTheSameBase() throws Exception {
        try (SharedStateRegistry registry =
                SharedStateRegistry.DEFAULT_FACTORY.create(
                        Runnable::run,
                        List.of(recovered),
                        SavepointRestoreSettings.none().getRestoreMode())) {
            KeyedStateHandle base = state.getMaterializedStateHandles().get(0);
            KeyedStateHandle later = Store.changelog(8, List.of(InstantiationUtil.clone(base)));
            Store.operator(later).registerSharedStates(registry, 8);

            assertThat(registry.unregisterUnusedState(8)).containsExactly(7L);
        }
    }

    /**
     * The changelog was turned on: a directory with metadata holds the base of newer checkpoints.
     */
    @Test
    void aPlainOneStaysAsItIsWhileALaterOneHasItAsItsBase() throws Exception {
        KeyedStateHandle base = store.plain(JOB, 7, 0);
        recovered = completed(Store.operator(base));
        try (SharedStateRegistry registry =
                SharedStateRegistry.DEFAULT_FACTORY.create(
                        Runnable::run, List.of(recovered), RestoreMode.CLAIM)) {
            KeyedStateHandle later = Store.changelog(8, List.of(InstantiationUtil.clone(base)));
            Store.operator(later).registerSharedStates(registry, 8);

            assertThat(registry.unregisterUnusedState(8)).containsExactly(7L);
        }
    }
}
