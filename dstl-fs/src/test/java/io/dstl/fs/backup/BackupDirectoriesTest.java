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
package io.dstl.fs.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.backup.LogBackup.BackupFile;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.read.ChangeReader;
import io.dstl.fs.read.UncachedSource;
import io.dstl.fs.testing.Changes;
import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import io.dstl.store.testing.CountedNames;
import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupDirectoriesTest {

    @TempDir Path disk;

    private final ManualExecutor thread = new ManualExecutor();
    private final ManualTimer timer = new ManualTimer();
    private final BackupDirectories directories =
            new BackupDirectories(new CountedNames("b"), thread, timer);
    private Path directory;

    @BeforeEach
    void nameDirectory() {
        directory = disk.resolve("subtask/dstl");
    }

    @Test
    void keepsAChangeSetAsAFileOfItsOwn() throws Exception {
        LogBackup backup = directories.open(directory);
        Changes first = Changes.random(1, 300);
        Changes second = Changes.random(2, 300);

        ChangelogStateHandle log =
                log(keep(backup, first).orElseThrow(), keep(backup, second).orElseThrow());

        List<String> expected = new ArrayList<>(first.expected());
        expected.addAll(second.expected());
        assertThat(read(log)).isEqualTo(expected);
        assertThat(files()).containsExactly("b1.backup", "b2.backup");
    }

    @Test
    void deletesInTheBackgroundWhatIsNotNeeded() throws Exception {
        LogBackup backup = directories.open(directory);
        SegmentLocation kept = keep(backup, 1);
        SegmentLocation unneeded = keep(backup, 2);

        backup.delete(unneeded);
        assertThat(files()).hasSize(2);
        thread.runAll();
        assertThat(files()).containsExactly(name(kept));
    }

    /** As Flink's options may give it; the handles of a checkpoint name absolute paths. */
    @Test
    void aDirectoryMayBeRelativeToTheProcess() throws Exception {
        Path relative = Path.of("").toAbsolutePath().relativize(directory);
        LogBackup former = directories.open(relative);
        SegmentLocation restored = keep(former, 1);
        former.close();

        directories.open(relative).keepRestored(List.of(log(restored)));
        thread.runAll();
        assertThat(files()).containsExactly(name(restored));
    }

    @Test
    void anAttemptFindsWhatItWasRestoredFromAndNothingElse() throws Exception {
        LogBackup former = directories.open(directory);
        SegmentLocation restored = keep(former, 1);
        keep(former, 2);
        former.close();

        LogBackup next = directories.open(directory);
        next.keepRestored(List.of(log(restored)));
        SegmentLocation own = keep(next, 3);
        thread.runAll();
        assertThat(files()).containsExactly(name(restored), name(own));

        next.deleteRestored();
        next.deleteRestored();
        thread.runAll();
        assertThat(files()).containsExactly(name(own));
    }

    @Test
    void anAttemptRestoredFromTheStoreFindsNothing() throws Exception {
        LogBackup former = directories.open(directory);
        keep(former, 1);
        former.close();

        LogBackup next = directories.open(directory);
        thread.runAll();
        assertThat(files()).as("the restore may need them").hasSize(1);
        SegmentLocation own = keep(next, 2);
        next.keepRestored(List.of());
        thread.runAll();
        assertThat(files()).containsExactly(name(own));
    }

    @Test
    void oneLogUsesADirectoryAtATime() {
        LogBackup first = directories.open(directory);
        assertThat(first.isKept()).isTrue();
        assertThat(directories.open(directory).isKept()).isFalse();
        assertThat(directories.open(disk.resolve("other")).isKept()).isTrue();

        first.close();
        first.close();
        assertThat(directories.open(directory).isKept()).isTrue();
        assertThat(directories.open(directory).isKept()).isFalse();
    }

    @Test
    void aDirectoryThatCannotBeMadeCostsTheBackupOnly() throws Exception {
        Files.createFile(disk.resolve("subtask"));
        assertThat(directories.open(directory).isKept()).isFalse();

        Files.delete(disk.resolve("subtask"));
        assertThat(directories.open(directory).isKept()).isTrue();
    }

    @Test
    void aChangeSetThatCannotBeWrittenIsNotKeptAndTheNextOneIs() throws Exception {
        LogBackup backup = directories.open(directory);
        Files.delete(directory);
        assertThat(keep(backup, Changes.random(1, 10))).isEmpty();
        assertThat(keep(backup, Changes.random(2, 10))).isEmpty();

        Files.createDirectories(directory);
        assertThat(keep(backup, Changes.random(3, 10))).isPresent();
    }

    @Test
    void aChangeSetThatWasGivenUpLeavesNoFile() throws Exception {
        LogBackup backup = directories.open(directory);
        Changes changes = Changes.random(1, 10);
        var sealed = changes.seal();
        sealed.release();

        assertThat(keep(backup, sealed)).isEmpty();
        assertThat(files()).isEmpty();
    }

    @Test
    void aClosedBackupKeepsNothingAndStillDeletes() throws Exception {
        LogBackup backup = directories.open(directory);
        SegmentLocation kept = keep(backup, 1);
        backup.close();
        assertThat(keep(backup, Changes.random(2, 10))).isEmpty();

        backup.delete(kept);
        thread.runAll();
        assertThat(files()).isEmpty();
    }

    @Test
    void deletesNothingOfTheStore() {
        assertThatThrownBy(() -> LogBackup.NONE.delete(null))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private SegmentLocation keep(LogBackup backup, int seed) throws IOException {
        return keep(backup, Changes.random(seed, 10)).orElseThrow();
    }

    private Optional<SegmentLocation> keep(LogBackup backup, Changes changes) throws IOException {
        return keep(backup, changes.seal());
    }

    private Optional<SegmentLocation> keep(LogBackup backup, ChangeSet changes) {
        List<Optional<SegmentLocation>> outcomes = new ArrayList<>();
        backup.keep(changes, outcomes::add);
        thread.runAll();
        assertThat(outcomes).hasSize(1);
        assertThat(timer.size()).as("limits still to come").isZero();
        return outcomes.get(0);
    }

    private static String name(SegmentLocation location) {
        return BackupFile.of(location.segment()).getFileName().toString();
    }

    private static ChangelogStateHandleStreamImpl log(SegmentLocation... locations) {
        return new ChangelogStateHandleStreamImpl(
                Stream.of(locations)
                        .map(
                                each ->
                                        Tuple2.<StreamStateHandle, Long>of(
                                                each.segment(), each.offset()))
                        .collect(Collectors.toList()),
                new KeyGroupRange(0, 127),
                1,
                1,
                "filesystem");
    }

    private static List<String> read(ChangelogStateHandle log) throws Exception {
        List<String> changes = new ArrayList<>();
        try (CloseableIterator<StateChange> iterator =
                new ChangeReader(new UncachedSource(new FileSystemOpener()), Redaction.OF_URIS)
                        .getChanges((ChangelogStateHandleStreamImpl) log)) {
            iterator.forEachRemaining(change -> changes.add(Changes.show(change)));
        }
        return changes;
    }

    private List<String> files() {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .sorted()
                    .collect(Collectors.toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
