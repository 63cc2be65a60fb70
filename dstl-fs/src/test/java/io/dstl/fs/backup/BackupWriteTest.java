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

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.testing.Changes;
import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.flink.util.function.BiConsumerWithException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a write, its file and its memory, when the disk is slow. */
class BackupWriteTest {

    private static final Error NO_THREAD = new Error("unable to create native thread");

    @TempDir Path directory;

    private final ManualExecutor thread = new ManualExecutor();
    private final ManualTimer timer = new ManualTimer();
    private final BackupDisk disk = new BackupDisk(thread, timer);
    private final Outcomes outcomes = new Outcomes();
    private ChangeSet changes;
    private Path file;

    @BeforeEach
    void seal() throws IOException {
        changes = Changes.random(1, 10).seal();
        file = directory.resolve("file");
    }

    @Test
    void keepsWhatIsWrittenWithinTheLimit() {
        disk.submit(write((set, to) -> Files.createFile(to)));
        thread.runAll();
        timer.advance(LogBackup.LIMIT);

        assertThat(outcomes.kept).hasSize(1);
        assertThat(outcomes.causes).isEmpty();
        assertThat(file).exists();
        assertThat(disk.isStalled()).isFalse();
        assertMemoryIsGivenBack();
    }

    @Test
    void deletesAFileThatComesAfterTheLimit() {
        disk.submit(
                write(
                        (set, to) -> {
                            Files.createFile(to);
                            timer.advance(LogBackup.LIMIT);
                            assertThat(outcomes.causes).hasSize(1);
                            assertThat(disk.isStalled()).isTrue();
                            assertThat(set.retain()).as("memory is there to write").isTrue();
                            set.release();
                        }));
        thread.runAll();

        assertThat(outcomes.kept).isEmpty();
        assertThat(outcomes.causes).hasSize(1).first().isInstanceOf(TimeoutException.class);
        assertThat(file).doesNotExist();
        assertThat(disk.isStalled()).isFalse();
        assertMemoryIsGivenBack();
    }

    @Test
    void reportsAFailureAfterTheLimitNoSecondTime() {
        disk.submit(
                write(
                        (set, to) -> {
                            Files.createFile(to);
                            timer.advance(LogBackup.LIMIT);
                            throw new IOException("no space left");
                        }));
        thread.runAll();

        assertThat(outcomes.causes).hasSize(1).first().isInstanceOf(TimeoutException.class);
        assertThat(file).doesNotExist();
        assertMemoryIsGivenBack();
    }

    @Test
    void neverBeginsAWriteThatWasGivenUpWhileOthersBlockedTheThread() {
        disk.submit(write((set, to) -> Files.createFile(to)));
        timer.advance(LogBackup.LIMIT);

        assertThat(outcomes.causes).hasSize(1).first().isInstanceOf(TimeoutException.class);
        assertMemoryIsGivenBack();
        assertThat(disk.isStalled()).isTrue();
        thread.runAll();
        assertThat(disk.isStalled()).isFalse();
        assertThat(outcomes.kept).isEmpty();
        assertThat(file).doesNotExist();
    }

    @Test
    void aClosedTimerGivesTheWriteUp() {
        timer.shutdown();
        disk.submit(write((set, to) -> Files.createFile(to)));

        assertThat(outcomes.causes).hasSize(1);
        assertMemoryIsGivenBack();
    }

    @Test
    void givesUpAtOnceWhatIsTooMuchToWait() {
        for (int write = 0; write < BackupDisk.MAX_WAITING; write++) {
            disk.submit(write((set, to) -> Files.createFile(to)));
        }
        assertThat(outcomes.causes).isEmpty();
        disk.submit(write((set, to) -> Files.createFile(to)));

        assertThat(outcomes.causes)
                .hasSize(1)
                .first(as(InstanceOfAssertFactories.THROWABLE))
                .hasMessageContaining(BackupDisk.MAX_WAITING + " backups wait for the disk");
        assertThat(thread.size()).isEqualTo(BackupDisk.MAX_WAITING);

        thread.runNext();
        disk.submit(write((set, to) -> Files.createFile(to)));
        assertThat(outcomes.causes).as("there is room again").hasSize(1);
        thread.runAll();
        assertMemoryIsGivenBack();
    }

    @Test
    void aDiskThatIsStuckGathersNoMoreThanOneDeletion() throws IOException {
        List<Path> files = new ArrayList<>();
        for (int file = 0; file < 10; file++) {
            files.add(Files.createFile(directory.resolve("left-" + file)));
            disk.delete(files.subList(file, file + 1));
        }
        assertThat(thread.size()).isEqualTo(1);
        thread.runAll();
        assertThat(files).noneMatch(Files::exists);

        disk.delete(List.of(Files.createFile(file)));
        thread.runAll();
        assertThat(file).doesNotExist();
    }

    @Test
    void aDeletionThatFindsNoThreadIsMadeWithTheNext() throws IOException {
        Path first = Files.createFile(directory.resolve("first"));
        Files.createFile(file);
        thread.failNext(NO_THREAD);
        disk.delete(List.of(first));
        assertThat(first).as("for want of a thread").exists();

        disk.delete(List.of(file));
        thread.runAll();
        assertThat(List.of(first, file)).noneMatch(Files::exists);
    }

    @Test
    void aWriteThatFindsNoThreadIsGivenUp() {
        thread.failNext(NO_THREAD);
        disk.submit(write((set, to) -> Files.createFile(to)));

        assertThat(outcomes.causes).containsExactly(NO_THREAD);
        assertMemoryIsGivenBack();
    }

    @Test
    void aDiskThatIsStuckIsAskedOnceWhetherItStillIs() {
        for (int write = 0; write < 10; write++) {
            disk.submit(write((set, to) -> Files.createFile(to)));
        }
        timer.advance(LogBackup.LIMIT);

        assertThat(outcomes.causes).hasSize(10);
        assertThat(thread.size()).isEqualTo(11);
        thread.runAll();
        assertThat(disk.isStalled()).isFalse();
    }

    private BackupWrite write(BiConsumerWithException<ChangeSet, Path, IOException> writer) {
        assertThat(changes.retain()).isTrue();
        BackupWrite write = new BackupWrite(changes, file, writer);
        write.outcome().whenComplete(outcomes::add);
        return write;
    }

    private void assertMemoryIsGivenBack() {
        changes.release();
        assertThat(changes.retain()).as("someone else uses the change set").isFalse();
    }

    private static final class Outcomes {
        final List<SegmentLocation> kept = new ArrayList<>();
        final List<Throwable> causes = new ArrayList<>();

        void add(SegmentLocation backup, Throwable cause) {
            if (cause == null) {
                kept.add(backup);
            } else {
                causes.add(cause);
            }
        }
    }
}
