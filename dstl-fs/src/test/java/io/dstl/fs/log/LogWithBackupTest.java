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
package io.dstl.fs.log;

import static io.dstl.fs.testing.LogHarness.START;
import static io.dstl.fs.testing.LogHarness.append;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.testing.LogHarness;
import io.dstl.fs.testing.MemoryBackup;
import io.dstl.store.testing.ScriptedStore;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;

/** What a log keeps on the local disk, lists there, and for how long. */
class LogWithBackupTest {

    private final ScriptedStore store = new ScriptedStore();
    private final LogHarness harness = new LogHarness(store);
    private final MemoryBackup backup = new MemoryBackup();
    private final SegmentedChangeLog log = harness.createLog(backup);

    @Test
    void listsBackupsInALocalHandleAndSegmentsInTheOther() throws Exception {
        append(log, 1, 10);
        persistNow(START, 1);
        append(log, 1, 20);
        SnapshotResult<ChangelogStateHandleStreamImpl> result = persistNow(START, 2);

        assertThat(files(result.getTaskLocalSnapshot())).containsExactly("disk/1", "disk/2");
        assertThat(files(result.getJobManagerOwnedSnapshot()))
                .containsExactlyElementsOf(store.objects());
        assertThat(result.getTaskLocalSnapshot().getStateSize()).isEqualTo(result.getStateSize());
        assertThat(result.getTaskLocalSnapshot().getKeyGroupRange())
                .isEqualTo(LogHarness.KEY_GROUPS);
    }

    @Test
    void aLogWithoutBackupsHasNoLocalHandle() throws Exception {
        SegmentedChangeLog without = harness.createLog();
        append(without, 1, 10);
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist =
                without.persist(START, 1);
        harness.timer.advance(LogHarness.DELAY);
        store.succeedAll();

        assertThat(persist.get().getTaskLocalSnapshot()).isNull();
        assertThat(backup.kept()).isEmpty();
    }

    @Test
    void listsTheSegmentOfWhatCouldNotBeKept() throws Exception {
        append(log, 1, 10);
        persistNow(START, 1);
        backup.failFromNowOn();
        append(log, 1, 20);

        assertThat(files(persistNow(START, 2).getTaskLocalSnapshot()))
                .containsExactly("disk/1", store.objects().get(1));
        log.confirm(START, log.nextSequenceNumber(), 2);
        SequenceNumber second = SequenceNumber.of(1);
        assertThat(persistNow(second, 3).getTaskLocalSnapshot()).isNull();
    }

    /** The segment is stored: an error on the local disk's side is no reason to wait for ever. */
    @Test
    void aBackupThatThrowsKeepsNoCheckpointWaiting() throws Exception {
        backup.throwFromNowOn();
        append(log, 1, 10);
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist =
                log.persist(START, 1);
        store.succeedAll();

        assertThat(persist).isCompleted();
        assertThat(persist.get().getTaskLocalSnapshot()).isNull();
        assertThat(harness.inFlight.bytes()).isZero();
    }

    @Test
    void keepsNothingOfAFailedUpload() throws Exception {
        append(log, 1, 10);
        log.persist(START, 1);
        store.put(0).fail(new IOException("503"));
        assertThat(backup.kept()).isEmpty();

        persistNow(START, 2);
        assertThat(backup.kept()).containsExactly("disk/1");
    }

    @Test
    void anAbortedCheckpointLeavesBackupsToTheNextOne() throws Exception {
        append(log, 1, 10);
        persistNow(START, 1);
        log.reset(START, log.nextSequenceNumber(), 1);

        assertThat(files(persistNow(START, 2).getTaskLocalSnapshot())).containsExactly("disk/1");
    }

    @Test
    void truncationDeletesWhatIsBeforeAndWhatWasRestoredBeforeThat() throws Exception {
        append(log, 1, 10);
        persistNow(START, 1);
        SequenceNumber end = log.nextSequenceNumber();
        append(log, 1, 20);
        persistNow(START, 2);
        assertThat(backup.isRestoredDeleted()).isFalse();

        log.truncate(end);
        assertThat(backup.kept()).containsExactly("disk/2");
        assertThat(backup.isRestoredDeleted()).isTrue();
    }

    @Test
    void closingLeavesToTheNextAttemptWhatHandlesListAndDeletesTheRest() throws Exception {
        append(log, 1, 10);
        persistNow(START, 1);
        log.append(1, new byte[LogHarness.PREEMPTIVE_BYTES]);
        harness.timer.advance(LogHarness.DELAY);
        store.succeedAll();
        assertThat(backup.kept()).containsExactly("disk/1", "disk/2");

        log.close();
        assertThat(backup.kept()).containsExactly("disk/1");
        assertThat(backup.isClosed()).isTrue();
    }

    @Test
    void anUploadThatEndsAfterTheLogKeepsNothing() throws Exception {
        append(log, 1, 10);
        log.persist(START, 1);
        log.close();
        store.succeedAll();

        assertThat(backup.kept()).isEmpty();
        assertThat(store.objects()).isEmpty();
    }

    private SnapshotResult<ChangelogStateHandleStreamImpl> persistNow(
            SequenceNumber from, long checkpointId) throws Exception {
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist =
                log.persist(from, checkpointId);
        store.succeedAll();
        return persist.get();
    }

    private static List<String> files(ChangelogStateHandleStreamImpl handle) {
        return handle.getHandlesAndOffsets().stream()
                .map(location -> ((FileStateHandle) location.f0).getFilePath().toString())
                .collect(Collectors.toList());
    }
}
