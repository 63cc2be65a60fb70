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

import io.dstl.fs.backup.BackupDirectories;
import io.dstl.fs.backup.LogBackup;
import io.dstl.fs.testing.LogHarness;
import io.dstl.store.testing.CountedNames;
import io.dstl.store.testing.ScriptedStore;
import io.dstl.testkit.ManualExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A checkpoint whose bytes are in the store waits for the local disk up to a limit. */
class LogWithSlowDiskTest {

    @TempDir Path directory;

    private final ScriptedStore store = new ScriptedStore();
    private final LogHarness harness = new LogHarness(store);
    private final ManualExecutor disk = new ManualExecutor();
    private SegmentedChangeLog log;

    @BeforeEach
    void createLog() {
        BackupDirectories backups =
                new BackupDirectories(new CountedNames("b"), disk, harness.timer);
        log = harness.createLog(backups.open(directory));
    }

    @Test
    void listsABackupThatIsWrittenWithinTheLimit() throws Exception {
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist = persist(1);
        assertThat(persist).isNotDone();
        disk.runAll();

        assertThat(persist.get().getTaskLocalSnapshot()).isNotNull();
        assertThat(files()).containsExactly("b1.backup");
    }

    @Test
    void completesWithoutABackupAfterTheLimit() throws Exception {
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist = persist(1);
        harness.timer.advance(LogBackup.LIMIT.minusNanos(1));
        assertThat(persist).isNotDone();
        harness.timer.advance(LogBackup.LIMIT);

        assertThat(persist.get().getJobManagerOwnedSnapshot()).isNotNull();
        assertThat(persist.get().getTaskLocalSnapshot()).isNull();
        disk.runAll();
        assertThat(files()).isEmpty();
    }

    @Test
    void waitsForAStuckDiskOnce() throws Exception {
        persist(1);
        harness.timer.advance(LogBackup.LIMIT);
        assertThat(persist(2).get().getTaskLocalSnapshot()).isNull();

        disk.runAll();
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist = persist(3);
        disk.runAll();
        assertThat(persist.get().getTaskLocalSnapshot()).isNotNull();
        assertThat(files()).hasSize(1);
    }

    @Test
    void closingWaitsForNoDiskAndLeavesNothing() throws Exception {
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist = persist(1);
        log.close();

        assertThat(persist).isCompletedExceptionally();
        assertThat(store.objects()).isEmpty();
        disk.runAll();
        assertThat(files()).isEmpty();
    }

    /** With its bytes in the store at the end of it. */
    private CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist(
            long checkpointId) throws IOException {
        append(log, 1, (int) checkpointId);
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist =
                log.persist(START, checkpointId);
        store.succeedAll();
        return persist;
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .sorted()
                    .collect(Collectors.toList());
        }
    }
}
