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
package io.dstl.fs.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.option.DownloadSettings;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.segment.SegmentEncoder;
import io.dstl.fs.segment.SegmentName;
import io.dstl.fs.testing.Changes;
import io.dstl.store.SegmentOpener;
import io.dstl.testkit.ManualTimer;
import io.dstl.testkit.PathsBelow;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataInputStreamWrapper;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentCacheTest {

    private static final Duration IDLE = Duration.ofMinutes(10);

    @TempDir Path directory;

    private final ManualTimer timer = new ManualTimer();
    private final AtomicInteger downloads = new AtomicInteger();
    private final AtomicInteger openStreams = new AtomicInteger();
    private final List<IOException> failures = new ArrayList<>();
    private final AtomicInteger names = new AtomicInteger();
    private boolean littleRoom;
    private SegmentCache cache;
    private StreamStateHandle segment;
    private byte[] content;

    @BeforeEach
    void createSegment() throws Exception {
        Changes changes = Changes.random(5, 500);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new SegmentEncoder(List.of(changes.seal()), true).writeTo(bytes);
        segment = new ByteStreamStateHandle("the-segment", bytes.toByteArray());
        try (InputStream direct =
                new UncachedSource(StreamStateHandle::openInputStream)
                        .open(request(segment, 0))
                        .content()) {
            content = direct.readAllBytes();
        }
        cache = create(this::open);
    }

    private SegmentCache create(SegmentOpener opener) {
        return create(opener, directory);
    }

    private SegmentCache create(SegmentOpener opener, Path copies) {
        return new SegmentCache(
                opener,
                new DownloadSettings(List.of(copies.toFile()), IDLE, 1, 1 << 20),
                () -> "copy-" + names.incrementAndGet(),
                timer,
                Runnable::run,
                path -> littleRoom);
    }

    /** The same content, under the name of a segment with an index. */
    private StreamStateHandle indexed() {
        return indexed(2);
    }

    private StreamStateHandle indexed(int number) {
        return new ByteStreamStateHandle(
                SegmentName.indexed(new UUID(1, number)),
                ((ByteStreamStateHandle) segment).asBytesIfInMemory().get());
    }

    private Path onlyDirectory() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(Files::isDirectory).findAny().orElseThrow();
        }
    }

    private static SetRequest request(StreamStateHandle handle, long offset) {
        return new SetRequest(handle, offset, ChangeSetDecoder.ALL_KEY_GROUPS);
    }

    private FSDataInputStream open(StreamStateHandle handle) throws IOException {
        downloads.incrementAndGet();
        openStreams.incrementAndGet();
        return new ObservedStream(handle.openInputStream());
    }

    @Test
    void downloadsOnceForAllReaders() throws Exception {
        assertThat(readFrom(0)).isEqualTo(content);
        assertThat(readFrom(100)).hasSize(content.length - 100);
        assertThat(downloads).hasValue(1);
        assertThat(openStreams).hasValue(0);
        assertThat(files()).isEqualTo(1);
    }

    /** RocksDB is on the same disk, and fails the job when it is full. */
    @Test
    void keepsNoUnusedCopyOnADiskThatIsNearlyFull() throws Exception {
        littleRoom = true;
        InputStream first = cache.open(request(segment, 0)).content();
        InputStream second = cache.open(request(segment, 0)).content();
        first.close();
        assertThat(files()).isEqualTo(1);

        second.close();
        assertThat(files()).isZero();
        assertThat(readFrom(0)).isEqualTo(content);
        assertThat(downloads).hasValue(2);
    }

    @Test
    void deletesCopiesThatWereIdleBeforeTheDiskWasNearlyFull() throws Exception {
        readFrom(segment);
        assertThat(files()).isEqualTo(1);

        littleRoom = true;
        readFrom(indexed());
        assertThat(files()).isZero();
    }

    @Test
    void keepsIdleCopiesOnAnotherDiskThanTheOneThatIsNearlyFull() throws Exception {
        Path full = directory.resolve("full");
        cache =
                new SegmentCache(
                        this::open,
                        new DownloadSettings(
                                List.of(full.toFile(), directory.resolve("other").toFile()),
                                IDLE,
                                1,
                                1 << 20),
                        () -> "copy-" + names.incrementAndGet(),
                        timer,
                        Runnable::run,
                        path -> littleRoom && path.startsWith(full));
        readFrom(indexed(1));
        readFrom(indexed(2));
        littleRoom = true;
        readFrom(indexed(3));
        assertThat(files()).isEqualTo(1);

        readFrom(indexed(2));
        assertThat(downloads).hasValue(3);
    }

    @Test
    void littleRoomIsLessThanATenthAndThanTenGigabytes() {
        assertThat(SegmentCache.isLittle(9L << 30, 1L << 40)).isTrue();
        assertThat(SegmentCache.isLittle(11L << 30, 1L << 40)).isFalse();
        assertThat(SegmentCache.isLittle(1L << 30, 20L << 30)).isTrue();
        assertThat(SegmentCache.isLittle(3L << 30, 20L << 30)).isFalse();
    }

    @Test
    void deletesTheCopyAfterTheIdleTimeoutAndDownloadsAgainLater() throws Exception {
        readFrom(0);
        timer.advance(IDLE.minusSeconds(1));
        readFrom(0);
        timer.advance(IDLE.minusSeconds(1));
        assertThat(files()).isEqualTo(1);

        timer.advance(Duration.ofSeconds(1));
        assertThat(files()).isZero();
        readFrom(0);
        assertThat(downloads).hasValue(2);
    }

    /** Where somebody has tidied up the temporary directory. */
    @Test
    void downloadsACopyAgainThatIsGone() throws Exception {
        for (StreamStateHandle each : List.of(segment, indexed())) {
            readFrom(each);
            int before = downloads.get();
            deleteFiles();

            assertThat(readFrom(each)).isEqualTo(content);
            assertThat(downloads).hasValue(before + 1);
            assertThat(files()).isEqualTo(1);
            timer.advance(IDLE);
            assertThat(files()).isZero();
        }
    }

    /** As with a full disk, which each restart of the job would find as full. */
    @Test
    void readsFromTheStoreWhereNoCopyCanBeWritten() throws Exception {
        readFrom(0);
        deleteFiles();
        Path copies = onlyDirectory();
        Files.delete(copies);
        Files.createFile(copies);
        assertThat(readFrom(indexed())).isEqualTo(content);

        Files.delete(copies);
        assertThat(readFrom(segment)).isEqualTo(content);
        assertThat(copies).doesNotExist();
        timer.advance(Duration.ofMinutes(1));
        assertThat(readFrom(segment)).isEqualTo(content);
        assertThat(files()).isEqualTo(1);

        Path file = Files.createFile(directory.resolve("a-file"));
        cache.close();
        cache = create(this::open, file);
        assertThat(readFrom(indexed())).isEqualTo(content);
        assertThat(readFrom(segment)).isEqualTo(content);
        assertThat(openStreams).hasValue(0);
        try (Stream<Path> all = Files.list(directory)) {
            assertThat(all.filter(path -> path.toString().endsWith(".lock"))).isEmpty();
        }
    }

    /** Its disk fails, or takes no more writes since it was remounted. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readsFromTheStoreWhereACopyCanNoLongerBeOpened(boolean isIndexed) throws Exception {
        StreamStateHandle read = isIndexed ? indexed() : segment;
        readFrom(read);
        Path copy = onlyFile();
        Files.delete(copy);
        Files.createSymbolicLink(copy, copy.getFileName());

        assertThat(readFrom(read)).isEqualTo(content);
        assertThat(files()).as("the link to itself").isZero();
        timer.advance(Duration.ofMinutes(1));
        assertThat(readFrom(read)).isEqualTo(content);
        assertThat(files()).isOne();
    }

    @Test
    void unusedCopiesMakeRoomWhereTheDiskTakesNoMore() throws Exception {
        readFrom(0);
        Path unused = onlyFile();
        Files.createDirectory(onlyDirectory().resolve("dstl-segment-copy-" + (names.get() + 1)));

        assertThat(readFrom(indexed())).isEqualTo(content);
        assertThat(unused).doesNotExist();
        assertThat(readFrom(segment)).isEqualTo(content);
    }

    private Path onlyFile() throws IOException {
        try (Stream<Path> all = Files.list(onlyDirectory())) {
            return all.filter(Files::isRegularFile).findAny().orElseThrow();
        }
    }

    @Test
    void keepsACopyWhileItIsRead() throws Exception {
        try (InputStream reading = cache.open(request(segment, 0)).content()) {
            timer.advance(IDLE.multipliedBy(3));
            assertThat(reading.readAllBytes()).isEqualTo(content);
            assertThat(files()).isEqualTo(1);
        }
    }

    /** In stock, partly downloaded files and descriptors leak. */
    @Test
    void aFailedDownloadLeavesNothingAndCanBeRepeated() throws Exception {
        failures.add(new IOException("reset"));
        assertThatThrownBy(() -> cache.open(request(segment, 0)).content()).hasMessage("reset");
        assertThat(files()).isZero();
        assertThat(openStreams).hasValue(0);
        assertThat(timer.size()).isZero();

        assertThat(readFrom(0)).isEqualTo(content);
    }

    @Test
    void aCorruptSegmentLeavesNothing() throws Exception {
        byte[] corrupt = ((ByteStreamStateHandle) segment).asBytesIfInMemory().get().clone();
        corrupt[corrupt.length / 2] ^= 1;
        ByteStreamStateHandle handle = new ByteStreamStateHandle("corrupt", corrupt);

        assertThatThrownBy(() -> cache.open(request(handle, 0)).content())
                .hasMessageContaining("corrupt");
        assertThat(files()).isZero();
        assertThat(openStreams).hasValue(0);
    }

    @Test
    void thoseWhoWaitForADownloadThatFailsTryForThemselves() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger attempts = new AtomicInteger();
        SegmentCache shared =
                create(
                        handle -> {
                            if (attempts.incrementAndGet() > 1) {
                                return open(handle);
                            }
                            begun.countDown();
                            await(goOn);
                            throw new IOException("the first fails");
                        });
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            CompletableFuture<byte[]> first =
                    CompletableFuture.supplyAsync(() -> readAll(shared), threads);
            begun.await();
            CompletableFuture<Thread> waiting = new CompletableFuture<>();
            CompletableFuture<byte[]> second =
                    CompletableFuture.supplyAsync(
                            () -> {
                                waiting.complete(Thread.currentThread());
                                return readAll(shared);
                            },
                            threads);
            while (waiting.get().getState() != Thread.State.WAITING && !second.isDone()) {
                Thread.onSpinWait();
            }
            goOn.countDown();

            assertThatThrownBy(first::get).hasRootCauseMessage("the first fails");
            assertThat(second.get()).isEqualTo(content);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void closingDeletesEverything() throws Exception {
        readFrom(0);
        InputStream reading = cache.open(request(segment, 0)).content();
        cache.close();
        assertThat(reading.readAllBytes()).isEqualTo(content);
        reading.close();

        assertThat(files()).isZero();
        assertThatThrownBy(() -> cache.open(request(segment, 0)).content())
                .isInstanceOf(IllegalStateException.class);
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private byte[] readAll(SegmentCache from) {
        try (InputStream stream = from.open(request(segment, 0)).content()) {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] readFrom(StreamStateHandle handle) throws IOException {
        try (InputStream stream = cache.open(request(handle, 0)).content()) {
            return stream.readAllBytes();
        }
    }

    private byte[] readFrom(long offset) throws IOException {
        try (InputStream stream = cache.open(request(segment, offset)).content()) {
            return stream.readAllBytes();
        }
    }

    private long files() throws IOException {
        return PathsBelow.files(directory).stream()
                .filter(file -> file.getFileName().toString().startsWith("dstl-segment-"))
                .count();
    }

    private void deleteFiles() throws IOException {
        for (Path file : PathsBelow.files(directory)) {
            Files.delete(file);
        }
    }

    private final class ObservedStream extends FSDataInputStreamWrapper {

        ObservedStream(FSDataInputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (!failures.isEmpty() && getPos() > content.length / 4) {
                throw failures.remove(0);
            }
            return super.read(target, offset, Math.min(length, 1000));
        }

        @Override
        public void close() throws IOException {
            openStreams.decrementAndGet();
            super.close();
        }
    }
}
