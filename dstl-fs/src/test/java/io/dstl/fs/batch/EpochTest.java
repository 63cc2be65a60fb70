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
package io.dstl.fs.batch;

import static io.dstl.fs.testing.LogHarness.START;
import static io.dstl.fs.testing.LogHarness.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.log.SegmentedChangeLog;
import io.dstl.fs.testing.LogHarness;
import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore;
import io.dstl.store.SegmentDirectory;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EpochTest {

    @TempDir Path base;

    @Test
    void beginsWithEachHigherCheckpoint() {
        Epoch second = Epoch.first().after(5);

        assertThat(second).isNotEqualTo(Epoch.first()).isEqualTo(Epoch.first().after(5));
        assertThat(second.after(4)).isEqualTo(second);
        assertThat(second.after(6)).isNotEqualTo(second);
    }

    /**
     * Checkpoint 1 lists a change set of the first writer; the second writer, already past
     * checkpoint 2, hands in one for checkpoint 3 within the same delay; checkpoint 2 lists
     * neither. In one file, the completion of checkpoint 2 would take the second from checkpoint 3.
     */
    @Test
    void keepsFlinksRegistryFromDeletingBetweenTwoCheckpoints() throws Exception {
        LogHarness harness =
                new LogHarness(
                        new FileSystemSegmentStore(
                                FileSystem.getLocalFileSystem(),
                                SegmentDirectory.of(
                                        new org.apache.flink.core.fs.Path(base.toUri()),
                                        new JobID()),
                                1000,
                                Runnable::run,
                                Redaction.OF_URIS));
        SharedStateRegistry jobManager = new SharedStateRegistryImpl();
        SegmentedChangeLog first = harness.createLog();
        SegmentedChangeLog second = harness.createLog();
        SegmentedChangeLog slow = harness.createLog();

        append(first, 1, 10);
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> firstIn1 =
                first.persist(START, 1);
        second.persist(START, 1);
        second.persist(START, 2);
        append(second, 2, 20);
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> secondIn3 =
                second.persist(START, 3);
        harness.timer.advance(LogHarness.DELAY);

        firstIn1.get().getJobManagerOwnedSnapshot().registerSharedStates(jobManager, 1);
        slow.persist(START, 1);
        first.confirm(START, first.nextSequenceNumber(), 1);
        first.truncate(first.nextSequenceNumber());
        first.persist(first.nextSequenceNumber(), 2);
        slow.persist(START, 2);
        first.confirm(START, first.nextSequenceNumber(), 2);
        second.confirm(START, second.nextSequenceNumber(), 2);
        jobManager.unregisterUnusedState(2);

        assertThatThrownBy(() -> harness.read(firstIn1)).hasMessageContaining("missing");
        assertThat(harness.read(secondIn3)).containsExactly("2:[20]");
        assertThat(secondIn3.get().getJobManagerOwnedSnapshot().getHandlesAndOffsets().get(0).f0)
                .isNotEqualTo(
                        firstIn1.get()
                                .getJobManagerOwnedSnapshot()
                                .getHandlesAndOffsets()
                                .get(0)
                                .f0);
    }
}
