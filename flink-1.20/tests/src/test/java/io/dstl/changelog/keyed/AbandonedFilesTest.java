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
package io.dstl.changelog.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.option.CapturedLog;
import io.dstl.materializer.Materialization.MaterializationId;
import io.dstl.registry.DeletionSchedule;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class AbandonedFilesTest {
    private final ManualTimer timer = new ManualTimer();
    private final AbandonedFiles abandoned =
            new AbandonedFiles(Executors.directExecutor(), DeletionSchedule.on(timer), true);

    private static MaterializedBase base(SnapshotResult<KeyedStateHandle> snapshot) {
        return MaterializedBase.snapshotted(
                new MaterializationId(1), snapshot, SequenceNumber.of(7));
    }

    private static MaterializedBase rocksDb(
            List<HandleAndLocalPath> shared, List<HandleAndLocalPath> own, File meta) {
        return base(
                SnapshotResult.of(
                        new IncrementalRemoteKeyedStateHandle(
                                new UUID(1, 2), new KeyGroupRange(0, 9), 3, shared, own, meta)));
    }

    /** An outage is when a base is most likely abandoned. */
    @Test
    void deletesInTheEndWhatTheStoreKeptAtFirst() {
        File stored = new File("stored", 2);
        abandoned.discard(base(SnapshotResult.of(heap(stored))));
        assertThat(stored.deletions).isOne();

        timer.advance(Duration.ofSeconds(1));
        timer.advance(Duration.ofSeconds(4));
        assertThat(stored.deletions).isEqualTo(3);
        assertThat(timer.size()).isZero();
    }

    /** RocksDB's handle swallows the failures of its files. */
    @Test
    void deletesEachFileOfRocksDb() {
        File shared = new File("shared", 2);
        File own = new File("own", 0);
        File meta = new File("meta", 1);
        abandoned.discard(
                rocksDb(
                        List.of(HandleAndLocalPath.of(shared, "1.sst")),
                        List.of(HandleAndLocalPath.of(own, "MANIFEST")),
                        meta));
        timer.advance(Duration.ofSeconds(1));
        timer.advance(Duration.ofSeconds(4));

        assertThat(shared.deletions).isEqualTo(3);
        assertThat(own.deletions).isOne();
        assertThat(meta.deletions).isEqualTo(2);
        assertThat(timer.size()).isZero();
    }

    /** The client may wait long for each, and local disks wait for the same thread. */
    @Test
    void triesFewFilesWhileTheStoreIsDown() {
        List<File> files = new ArrayList<>();
        List<HandleAndLocalPath> shared = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            files.add(new File("shared-" + i, 1));
            shared.add(HandleAndLocalPath.of(files.get(i), i + ".sst"));
        }
        abandoned.discard(rocksDb(shared, List.of(), new File("meta", 0)));

        assertThat(files.stream().mapToInt(file -> file.deletions).sum()).isEqualTo(3);
    }

    @Test
    void givesUpAfterMinutes() {
        File stored = new File("stored", Integer.MAX_VALUE);
        abandoned.discard(base(SnapshotResult.of(heap(stored))));
        for (int i = 0; i < 10; i++) {
            timer.advance(Duration.ofMinutes(5));
        }
        assertThat(stored.deletions).isEqualTo(6);
    }

    @Test
    void deletesNothingThatWasGiven() {
        File stored = new File("stored", 0);
        MaterializedBase given = base(SnapshotResult.of(heap(stored)));
        given.give();
        abandoned.discard(given);
        assertThat(stored.deletions).isZero();
    }

    @Test
    void deletesABackupOnlyOnce() {
        File stored = new File("stored", 1);
        File backup = new File("backup", 0);
        MaterializedBase base = base(SnapshotResult.withLocalState(heap(stored), heap(backup)));
        abandoned.discard(base);

        timer.advance(Duration.ofSeconds(1));
        assertThat(stored.deletions).isEqualTo(2);
        assertThat(backup.deletions).isOne();
        assertThat(base.backup()).isEmpty();
    }

    /** A checkpoint that is aborted would fail the task. */
    @Test
    void deletesABackupLaterWhereItGetsNoThreadAtFirst() {
        File stored = new File("stored", 0);
        File backup = new File("backup", 0);
        AtomicInteger threads = new AtomicInteger(1);
        Executor one =
                work -> {
                    if (threads.getAndDecrement() <= 0) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    work.run();
                };
        new AbandonedFiles(one, DeletionSchedule.on(timer), true)
                .discard(base(SnapshotResult.withLocalState(heap(stored), heap(backup))));
        assertThat(stored.deletions).isOne();
        assertThat(backup.deletions).isZero();

        threads.set(1);
        timer.advance(Duration.ofSeconds(1));
        assertThat(backup.deletions).isOne();
        assertThat(timer.size()).isZero();
    }

    /** Of an upload that was given up, or whose task has ended. */
    @Test
    void deletesAResultThatNobodyTakesLikeABase() {
        File stored = new File("stored", 2);
        File backup = new File("backup", 0);
        abandoned.discard(SnapshotResult.withLocalState(heap(stored), heap(backup)));

        timer.advance(Duration.ofSeconds(1));
        timer.advance(Duration.ofSeconds(4));
        assertThat(stored.deletions).isEqualTo(3);
        assertThat(backup.deletions).isOne();
    }

    @Test
    void aResultWithoutStateIsNothingToDelete() {
        abandoned.discard(SnapshotResult.empty());
        assertThat(timer.size()).isZero();
    }

    /** Those that are only put off until the next call are none of them. */
    @Test
    void theWarningCountsTheFilesThatCouldNotBeDeleted() {
        List<HandleAndLocalPath> shared = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            File file = new File("shared-" + i, i == 1 ? 1 : 0);
            shared.add(HandleAndLocalPath.of(file, i + ".sst"));
        }
        try (CapturedLog log = new CapturedLog("io.dstl.registry.FileDeleter")) {
            abandoned.discard(rocksDb(shared, List.of(), new File("meta", 0)));
            timer.advance(Duration.ofSeconds(1));

            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .contains("Could not delete 1 files of materialized state")
                    .contains("shared-1");
        }
    }

    /** However many attempts follow, each ends after few files. */
    @Test
    void eachAttemptIsShortWhileTheStoreIsDown() {
        List<File> files = new ArrayList<>();
        List<HandleAndLocalPath> shared = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            files.add(new File("shared-" + i, Integer.MAX_VALUE));
            shared.add(HandleAndLocalPath.of(files.get(i), i + ".sst"));
        }
        files.add(new File("meta", Integer.MAX_VALUE));
        abandoned.discard(rocksDb(shared, List.of(), files.get(100)));
        for (int i = 0; i < 10; i++) {
            timer.advance(Duration.ofMinutes(5));
        }
        assertThat(files.stream().mapToInt(file -> file.deletions).sum()).isEqualTo(6 * 3);
    }

    /** What the first attempt has begun in vain may be deleted while the next one is at work. */
    @Test
    void anAttemptNamesNoDirectoryAsAnEarlierOneDid() {
        MaterializationId restored = new MaterializationId(4);
        MaterializationId inVain =
                LoggedKeyedStateBackendBuilder.idBefore(restored, 0).next().next();

        assertThat(LoggedKeyedStateBackendBuilder.idBefore(restored, 1)).isGreaterThan(inVain);
        assertThat(LoggedKeyedStateBackendBuilder.idBefore(inVain, 2))
                .isGreaterThan(LoggedKeyedStateBackendBuilder.idBefore(inVain, 1).next());
    }

    private static final class File extends ByteStreamStateHandle {
        private static final long serialVersionUID = 1L;

        private final int failures;
        private int deletions;

        File(String name, int failures) {
            super(name, new byte[0]);
            this.failures = failures;
        }

        @Override
        public void discardState() {
            deletions++;
            if (deletions <= failures) {
                throw new UncheckedIOException(new IOException("503"));
            }
        }
    }

    private static KeyGroupsStateHandle heap(File file) {
        return new KeyGroupsStateHandle(new KeyGroupRangeOffsets(new KeyGroupRange(0, 9)), file);
    }
}
