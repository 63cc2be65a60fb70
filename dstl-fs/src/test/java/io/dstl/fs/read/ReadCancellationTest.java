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
import io.dstl.fs.read.ChangeReader.HandleChanges;
import io.dstl.fs.read.ContentSource.FetchAhead;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.testing.StoredSegment;
import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import io.dstl.store.SegmentOpener;
import io.dstl.store.testing.LockingStream;
import io.dstl.testkit.ManualTimer;
import io.dstl.testkit.PathsBelow;
import io.dstl.testkit.SilentStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store that never answers, as after a network partition, and a restore that is cancelled. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadCancellationTest {

    private static final StreamStateHandle INDEXED =
            new ByteStreamStateHandle(StoredSegment.indexed("silent"), new byte[100]);

    private static final StreamStateHandle UNINDEXED =
            new ByteStreamStateHandle("silent", new byte[100]);

    @TempDir Path directory;

    private final ExecutorService restore = Executors.newSingleThreadExecutor();
    private final SilentStream silent = new SilentStream();

    @AfterEach
    void stop() {
        restore.shutdownNow();
    }

    @Test
    void endsADownloadOfParts() throws Exception {
        endsAtOnce(cache(), INDEXED);
    }

    @Test
    void endsADownloadOfAWholeSegment() throws Exception {
        endsAtOnce(cache(), UNINDEXED);
    }

    @Test
    void endsReadingAnIndexInPlace() throws Exception {
        endsAtOnce(new UncachedSource(this::open), INDEXED);
    }

    @Test
    void endsOpeningInPlace() throws Exception {
        endsAtOnce(new UncachedSource(this::open), UNINDEXED);
    }

    private void endsAtOnce(ContentSource source, StreamStateHandle segment) throws Exception {
        SetRequest set = new SetRequest(segment, 0, ChangeSetDecoder.ALL_KEY_GROUPS);
        HandleChanges changes =
                new HandleChanges(source, List.of(set), Redaction.of(new Configuration()));
        CompletableFuture<Boolean> restored =
                CompletableFuture.supplyAsync(changes::hasNext, restore);
        silent.awaitRead();

        changes.close();

        assertThatThrownBy(restored::get).hasRootCauseMessage("The connection was closed");
        assertThat(PathsBelow.files(directory))
                .allSatisfy(file -> assertThat(file.toString()).endsWith(".lock"));
    }

    @Test
    void endsADownloadOfPartsAheadOfItsReader() throws Exception {
        endsWithTheRestore(INDEXED);
    }

    @Test
    void endsADownloadOfAWholeSegmentAheadOfItsReader() throws Exception {
        endsWithTheRestore(UNINDEXED);
    }

    /** As HDFS does. */
    @Test
    void closingDoesNotWaitForAStreamThatLetsItWaitForItsReader() throws Exception {
        for (StreamStateHandle segment : List.of(INDEXED, UNINDEXED)) {
            LockingStream locking = new LockingStream(false);
            SetRequest set =
                    new SetRequest(
                            new ByteStreamStateHandle(
                                    segment.getStreamStateHandleID().getKeyString(),
                                    new byte[100]) {
                                @Override
                                public FSDataInputStream openInputStream() {
                                    return locking;
                                }
                            },
                            0,
                            ChangeSetDecoder.ALL_KEY_GROUPS);
            FetchAhead ahead = cache(new FileSystemOpener(), restore).fetchAhead(List.of(set));
            locking.awaitRead();

            ahead.close();

            locking.answer();
            locking.awaitClosed();
        }
    }

    private void endsWithTheRestore(StreamStateHandle segment) throws Exception {
        FetchAhead ahead =
                cache(restore)
                        .fetchAhead(
                                List.of(
                                        new SetRequest(
                                                segment, 0, ChangeSetDecoder.ALL_KEY_GROUPS)));
        silent.awaitRead();

        ahead.close();

        // The thread is free again.
        CompletableFuture.runAsync(() -> {}, restore).get();
        assertThat(PathsBelow.files(directory))
                .allSatisfy(file -> assertThat(file.toString()).endsWith(".lock"));
    }

    private SegmentCache cache() {
        return cache(Runnable::run);
    }

    private SegmentCache cache(Executor downloads) {
        return cache(this::open, downloads);
    }

    private SegmentCache cache(SegmentOpener opener, Executor downloads) {
        return new SegmentCache(
                opener,
                new DownloadSettings(
                        List.of(directory.toFile()), Duration.ofMinutes(1), 1, 1 << 20),
                () -> "copy",
                new ManualTimer(),
                downloads,
                path -> false);
    }

    private FSDataInputStream open(StreamStateHandle segment) {
        return silent;
    }
}
