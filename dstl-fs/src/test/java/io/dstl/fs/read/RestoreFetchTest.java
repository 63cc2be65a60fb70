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
import io.dstl.fs.read.ContentSource.FetchAhead;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.segment.SetInput;
import io.dstl.fs.testing.Changes;
import io.dstl.fs.testing.StoredSegment;
import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualTimer;
import io.dstl.testkit.PathsBelow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataInputStreamWrapper;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestoreFetchTest {

    private static final int SEGMENTS = 6;
    private static final Error NO_THREAD = new Error("unable to create native thread");
    private static final Duration IDLE = Duration.ofMinutes(10);

    private Runnable whenClosed = () -> {};

    @TempDir Path directory;

    private final ManualTimer timer = new ManualTimer();
    private final ManualExecutor downloads = new ManualExecutor();
    private final Map<PhysicalStateHandleID, StoredSegment> store = new HashMap<>();
    private final List<StoredSegment> segments = new ArrayList<>();
    private int names;
    private SegmentCache cache;

    @BeforeEach
    void storeSegments() throws Exception {
        for (int i = 0; i < SEGMENTS; i++) {
            StoredSegment segment =
                    new StoredSegment(
                            "segment-" + i,
                            true,
                            Changes.random(1, 200).seal(),
                            Changes.random(2, 200).seal());
            segments.add(segment);
            store.put(segment.handle().getStreamStateHandleID(), segment);
        }
        cache = cacheWithRoomFor(3);
    }

    private SegmentCache cacheWithRoomFor(int count) {
        long bytes = segments.get(0).handle().getStateSize();
        return new SegmentCache(
                this::open,
                new DownloadSettings(List.of(directory.toFile()), IDLE, 2, bytes * count),
                () -> "copy-" + ++names,
                timer,
                downloads,
                path -> false);
    }

    private FSDataInputStream open(StreamStateHandle segment) throws IOException {
        return new FSDataInputStreamWrapper(
                store.get(segment.getStreamStateHandleID()).open(segment)) {
            @Override
            public void close() throws IOException {
                super.close();
                whenClosed.run();
            }
        };
    }

    /** Of all segments, in order: the sets with this number. */
    private List<SetRequest> plan(int set) {
        List<SetRequest> plan = new ArrayList<>();
        for (StoredSegment segment : segments) {
            plan.add(request(segment, set));
        }
        return plan;
    }

    private static SetRequest request(StoredSegment segment, int set) {
        return new SetRequest(
                segment.handle(), segment.offset(set), ChangeSetDecoder.ALL_KEY_GROUPS);
    }

    private int read(SetRequest set) throws IOException {
        SetInput input = cache.open(set);
        int changes = 0;
        try {
            ChangeSetDecoder decoder = input.decode(set.keyGroups());
            while (decoder.hasNext()) {
                decoder.next();
                changes++;
            }
        } finally {
            input.content().close();
        }
        return changes;
    }

    private List<Integer> opened() {
        List<Integer> opened = new ArrayList<>();
        segments.forEach(segment -> opened.add(segment.opened.get()));
        return opened;
    }

    private long files() throws IOException {
        return PathsBelow.files(directory).stream()
                .filter(file -> file.getFileName().toString().startsWith("dstl-segment-"))
                .count();
    }

    @Test
    void fetchesAsMuchAheadAsThereIsRoomForAndGoesOnAsItIsRead() throws Exception {
        List<SetRequest> plan = plan(0);
        try (FetchAhead ahead = cache.fetchAhead(plan)) {
            downloads.runAll();
            assertThat(opened()).containsExactly(1, 1, 1, 0, 0, 0);

            assertThat(read(plan.get(0))).isEqualTo(200);
            ahead.done(plan.get(0).segment());
            downloads.runAll();
            assertThat(opened()).containsExactly(1, 1, 1, 1, 0, 0);

            for (SetRequest each : plan.subList(1, SEGMENTS)) {
                assertThat(read(each)).isEqualTo(200);
                ahead.done(each.segment());
                downloads.runAll();
            }
        }
        assertThat(opened()).containsOnly(1);
        timer.advance(IDLE);
        assertThat(files()).isZero();
    }

    @Test
    void tasksThatShareSegmentsDownloadEachOnceAndTheRoomCountsOnce() throws Exception {
        List<SetRequest> first = plan(0);
        List<SetRequest> second = plan(1);
        try (FetchAhead one = cache.fetchAhead(first);
                FetchAhead two = cache.fetchAhead(second)) {
            downloads.runAll();
            assertThat(opened()).containsExactly(1, 1, 1, 0, 0, 0);
            for (int i = 0; i < SEGMENTS; i++) {
                assertThat(read(first.get(i)) + read(second.get(i))).isEqualTo(400);
                one.done(first.get(i).segment());
                two.done(second.get(i).segment());
                downloads.runAll();
            }
        }
        assertThat(opened()).containsOnly(1);
    }

    @Test
    void roomThatOneRestoreMakesGoesToTheOnesThatWaitInTurn() throws Exception {
        List<SetRequest> plan = plan(0);
        cache = cacheWithRoomFor(1);
        try (FetchAhead one = cache.fetchAhead(plan.subList(0, 2));
                FetchAhead two = cache.fetchAhead(plan.subList(2, 4));
                FetchAhead three = cache.fetchAhead(plan.subList(4, 6))) {
            downloads.runAll();
            assertThat(opened()).containsExactly(1, 0, 0, 0, 0, 0);

            one.done(plan.get(0).segment());
            downloads.runAll();
            assertThat(opened()).containsExactly(1, 1, 0, 0, 0, 0);

            one.close();
            downloads.runAll();
            assertThat(opened()).containsExactly(1, 1, 1, 0, 0, 0);

            two.done(plan.get(2).segment());
            downloads.runAll();
            assertThat(opened()).containsExactly(1, 1, 1, 0, 1, 0);

            three.close();
            downloads.runAll();
            assertThat(opened()).containsExactly(1, 1, 1, 1, 1, 0);
        }
    }

    @Test
    void restoresThatWaitAreAskedOnlyWhenThereIsRoomAndShareIt() throws Exception {
        cache = cacheWithRoomFor(1);
        AtomicInteger asked = new AtomicInteger();
        StreamStateHandle awaited =
                new ByteStreamStateHandle(
                        segments.get(1).handle().getStreamStateHandleID().getKeyString(),
                        segments.get(1).bytes()) {
                    @Override
                    public long getStateSize() {
                        asked.incrementAndGet();
                        return super.getStateSize();
                    }
                };
        SetRequest next = new SetRequest(awaited, 0, ChangeSetDecoder.ALL_KEY_GROUPS);
        List<SetRequest> first = plan(0).subList(0, 1);
        FetchAhead one = cache.fetchAhead(first);
        FetchAhead two = cache.fetchAhead(first);
        int waiting = 5;
        List<FetchAhead> aheads = new ArrayList<>();
        for (int i = 0; i < waiting; i++) {
            aheads.add(cache.fetchAhead(List.of(next)));
        }
        asked.set(0);

        one.done(first.get(0).segment());
        assertThat(asked).hasValue(0);
        two.done(first.get(0).segment());
        assertThat(asked).hasValue(waiting);

        for (FetchAhead ahead : List.of(one, two, aheads.get(0))) {
            ahead.close();
        }
        downloads.runAll();
        assertThat(opened()).containsExactly(0, 1, 0, 0, 0, 0);
        aheads.forEach(FetchAhead::close);
    }

    @Test
    void aSegmentThatIsReadTwiceKeepsItsPlaceUntilTheSecondTime() throws Exception {
        List<SetRequest> plan = new ArrayList<>(plan(0));
        plan.add(request(segments.get(0), 1));
        try (FetchAhead ahead = cache.fetchAhead(plan)) {
            downloads.runAll();
            ahead.done(plan.get(0).segment());
            downloads.runAll();
            assertThat(opened()).containsExactly(1, 1, 1, 0, 0, 0);

            ahead.done(plan.get(1).segment());
            downloads.runAll();
            assertThat(opened()).containsExactly(1, 1, 1, 1, 0, 0);
        }
    }

    @Test
    void fetchesOneAheadWhateverItsSize() {
        cache = cacheWithRoomFor(0);
        try (FetchAhead ahead = cache.fetchAhead(plan(0))) {
            downloads.runAll();
            assertThat(opened()).containsExactly(1, 0, 0, 0, 0, 0);
        }
    }

    @Test
    void aReaderThatIsAheadDownloadsForItself() throws Exception {
        List<SetRequest> plan = plan(0);
        try (FetchAhead ahead = cache.fetchAhead(plan)) {
            assertThat(read(plan.get(0))).isEqualTo(200);
            downloads.runAll();
        }
        assertThat(opened()).containsExactly(1, 1, 1, 0, 0, 0);
    }

    @Test
    void whatFailsAheadLeavesNothingAndIsReportedToItsReader() throws Exception {
        segments.get(0).damage(bytes -> new byte[0]);
        List<SetRequest> plan = plan(0);
        try (FetchAhead ahead = cache.fetchAhead(plan)) {
            downloads.runAll();
            assertThat(files()).isEqualTo(2);
            assertThatThrownBy(() -> read(plan.get(0))).hasMessageContaining("segment-0");
        }
        timer.advance(IDLE);
        assertThat(files()).isZero();
        segments.forEach(segment -> assertThat(segment.open).hasValue(0));
    }

    @Test
    void closingEndsWhatHasNotBegun() throws Exception {
        cache.fetchAhead(plan(0)).close();
        downloads.runAll();

        assertThat(opened()).containsOnly(0);
        assertThat(files()).isZero();
    }

    @Test
    void closingEndsADownloadThatNobodyElseWaitsFor() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        StoredSegment slow = segments.get(0);
        slow.damage(
                bytes -> {
                    begun.countDown();
                    awaitUninterrupted(goOn);
                    return bytes;
                });
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            FetchAhead ahead = cache.fetchAhead(plan(0));
            CompletableFuture<Void> download =
                    CompletableFuture.runAsync(downloads::runAll, thread);
            begun.await();
            ahead.close();
            goOn.countDown();
            download.get();
        } finally {
            thread.shutdownNow();
        }

        assertThat(slow.open).hasValue(0);
        assertThat(slow.delivered).hasValue(0);
        assertThat(opened()).containsExactly(1, 0, 0, 0, 0, 0);
        assertThat(files()).isZero();
        assertThat(timer.size()).isZero();
    }

    /** As when the one who fetched ahead reads faster than the thread that downloaded ends. */
    @Test
    void closingKeepsWhatIsThereAlready() throws Exception {
        List<SetRequest> plan = plan(0).subList(0, 1);
        FetchAhead ahead = cache.fetchAhead(plan);
        whenClosed = ahead::close;
        downloads.runAll();

        whenClosed = () -> {};
        assertThat(read(plan.get(0))).isPositive();
        assertThat(opened()).containsExactly(1, 0, 0, 0, 0, 0);

        timer.advance(IDLE);
        assertThat(files()).isZero();
    }

    @Test
    void aDirectoryThatFindsNoThreadToBeSweptTakesCopies() throws Exception {
        downloads.failNext(NO_THREAD);
        try (FetchAhead ahead = cache.fetchAhead(plan(0))) {
            downloads.runAll();
        }
        assertThat(opened()).containsExactly(1, 1, 1, 0, 0, 0);
    }

    @Test
    void whatFindsNoThreadIsLeftToItsReaderAndTakesNoRoomForEver() throws Exception {
        List<SetRequest> plan = plan(0);
        cache.fetchAhead(plan.subList(5, 6)).close();
        downloads.failNext(NO_THREAD);
        try (FetchAhead ahead = cache.fetchAhead(plan.subList(0, 3))) {
            downloads.runAll();
            assertThat(opened()).containsExactly(0, 1, 1, 0, 0, 0);
            assertThat(read(plan.get(0))).isEqualTo(200);
        }
        try (FetchAhead ahead = cache.fetchAhead(plan.subList(3, 6))) {
            downloads.runAll();
            assertThat(opened()).containsOnly(1);
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aClosedCacheFetchesNothingAndLeavesNothing() throws Exception {
        FetchAhead ahead = cache.fetchAhead(plan(0));
        downloads.runAll();
        assertThat(files()).isEqualTo(3);

        cache.close();
        ahead.done(segments.get(0).handle());
        downloads.runAll();
        ahead.close();

        assertThat(opened()).containsExactly(1, 1, 1, 0, 0, 0);
        assertThat(files()).isZero();
    }
}
