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
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.secret.Redaction;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.Progress;
import io.dstl.tools.cli.Report;
import io.dstl.tools.orphans.OrphanRule.OperatorWord;
import io.dstl.tools.orphans.StoredName.StoredFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileStatus;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrphanHuntTest {
    private static final long NOW = Duration.ofDays(1000).toMillis();
    private static final String JOB = Store.job(1);
    private static final int THREADS = 3;

    @TempDir private java.nio.file.Path directory;

    private final StringWriter found = new StringWriter();

    /** As names have entropy. Another cluster's segment of the job may come first, or last. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSegmentWithoutAMarkIsAsWellThoseOfAClusterWhoseSegmentsAreElsewhere(boolean last)
            throws Exception {
        Store store = new Store(directory.resolve("a"));
        Store other = new Store(directory.resolve("b"));
        store.checkpoint(JOB, 7, NOW);
        store.segment(JOB, "unmarked", 0);
        store.segmentOf(store.checkpoints(), JOB, "ours", 0);
        other.segmentOf(other.checkpoints(), JOB, "theirs", 0);
        List<Path> bases =
                Stream.of(last ? store : other, last ? other : store)
                        .map(each -> Store.flink(each.log()))
                        .collect(Collectors.toList());

        assertThatThrownBy(() -> hunt(store, bases).run())
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("Another cluster");
        assertThat(found.toString()).contains("orphan ").doesNotContain(store.uuid("unmarked"));
        assertThat(store.segments(JOB)).containsExactly("unmarked");
        assertThat(other.segments(JOB)).containsExactly("theirs");

        assertThat(hunt(store, bases.subList(last ? 0 : 1, last ? 1 : 2)).run()).isZero();
        assertThat(store.segments(JOB)).isEmpty();
    }

    /** The log of a job with entropy has a directory for each segment, or nearly. */
    @Test
    void listsAsManyDirectoriesAsThereAreThreads() throws Exception {
        CyclicBarrier all = new CyclicBarrier(THREADS);
        List<Path> bases = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Store store = new Store(directory.resolve("entropy-" + i));
            store.segment(JOB, "segment " + i, 0);
            bases.add(new Hooked(() -> awaitAll(all), () -> {}).path(store.log()));
        }
        List<StoredFile> visited = new ArrayList<>();

        new LogDirectories(bases, false, THREADS, silent()).visitScatteredLogs(visited::addAll);

        assertThat(visited)
                .extracting(file -> file.path.getParent().getParent().getParent().getPath())
                .isEqualTo(bases.stream().map(Path::getPath).collect(Collectors.toList()));
    }

    @Test
    void deletesAsManyAsThereAreThreadsAndTellsOfEachInTheirOrder() throws Exception {
        CyclicBarrier all = new CyclicBarrier(THREADS);
        Store store = new Store(directory);
        for (int i = 0; i < THREADS; i++) {
            store.segment(JOB, "segment " + i, 0);
        }
        List<StoredFile> files = new ArrayList<>();
        Path base = new Hooked(() -> {}, () -> awaitAll(all)).path(store.log());
        new LogDirectories(List.of(base), false, 1, silent()).visit(List.of(), files::addAll);
        List<StoredFile> taken = new ArrayList<>();

        new OrphanDeletion(THREADS, silent())
                .delete(
                        files,
                        (file, failure) -> {
                            assertThat(failure).isEmpty();
                            taken.add(file);
                        });

        assertThat(taken).hasSize(THREADS).isEqualTo(files);
        assertThat(store.segments(JOB)).isEmpty();
    }

    @Test
    void saysWhatToDoWhereThreadsOutnumberConnections() throws Exception {
        Store store = new Store(directory);
        store.segment(JOB, "orphan", 0);
        List<StoredFile> files = new ArrayList<>();
        new LogDirectories(List.of(Store.flink(store.log())), false, 1, silent())
                .visit(List.of(), files::addAll);

        new OrphanReport(new Report(new PrintWriter(found), false), Redaction.OF_URIS)
                .failed(files.get(0), new IOException("Timeout waiting for connection from pool"));

        assertThat(found.toString()).contains("not deleted: ").contains("give fewer --threads");
    }

    /** As where only listing is allowed. */
    @Test
    void givesUpWhereNoDeletionSucceeds() throws Exception {
        Store store = new Store(directory);
        store.checkpoint(JOB, 7, NOW);
        int orphans = 3 * OrphanHunt.MOST_FAILURES;
        store.segments(JOB, "orphan", orphans, orphans, 0);
        Path base = new Hooked(() -> {}, OrphanHuntTest::deny).path(store.log());

        assertThatThrownBy(() -> hunt(store, List.of(base)).run())
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("None of 100 deletions")
                .hasRootCauseMessage("denied");
        assertThat(found.toString().split("not deleted: ", -1))
                .hasSize(OrphanHunt.MOST_FAILURES + 1);
        assertThat(store.segments(JOB)).hasSize(orphans);
    }

    private static void deny() {
        throw new IllegalStateException("denied");
    }

    private static void awaitAll(CyclicBarrier all) {
        try {
            all.await(5, TimeUnit.MINUTES);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new IllegalStateException("the other threads do not come", e);
        }
    }

    private static Progress silent() {
        return new Progress(new PrintWriter(Writer.nullWriter()), () -> 0);
    }

    private OrphanHunt hunt(Store store, List<Path> bases) throws CommandFailure {
        return new OrphanHunt(
                store.search(),
                new LogDirectories(bases, false, THREADS, silent()),
                new OrphanRule(
                        Duration.ofHours(24),
                        OperatorWord.of(List.of(), List.of(), List.of()),
                        1,
                        NOW),
                new OrphanReport(new Report(new PrintWriter(found), false), Redaction.OF_URIS),
                Optional.of(new OrphanDeletion(THREADS, silent())));
    }

    @Test
    void whatIsStillThereWasNotDeleted() throws IOException {
        java.nio.file.Path file = Files.createFile(directory.resolve("there"));

        assertThatThrownBy(() -> OrphanDeletion.delete(onSilentFileSystem(file)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("gives no reason");
    }

    @Test
    void whatIsGoneAlreadyIsNoFailure() {
        assertThatCode(() -> OrphanDeletion.delete(onSilentFileSystem(directory.resolve("gone"))))
                .doesNotThrowAnyException();
    }

    /** It deletes nothing, and does not say why. */
    private static Path onSilentFileSystem(java.nio.file.Path file) {
        return new Path(file.toUri()) {
            @Override
            public FileSystem getFileSystem() {
                return new LocalFileSystem() {
                    @Override
                    public boolean delete(Path path, boolean recursive) {
                        return false;
                    }
                };
            }
        };
    }

    /** A local file system that does something before it lists or deletes. */
    private static final class Hooked extends LocalFileSystem {
        private final Runnable beforeListing;
        private final Runnable beforeDeletion;

        Hooked(Runnable beforeListing, Runnable beforeDeletion) {
            this.beforeListing = beforeListing;
            this.beforeDeletion = beforeDeletion;
        }

        Path path(java.nio.file.Path file) {
            return new Path(file.toString()) {
                @Override
                public FileSystem getFileSystem() {
                    return Hooked.this;
                }
            };
        }

        /** As one that is not looked into beside it. */
        @Override
        public boolean isDistributedFS() {
            return true;
        }

        @Override
        public FileStatus[] listStatus(Path of) throws IOException {
            beforeListing.run();
            try (Stream<java.nio.file.Path> found = Files.list(Paths.get(of.getPath()))) {
                return found.map(this::status).toArray(FileStatus[]::new);
            }
        }

        private FileStatus status(java.nio.file.Path file) {
            return new LocalFileStatus(file.toFile(), this) {
                @Override
                public Path getPath() {
                    return path(file);
                }
            };
        }

        @Override
        public boolean delete(Path file, boolean recursive) throws IOException {
            beforeDeletion.run();
            return super.delete(file, recursive);
        }
    }
}
