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

import static io.dstl.changelog.testing.Awaiting.await;
import static io.dstl.changelog.testing.Awaiting.awaitSettled;
import static io.dstl.changelog.testing.Delegate.HEAP;
import static io.dstl.changelog.testing.Delegate.ROCKSDB;
import static io.dstl.changelog.testing.Delegate.ROCKSDB_WITH_HEAP_TIMERS;
import static org.apache.flink.runtime.checkpoint.CheckpointType.CHECKPOINT;
import static org.apache.flink.runtime.checkpoint.CheckpointType.FULL_CHECKPOINT;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.ForEachValue;
import io.dstl.testkit.Matrix;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.CheckpointBoundKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Subtasks that restart where they were read the local disk, both parts of their state, as long as
 * it has them; and the disk holds no more than that.
 */
class LocalRecoveryTest extends CheckpointLifeFixture {
    /** Deletion has threads of its own; how long it may take is no matter of these tests. */
    private static final Duration DELETION = Duration.ofMinutes(1);

    private TestLocalDisk disk;

    /** Without them a log may be replayed while the task runs. */
    private boolean hasTimers = true;

    private void recoverLocally() throws Exception {
        if (!hasTimers) {
            job.leaveOut("timers");
        }
        disk = job.recoverLocally(Files.createDirectories(directory.resolve("local")));
    }

    /** One checkpoint with a materialization and a log on top of it. */
    private void startAndMaterialize(Delegate delegate, int parallelism) throws Exception {
        create(delegate);
        recoverLocally();
        job.start(parallelism);
        job.put(1, KEYS, "a");
        job.checkpoint(1);
        job.materialize();
        job.put(1, KEYS / 2, "b");
        job.checkpoint(2);
        assertKeptIsListed(2);
    }

    @AfterEach
    @Override
    void close() throws Exception {
        super.close();
        await().atMost(DELETION).untilAsserted(() -> assertThat(openFiles()).isEmpty());
    }

    /** Of this process and test, where the system tells; deleted ones too. */
    private List<String> openFiles() throws IOException {
        Path descriptors = Path.of("/proc/self/fd");
        List<String> open = new ArrayList<>();
        if (Files.isDirectory(descriptors)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(descriptors)) {
                for (Path descriptor : all) {
                    target(descriptor)
                            .filter(file -> file.startsWith(directory.toString()))
                            .ifPresent(open::add);
                }
            }
        }
        return open;
    }

    private static Optional<String> target(Path descriptor) throws IOException {
        try {
            return Optional.of(Files.readSymbolicLink(descriptor).toString());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @ForEachValue
    void restoresWithoutTheStoreAndAgainFromWhatItRestored(Delegate delegate) throws Exception {
        startAndMaterialize(delegate, 2);
        Map<Integer, String> before = restartWithoutStore(2);
        assertThat(job.read(1, KEYS)).isEqualTo(before);

        job.put(KEYS / 2, KEYS, "c");
        job.checkpoint(3);
        job.assertStoredIsReferenced(3);
        assertKeptIsListed(3);
        before = restartWithoutStore(2);
        assertThat(job.read(1, KEYS)).isEqualTo(before);

        job.materialize();
        job.checkpoint(4);
        job.assertStoredIsReferenced(4);
        assertKeptIsListed(4);
        before = restartWithoutStore(2);
        assertThat(job.read(1, KEYS)).isEqualTo(before);
    }

    @ForEachValue
    void restoresAFullCheckpointWithoutTheStore(Delegate delegate) throws Exception {
        startAndMaterialize(delegate, 2);
        job.put(1, 3, "c");
        job.checkpoint(3, FULL_CHECKPOINT);
        job.put(2, 4, "d");
        job.checkpoint(4);
        assertKeptIsListed(4);

        assertThat(restartWithoutStore(2)).isEqualTo(job.read(1, KEYS));
    }

    enum Damage {
        LOG_MISSING,
        LOG_CUT_OFF,
        LOG_BIT_FLIPPED,
        SNAPSHOT_MISSING,
        SNAPSHOT_CUT_OFF,
        ALL_MISSING;

        boolean concerns(Path file) {
            boolean ofLog = this == LOG_MISSING || this == LOG_CUT_OFF || this == LOG_BIT_FLIPPED;
            return this == ALL_MISSING || TestLocalDisk.isOfLog(file) == ofLog;
        }

        void to(Path file) throws IOException {
            if (this == LOG_CUT_OFF || this == SNAPSHOT_CUT_OFF) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(channel.size() / 2);
                }
            } else if (this == LOG_BIT_FLIPPED) {
                byte[] bytes = Files.readAllBytes(file);
                bytes[bytes.length / 3] ^= 1;
                Files.write(file, bytes);
            } else {
                Files.delete(file);
            }
        }
    }

    /** Each damage with timers on RocksDB, and a matrix of the others. */
    static Stream<Arguments> damages() {
        return Stream.of(Damage.values()).flatMap(LocalRecoveryTest::cases);
    }

    private static Stream<Arguments> cases(Damage damage) {
        Stream<Delegate> all = Stream.of(ROCKSDB, HEAP, ROCKSDB_WITH_HEAP_TIMERS);
        return Matrix.ofThisRun()
                .select(
                        all.flatMap(
                                delegate ->
                                        Stream.of(true, false)
                                                .map(
                                                        timers ->
                                                                Arguments.of(
                                                                        delegate, damage,
                                                                        timers))));
    }

    @ParameterizedTest
    @MethodSource("damages")
    void restoresFromTheStoreWhatTheDiskHasLost(Delegate delegate, Damage damage, boolean timers)
            throws Exception {
        hasTimers = timers;
        startAndMaterialize(delegate, 2);
        Map<Integer, String> before = job.read(1, KEYS);
        job.stop();
        List<Path> damaged =
                disk.files().stream().filter(damage::concerns).collect(Collectors.toList());
        assertThat(damaged).isNotEmpty();
        for (Path file : damaged) {
            damage.to(file);
        }
        job.start(2);
        assertThat(job.read(1, KEYS)).isEqualTo(before);

        job.materialize();
        job.put(1, 3, "c");
        job.checkpoint(3);
        job.assertStoredIsReferenced(3);
        assertKeptIsListed(3);
        assertThat(restartWithoutStore(2)).isEqualTo(job.read(1, KEYS));
    }

    @ForEachValue
    void readsTheLocalPartAfterScalingIn(Delegate delegate) throws Exception {
        create(delegate);
        recoverLocally();
        job.start(2);
        TestSubtask first = job.subtasks().get(0);
        List<Integer> keys =
                IntStream.rangeClosed(1, KEYS)
                        .filter(first::owns)
                        .boxed()
                        .collect(Collectors.toList());
        for (int key : keys) {
            job.put(key, key, "a");
        }
        job.checkpoint(1);
        first.materialize();
        job.put(keys.get(0), keys.get(0), "b");
        job.checkpoint(2);

        assertThat(restartWithoutStore(1)).isEqualTo(job.read(1, KEYS));
    }

    @ForEachValue
    void scalesWithLocalStateOfSomeSubtasks(Delegate delegate) throws Exception {
        startAndMaterialize(delegate, 2);
        long checkpointId = 2;
        for (int parallelism : new int[] {1, 3, 2, 2, 5, 4}) {
            Map<Integer, String> before = job.read(1, KEYS);
            job.stop();
            job.start(parallelism);
            assertThat(job.read(1, KEYS)).as("at parallelism " + parallelism).isEqualTo(before);

            job.put(1, 3, "at " + parallelism);
            job.checkpoint(++checkpointId);
            job.assertStoredIsReferenced(checkpointId);
            if (parallelism % 2 == 0) {
                job.materialize();
                job.put(2, 5, "on top");
                job.checkpoint(++checkpointId);
                job.assertStoredIsReferenced(checkpointId);
                assertKeptIsListed(checkpointId);
            }
        }
    }

    @ForEachValue
    void keepsWhatTheLastCheckpointListsAndNothingElse(Delegate delegate) throws Exception {
        startAndMaterialize(delegate, 2);
        assertKeptIsListed(2);

        job.put(1, KEYS, "c");
        job.acknowledge(3, CHECKPOINT);
        job.notifyAborted(3);
        job.put(1, KEYS, "d");
        job.checkpoint(4);
        assertKeptIsListed(4);

        job.materialize();
        job.checkpoint(5);
        assertKeptIsListed(5);

        job.put(1, KEYS, "e");
        job.materialize();
        job.stop();
        assertKeptIsListed(5);

        disk.leave(0);
        assertThat(disk.files()).isEmpty();
    }

    /** By checkpoint 3, of which it is not known whether it has completed. */
    private void acknowledgeANewBase(Delegate delegate) throws Exception {
        startAndMaterialize(delegate, 2);
        job.put(1, KEYS, "c");
        job.materialize();
        job.acknowledge(3, CHECKPOINT);
    }

    /** Flink deletes the base of which it knows no other checkpoint. */
    @ForEachValue
    void afterAnAbortNoCheckpointListsWhatIsGone(Delegate delegate) throws Exception {
        acknowledgeANewBase(delegate);
        job.notifyAborted(3);
        job.put(1, KEYS, "d");
        job.checkpoint(4);

        if (delegate == Delegate.HEAP) {
            assertThat(disk.filesOf(4)).isNotEmpty().allMatch(Files::exists);
            assertKeptIsListed(4);
        } else {
            // The base names files of the one before that only the JobManager knows.
            assertThat(disk.filesOf(4)).isEmpty();
        }
        job.materialize();
        job.checkpoint(5);
        assertKeptIsListed(5);
    }

    /** Flink keeps it for the checkpoint that goes on. */
    @ForEachValue
    void anAbortLeavesTheBaseThatAnotherCheckpointHas(Delegate delegate) throws Exception {
        acknowledgeANewBase(delegate);
        job.put(1, KEYS, "d");
        job.acknowledge(4, CHECKPOINT);
        job.notifyAborted(3);
        job.notifyComplete(4);

        assertThat(disk.filesOf(4)).isNotEmpty().allMatch(Files::exists);
        assertThat(disk.filesOf(4)).anyMatch(file -> !TestLocalDisk.isOfLog(file));
    }

    @ForEachValue
    void anAbortBeforeTheMailOfAFullCheckpointTakesItsBackupToo(Delegate delegate)
            throws Exception {
        startAndMaterialize(delegate, 2);
        job.put(1, KEYS, "c");
        job.holdMails();
        job.acknowledge(3, FULL_CHECKPOINT);
        job.notifyAborted(3);
        job.deliverMails();
        job.put(1, KEYS, "d");
        job.checkpoint(4);

        assertThat(disk.filesOf(4)).isNotEmpty().allMatch(Files::exists);
    }

    @ForEachValue
    void anAttemptDeletesWhatTheOneBeforeKeptForACheckpointThatNeverCompleted(Delegate delegate)
            throws Exception {
        startAndMaterialize(delegate, 2);
        Map<Integer, String> before = job.read(1, KEYS);
        job.materialize();
        job.put(1, KEYS, "c");
        job.acknowledge(3, CHECKPOINT);
        job.stop();
        job.start(2);

        assertKeptIsListed(2);
        assertThat(job.read(1, KEYS)).isEqualTo(before);
    }

    @ForEachValue
    void aDiskThatTakesNoLogCostsNoCheckpoint(Delegate delegate) throws Exception {
        create(delegate);
        recoverLocally();
        job.start(2);
        for (Path log : logDirectories()) {
            Files.delete(log);
            Files.createFile(log);
        }
        job.put(1, KEYS, "a");
        job.checkpoint(1);
        job.materialize();
        job.put(1, KEYS, "b");
        job.checkpoint(2);
        assertThat(disk.filesOf(2)).isNotEmpty().noneMatch(TestLocalDisk::isOfLog);

        Map<Integer, String> before = job.read(1, KEYS);
        job.stop();
        job.start(2);
        assertThat(job.read(1, KEYS)).isEqualTo(before);
    }

    /** Flink's store takes one materialization per task and checkpoint, or fails the checkpoint. */
    @ForEachValue
    void oneOperatorOfATaskHasLocalState(Delegate delegate) throws Exception {
        create(delegate, SHORT_DELAY);
        recoverLocally();
        job.start(1);
        job.put(1, 3, "a");
        job.checkpoint(1);
        TestSubtask chained = job.start(0, new KeyGroupRange(0, TestJob.MAX_PARALLELISM - 1));
        chained.put(1, "b");
        assertHasNoLocalState(chained.snapshot(2, CHECKPOINT));
        chained.materialize();
        chained.put(2, "b");
        assertHasNoLocalState(chained.snapshot(3, CHECKPOINT));
        assertHasNoLocalState(
                chained.snapshot(4, SavepointType.savepoint(SavepointFormatType.NATIVE)));
        assertThat(disk.snapshotDirectories()).isEmpty();

        job.put(1, 3, "c");
        job.materialize();
        job.checkpoint(3);
        assertThat(disk.filesOf(3)).isNotEmpty();
        assertKeptIsListed(3);
        chained.end();
    }

    /** Restored from it, checkpoints would refer to a directory of this machine. */
    @ForEachValue
    void aNativeSavepointHasNoLocalState(Delegate delegate) throws Exception {
        startAndMaterialize(delegate, 1);
        Set<Path> listed = disk.snapshotDirectories();
        assertThat(listed).isNotEmpty();

        SnapshotResult<KeyedStateHandle> savepoint =
                assertHasNoLocalState(
                        job.subtasks()
                                .get(0)
                                .snapshot(7, SavepointType.savepoint(SavepointFormatType.NATIVE)));
        assertKeptIsListed(2);
        awaitSettled()
                .atMost(DELETION)
                .untilAsserted(() -> assertThat(disk.snapshotDirectories()).isEqualTo(listed));
        if (delegate != Delegate.HEAP) {
            assertThat(savepoint.getJobManagerOwnedSnapshot())
                    .as("its id is that of a checkpoint, as without a changelog")
                    .isInstanceOfSatisfying(
                            CheckpointBoundKeyedStateHandle.class,
                            handle -> assertThat(handle.getCheckpointId()).isEqualTo(7));
        }
    }

    private static SnapshotResult<KeyedStateHandle> assertHasNoLocalState(
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot) throws Exception {
        SnapshotResult<KeyedStateHandle> result = TestSubtask.finish(snapshot);
        assertThat(result.getJobManagerOwnedSnapshot()).isNotNull();
        assertThat(result.getTaskLocalSnapshot()).isNull();
        return result;
    }

    /** Returns the state before; while the subtasks start, the store is not there. */
    private Map<Integer, String> restartWithoutStore(int parallelism) throws Exception {
        Map<Integer, String> before = job.read(1, KEYS);
        job.stop();
        List<Path> store = List.of(directory.resolve("log"), directory.resolve("checkpoints"));
        for (Path part : store) {
            Files.move(part, away(part));
        }
        job.start(parallelism);
        for (Path part : store) {
            Files.move(away(part), part);
        }
        return before;
    }

    private static Path away(Path part) {
        return part.resolveSibling(part.getFileName() + "-away");
    }

    private void assertKeptIsListed(long checkpointId) {
        awaitSettled()
                .atMost(DELETION)
                .untilAsserted(
                        () ->
                                assertThat(disk.files())
                                        .as("files on the local disk")
                                        .isEqualTo(disk.filesOf(checkpointId)));
    }

    private List<Path> logDirectories() throws IOException {
        try (Stream<Path> all = Files.walk(directory.resolve("local"))) {
            return all.filter(each -> each.endsWith("dstl")).collect(Collectors.toList());
        }
    }
}
