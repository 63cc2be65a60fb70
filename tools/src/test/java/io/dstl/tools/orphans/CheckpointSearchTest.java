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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.segment.ClusterMark;
import io.dstl.tools.checkpoint.Directory;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.Progress;
import io.dstl.tools.orphans.OrphanRule.OperatorWord;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.FileUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A search while a job goes on, and one of directories that the file system spells otherwise. */
class CheckpointSearchTest {

    private static final String JOB = Store.job(1);
    private static final long NOW = 1_000_000;

    @TempDir Path root;
    private Store store;
    private StreamStateHandle segment;

    @BeforeEach
    void createStore() throws IOException {
        store = new Store(root);
        segment = store.segment(JOB, "needed", NOW);
        Files.createDirectories(store.savepoints());
        store.checkpoint(JOB, 9, NOW);
    }

    /** The next checkpoint completes, and subsumes the one before. */
    private void next(long id) throws IOException {
        store.checkpoint(JOB, id, NOW, segment);
        FileUtils.deleteDirectory(directory(id - 1).toFile());
    }

    private Path directory(long id) {
        return store.checkpoints().resolve(JOB).resolve("chk-" + id);
    }

    private boolean findsTheSegment(CheckpointSearch.Listing listing) throws Exception {
        return store.search(listing)
                .read()
                .contains(StoredName.of(Store.flink(file(segment))).orElseThrow());
    }

    private static Path file(StreamStateHandle segment) {
        return Path.of(((FileStateHandle) segment).getFilePath().getPath());
    }

    private static boolean isOfJob(org.apache.flink.core.fs.Path directory) {
        return directory.getName().equals(JOB);
    }

    @Test
    void listsAgainWhereACheckpointHasGoneSinceItWasListed() throws Exception {
        List<Long> ids = new ArrayList<>(List.of(10L, 11L, 12L));
        assertThat(
                        findsTheSegment(
                                directory -> {
                                    List<FileStatus> entries = Directory.list(directory);
                                    if (isOfJob(directory) && !ids.isEmpty()) {
                                        next(ids.remove(0));
                                    }
                                    return entries;
                                }))
                .isTrue();
    }

    @Test
    void readsACheckpointThatWasUnderWayWhenItWasListed() throws Exception {
        Files.createDirectories(directory(10));
        Files.write(directory(10).resolve("of-an-operator"), new byte[1]);
        assertThat(
                        findsTheSegment(
                                directory -> {
                                    List<FileStatus> entries = Directory.list(directory);
                                    if (directory.getName().equals("chk-9")
                                            && Files.exists(directory(9))) {
                                        next(10);
                                    }
                                    return entries;
                                }))
                .isTrue();
    }

    /** The listing of the job, after which checkpoint 10 is complete and 9 is being deleted. */
    private List<FileStatus> listedBeforeTheNextOne(org.apache.flink.core.fs.Path directory)
            throws IOException {
        List<FileStatus> entries = Directory.list(directory);
        if (isOfJob(directory) && !Files.exists(directory(10))) {
            store.checkpoint(JOB, 10, NOW, segment);
            Files.delete(directory(9).resolve("_metadata"));
        }
        return entries;
    }

    /** Flink deletes the metadata first, then the files, and the directory at the end. */
    @Test
    void listsAgainWhereACheckpointIsBeingDeleted() throws Exception {
        assertThat(findsTheSegment(this::listedBeforeTheNextOne)).isTrue();
    }

    /** As a JobManager leaves one that dies in the middle of a checkpoint. */
    @Test
    void aDirectoryThatNeverHasMetadataDoesNotHoldItUp() throws Exception {
        Files.createDirectories(directory(1));
        Files.write(directory(1).resolve("of-an-operator"), new byte[1]);
        long[] last = {9};
        boolean[] isSecondLook = {true};
        assertThat(
                        findsTheSegment(
                                directory -> {
                                    if (isOfJob(directory)) {
                                        isSecondLook[0] = !isSecondLook[0];
                                        if (isSecondLook[0]) {
                                            next(++last[0]);
                                        }
                                    }
                                    return Directory.list(directory);
                                }))
                .isTrue();
    }

    /** As many JobManagers have left that died: in the time of ten looks the next one completes. */
    @Test
    void findsTheNewestBesideManyWithoutMetadata() throws Exception {
        for (int left = 100; left < 130; left++) {
            Files.createDirectories(directory(left));
            Files.write(directory(left).resolve("of-an-operator"), new byte[1]);
        }
        FileUtils.deleteDirectory(directory(9).toFile());
        long[] last = {200};
        store.checkpoint(JOB, last[0], NOW, segment);
        int[] looks = {0};
        assertThat(
                        findsTheSegment(
                                directory -> {
                                    boolean isLeft = directory.getName().startsWith("chk-1");
                                    if (isLeft && ++looks[0] % 10 == 0) {
                                        next(++last[0]);
                                    }
                                    return Directory.list(directory);
                                }))
                .isTrue();
    }

    /** Of two lines of checkpoints the one that goes on has the lower numbers. */
    @Test
    void aCheckpointOfAnEarlierLineDoesNotStandForOneThatIsBeingDeleted() throws Exception {
        store.checkpoint(JOB, 20, NOW);
        assertThat(findsTheSegment(this::listedBeforeTheNextOne)).isTrue();
    }

    /** The reason may be the store's alone, such as a permission or an overload. */
    @Test
    void advisesToDeleteOnlyWhatIsNoMetadata() throws Exception {
        org.apache.flink.core.fs.Path unreachable =
                new org.apache.flink.core.fs.Path("nosuchstore://bucket/checkpoints");
        FileStatus any =
                FileSystem.getLocalFileSystem()
                        .getFileStatus(Store.flink(directory(9).resolve("_metadata")));
        FileStatus listed =
                new Relocated(any, new org.apache.flink.core.fs.Path(unreachable, "_metadata"));
        CheckpointSearch search =
                new CheckpointSearch(
                        List.of(unreachable),
                        List.of(),
                        List.of(),
                        OperatorWord.of(List.of(), List.of(), List.of()),
                        new Progress(new PrintWriter(Writer.nullWriter()), () -> 0),
                        directory -> List.of(listed));
        assertThatThrownBy(search::read)
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("do not delete it")
                .hasMessageNotContaining("needed no more");

        Files.write(directory(9).resolve("_metadata"), new byte[] {1, 2, 3});
        assertThatThrownBy(() -> store.search().read())
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("If it is needed no more, delete it")
                .hasMessageContaining("another version of Flink");
    }

    /** Only beside the directories of a job's checkpoints it is the log. */
    @Test
    void looksIntoADirectoryOfTheNameOfTheLog() throws Exception {
        Store.metadata(store.savepoints().resolve("chk-1"), NOW);
        Store.metadata(store.savepoints().resolve("dstl/savepoint-1"), NOW, segment);
        assertThat(findsTheSegment(Directory::list)).isTrue();
    }

    /** As an object store lists it; the local file system lists no such name. */
    @Test
    void goesIntoADirectoryThatIsNamedByATime() throws Exception {
        String time = "2026-11-26T22:00:00Z";
        Store.metadata(store.savepoints().resolve(time), NOW, segment);
        org.apache.flink.core.fs.Path savepoints = Store.flink(store.savepoints());
        FileStatus any = FileSystem.getLocalFileSystem().getFileStatus(savepoints);
        FileStatus listed =
                new Relocated(any, new org.apache.flink.core.fs.Path(savepoints, "./" + time));

        assertThat(
                        findsTheSegment(
                                directory ->
                                        directory.equals(savepoints)
                                                ? List.of(listed)
                                                : Directory.list(directory)))
                .isTrue();
    }

    @Test
    void doesNotWaitForACheckpointThatIsUnderWay() throws Exception {
        Files.createDirectories(directory(10));
        assertThat(findsTheSegment(Directory::list)).isFalse();
    }

    @Test
    void stopsWhereCheckpointsGoQuickerThanTheyAreRead() {
        long[] id = {9};
        assertThatThrownBy(
                        () ->
                                findsTheSegment(
                                        directory -> {
                                            List<FileStatus> entries = Directory.list(directory);
                                            if (isOfJob(directory)) {
                                                next(++id[0]);
                                            }
                                            return entries;
                                        }))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("come and go quicker")
                .hasMessageContaining("without metadata makes a look longer; at the last one: 1")
                .hasMessageContaining(JOB);
    }

    /** Such as HDFS, for a directory that names no NameNode. */
    @Test
    void knowsTheClusterByEitherSpellingOfItsDirectory() throws Exception {
        RetainedReferences references = store.search(CheckpointSearchTest::withAuthority).read();

        org.apache.flink.core.fs.Path given = Store.flink(store.checkpoints());
        assertThat(references.knowsCluster(JOB, ClusterMark.of(given))).isTrue();
        assertThat(references.knowsCluster(JOB, ClusterMark.of(atNode(given)))).isTrue();
        assertThat(references.knowsCluster(JOB, ClusterMark.of(Store.flink(root)))).isFalse();
    }

    private static List<FileStatus> withAuthority(org.apache.flink.core.fs.Path directory)
            throws IOException {
        return Directory.list(directory).stream()
                .map(entry -> new Relocated(entry, atNode(entry.getPath())))
                .collect(Collectors.toList());
    }

    private static org.apache.flink.core.fs.Path atNode(org.apache.flink.core.fs.Path path) {
        return new org.apache.flink.core.fs.Path("hdfs://node:8020" + path.getPath());
    }

    private static final class Relocated implements FileStatus {

        private final FileStatus entry;
        private final org.apache.flink.core.fs.Path path;

        private Relocated(FileStatus entry, org.apache.flink.core.fs.Path path) {
            this.entry = entry;
            this.path = path;
        }

        @Override
        public long getLen() {
            return entry.getLen();
        }

        @Override
        public long getBlockSize() {
            return entry.getBlockSize();
        }

        @Override
        public short getReplication() {
            return entry.getReplication();
        }

        @Override
        public long getModificationTime() {
            return entry.getModificationTime();
        }

        @Override
        public long getAccessTime() {
            return entry.getAccessTime();
        }

        @Override
        public boolean isDir() {
            return entry.isDir();
        }

        @Override
        public org.apache.flink.core.fs.Path getPath() {
            return path;
        }
    }
}
