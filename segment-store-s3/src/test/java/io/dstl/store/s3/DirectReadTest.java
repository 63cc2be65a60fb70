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
package io.dstl.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dstl.store.SegmentOpener.RangedReads;
import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.PutListener;
import io.minio.credentials.StaticProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.Okio;
import okio.Source;
import okio.Timeout;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.IOUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What reading does when the store throttles, fails, breaks off or refuses. */
class DirectReadTest {

    @RegisterExtension private final LoopbackStore loopback = new LoopbackStore();
    private final LoopbackS3 server = loopback.server();
    private final SegmentStore store = loopback.store(new JobID(1, 2));

    private FileStateHandle stored(int... content) throws Exception {
        return store.put("one", DirectSegmentStoreTest.content(content), PutListener.NONE).get();
    }

    @Test
    void readsOnWhereAConnectionBreaks() throws Exception {
        FileStateHandle segment = stored(1, 2, 3, 4);
        server.next(LoopbackS3.cutOff(200, 4, new byte[] {1, 2}));
        try (FSDataInputStream content = store.open(segment)) {
            assertThat(content.readAllBytes()).containsExactly(1, 2, 3, 4);
        }

        assertThat(server.requests()).hasSize(3);
        assertThat(server.headers(2).get("Range")).containsExactly("bytes=2-");
    }

    @Test
    void asksForNoMoreThanIsGoingToBeRead() throws Exception {
        FileStateHandle segment = stored(1, 2, 3, 4, 5, 6, 7);
        try (FSDataInputStream content = store.open(segment)) {
            content.seek(2);
            ((RangedReads) content).readUntil(5);
            assertThat(content.readNBytes(3)).containsExactly(3, 4, 5);
            assertThat(content.getPos()).isEqualTo(5);

            // Beyond that it reads on, to the end.
            assertThat(content.readAllBytes()).containsExactly(6, 7);
            assertThat(content.read()).isEqualTo(-1);
        }
        assertThat(server.headers(1).get("Range")).containsExactly("bytes=2-4");
        assertThat(server.headers(2).get("Range")).containsExactly("bytes=5-");
    }

    /** The rest of a block or two comes quicker than a connection is made. */
    @Test
    void whatIsLeftOverIsReadToUseTheConnectionAgain() throws Exception {
        byte[] large = new byte[4 << 20];
        FileStateHandle segment = store.put("one", out -> out.write(large), PutListener.NONE).get();
        try (FSDataInputStream content = store.open(segment)) {
            for (long part = 0; part < 4; part++) {
                CountDownLatch sent = new CountDownLatch(1);
                server.next(
                        exchange -> {
                            server.serve(exchange);
                            sent.countDown();
                        });
                content.seek(part << 20);
                ((RangedReads) content).readUntil((part << 20) + 100_000);
                assertThat(content.readNBytes(10)).hasSize(10);
                assertThat(await(sent)).isTrue();
            }
        }

        assertThat(server.requests()).hasSize(5);
        // On a slow machine two of the three rests may take longer than they are waited for.
        assertThat(server.connections()).isLessThan(4);
    }

    /** A connection that has died takes no more than a moment, not the whole time of a read. */
    @Test
    void whatIsLeftOverIsNotWaitedFor() throws Exception {
        byte[] large = new byte[1 << 20];
        FileStateHandle segment = store.put("one", out -> out.write(large), PutListener.NONE).get();
        CountDownLatch askedAgain = new CountDownLatch(1);
        CompletableFuture<Boolean> wentOn = new CompletableFuture<>();
        server.next(
                exchange -> {
                    LoopbackS3.cutOff(206, 1000, new byte[100]).give(exchange);
                    wentOn.complete(await(askedAgain));
                });
        server.next(
                exchange -> {
                    askedAgain.countDown();
                    server.serve(exchange);
                });
        try (FSDataInputStream content = store.open(segment)) {
            ((RangedReads) content).readUntil(1000);
            assertThat(content.readNBytes(100)).hasSize(100);
            content.seek(1 << 19);
            ((RangedReads) content).readUntil((1 << 19) + 1000);
            assertThat(content.readNBytes(1000)).hasSize(1000);
        }

        assertThat(wentOn.get()).isTrue();
        assertThat(server.connections()).isEqualTo(2);
    }

    /** Shorter than the client waits for a byte. */
    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    void anObjectThatEndsBeforeIsReadToItsEnd() throws Exception {
        FileStateHandle segment = stored(1, 2, 3);
        try (FSDataInputStream content = store.open(segment)) {
            ((RangedReads) content).readUntil(100);
            assertThat(content.readAllBytes()).containsExactly(1, 2, 3);
        }
        assertThat(server.requests()).hasSize(2);
    }

    @Test
    void readsOnUpToTheSameEndWhereAConnectionBreaks() throws Exception {
        FileStateHandle segment = stored(1, 2, 3, 4);
        server.next(LoopbackS3.cutOff(206, 3, new byte[] {1}));
        try (FSDataInputStream content = store.open(segment)) {
            ((RangedReads) content).readUntil(3);
            assertThat(content.readNBytes(3)).containsExactly(1, 2, 3);
        }
        assertThat(server.headers(1).get("Range")).containsExactly("bytes=0-2");
        assertThat(server.headers(2).get("Range")).containsExactly("bytes=1-2");
    }

    /** Each answer broken off would take its connection along. */
    @Test
    void partsOfLargeObjectsComeByOneConnection() throws Exception {
        byte[] large = new byte[4 << 20];
        FileStateHandle segment = store.put("one", out -> out.write(large), PutListener.NONE).get();
        for (int reader = 0; reader < 5; reader++) {
            try (FSDataInputStream content = store.open(segment)) {
                for (long part = 0; part < 4; part++) {
                    content.seek(part << 20);
                    ((RangedReads) content).readUntil((part << 20) + 1000);
                    assertThat(content.readNBytes(1000)).hasSize(1000);
                }
            }
        }

        assertThat(server.requests()).hasSize(1 + 5 * 4);
        assertThat(server.connections()).isEqualTo(1);
    }

    @Test
    void givesUpReadingWhereNothingComes() throws Exception {
        FileStateHandle segment = stored(1);
        server.next(10, LoopbackS3.error(500, "InternalError"));
        try (FSDataInputStream content = store.open(segment)) {
            assertThatThrownBy(content::read)
                    .hasMessageContaining("after 10 tries")
                    .hasMessageContaining("500 InternalError");
        }

        assertThat(server.requests()).hasSize(11);
        assertThat(loopback.pauses())
                .hasSize(9)
                .startsWith(
                        Duration.ofMillis(500),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(4))
                .endsWith(Duration.ofSeconds(10));
    }

    @Test
    void outlastsAStoreThatThrottlesReads() throws Exception {
        FileStateHandle segment = stored(1, 2);
        for (int i = 0; i < 9; i++) {
            server.next(LoopbackS3.error(i % 2 == 0 ? 503 : 429, "SlowDown"));
        }
        try (FSDataInputStream content = store.open(segment)) {
            assertThat(content.readAllBytes()).containsExactly(1, 2);
        }
        assertThat(loopback.pauses()).hasSize(9);
    }

    /** One of the many reads of a restore must not repeat them all, as a restart would. */
    @Test
    void goesOnForAsLongAsTheStoreServesOtherReads() throws Exception {
        FileStateHandle segment = stored(1, 2);
        int refusals = 25;
        throttle(refusals);
        loopback.onPause(
                number -> {
                    if (number < refusals) {
                        loopback.advance(Retries.PATIENCE.minusSeconds(1));
                        readBetween(segment);
                        throttle(refusals - number);
                    }
                });
        try (FSDataInputStream content = store.open(segment)) {
            assertThat(content.readAllBytes()).containsExactly(1, 2);
        }
        assertThat(loopback.pauses()).hasSize(refusals);
    }

    /** The reader of an earlier restore in this process says nothing of the store of today. */
    @Test
    void hasPatienceHoweverLongAgoTheLastReadWas() throws Exception {
        FileStateHandle segment = stored(1, 2);
        readBetween(segment);
        loopback.advance(Duration.ofHours(1));
        int refusals = 2 * Retries.MAX_TRIES;
        throttle(refusals);
        loopback.onPause(number -> loopback.advance(last(loopback.pauses())));
        try (FSDataInputStream content = store.open(segment)) {
            assertThat(content.readAllBytes()).containsExactly(1, 2);
        }
        assertThat(loopback.pauses()).hasSize(refusals);
    }

    private static Duration last(List<Duration> pauses) {
        return pauses.get(pauses.size() - 1);
    }

    /** What the queue of answers has is for the throttled read. */
    private void readBetween(FileStateHandle segment) {
        server.clearNext();
        try (FSDataInputStream content = store.open(segment)) {
            assertThat(content.read()).isEqualTo(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void throttle(int times) {
        server.next(times, LoopbackS3.error(503, "SlowDown"));
    }

    @Test
    void givesUpWhenTheStoreServesNobody() throws Exception {
        FileStateHandle segment = stored(1);
        throttle(20);
        loopback.onPause(number -> loopback.advance(Retries.PATIENCE.dividedBy(8)));
        try (FSDataInputStream content = store.open(segment)) {
            assertThatThrownBy(content::read).hasMessageContaining("after 10 tries");
        }
    }

    @Test
    void aPauseIsShortAgainAfterProgress() throws Exception {
        FileStateHandle segment = stored(1, 2);
        throttle(2);
        server.next(LoopbackS3.cutOff(200, 2, new byte[] {1}));
        try (FSDataInputStream content = store.open(segment)) {
            assertThat(content.readAllBytes()).containsExactly(1, 2);
        }
        assertThat(loopback.pauses())
                .containsExactly(
                        Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofMillis(500));
    }

    @Test
    void doesNotAskAgainForWhatTheStoreRefuses() throws Exception {
        FileStateHandle segment = stored(1);
        server.next(LoopbackS3.error(403, "AccessDenied"));
        server.next(LoopbackS3.error(400, "InvalidRequest"));
        try (FSDataInputStream content = store.open(segment)) {
            assertThatThrownBy(content::read)
                    .hasMessageContaining("403 AccessDenied")
                    .hasMessageContaining("s3:ListBucket");
            assertThatThrownBy(content::read).hasMessageContaining("400 InvalidRequest");
        }
        assertThat(server.requests()).hasSize(3);
        assertThat(loopback.pauses()).isEmpty();
    }

    @Test
    void closingEndsAPause() throws Exception {
        FileStateHandle segment = stored(1);
        server.next(LoopbackS3.error(503, "SlowDown"));
        FSDataInputStream content = store.open(segment);
        loopback.onPause(number -> IOUtils.closeQuietly(content));

        assertThatThrownBy(content::read).hasMessageContaining("Closed while reading");
        assertThat(server.requests()).hasSize(2);
    }

    @Test
    void anInterruptEndsAPause() throws Exception {
        Retries blocking = Retries.blocking(() -> 0.5, Instant::now);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> blocking.pause(1, new CountDownLatch(1)))
                .isInstanceOf(InterruptedException.class);
        assertThat(blocking.pause(9, new CountDownLatch(0))).isTrue();
    }

    @Test
    void readsWaitNoLongerThanACancelledTaskMay() throws Exception {
        assertThat(S3Client.readTimeout(Duration.ofMillis(200_000)))
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(S3Client.readTimeout(Duration.ZERO)).isEqualTo(Duration.ofSeconds(30));
        assertThat(S3Client.readTimeout(Duration.ofSeconds(7))).isEqualTo(Duration.ofSeconds(7));
    }

    /** The client's threads outlive the job, and hold what class loader they began with. */
    @Test
    void readsWithAClassLoaderThatIsNotTheUsers() throws Exception {
        FileStateHandle segment = stored(1);
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        server.next(LoopbackS3.error(503, "SlowDown"));
        List<ClassLoader> seen = new ArrayList<>();
        loopback.onPause(number -> seen.add(Thread.currentThread().getContextClassLoader()));
        try (URLClassLoader users = new URLClassLoader(new URL[0], before);
                FSDataInputStream content = store.open(segment)) {
            Thread.currentThread().setContextClassLoader(users);
            assertThat(content.read()).isEqualTo(1);
            assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(users);
            content.close();
            assertThat(seen).containsExactly(RangeInputStream.class.getClassLoader());
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread != Thread.currentThread())
                    .noneMatch(thread -> thread.getContextClassLoader() == users);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /** A load balancer without a backend, or one that is set up anew, answers so. */
    @Test
    void aPageThatSaysNotFoundIsNotBelieved() throws Exception {
        FileStateHandle segment = stored(1);
        server.next(LoopbackS3.answer(404, "default backend - 404"));
        try (FSDataInputStream content = store.open(segment)) {
            assertThat(content.read()).isEqualTo(1);
        }
        assertThat(loopback.pauses()).hasSize(1);
    }

    /** OkHttp's streams are for one thread: to close one that another reads may throw. */
    @Test
    void theReaderClosesWhatItReads() throws Exception {
        BlockedBody body = new BlockedBody();
        RangeInputStream content = answeredWith(body);
        CompletableFuture<Thread> reader = new CompletableFuture<>();
        CompletableFuture<Throwable> failure =
                CompletableFuture.supplyAsync(
                        () -> {
                            reader.complete(Thread.currentThread());
                            return catchThrowable(content::read);
                        });
        assertThat(DirectReadTest.await(body.isRead)).isTrue();

        content.close();
        assertThat(body.closedBy).as("while it is read").isNotDone();
        body.goOn.countDown();

        assertThat(failure.get()).hasMessageContaining("as the socket was closed");
        assertThat(body.closedBy).isCompletedWithValue(reader.get());
        assertThatThrownBy(content::read).hasMessageContaining("Closed while reading");
    }

    @Test
    void whatIsNotReadIsClosedAtOnce() throws Exception {
        BlockedBody body = new BlockedBody();
        body.goOn.countDown();
        RangeInputStream content = answeredWith(body);
        assertThat(content.read(new byte[1])).isEqualTo(1);

        content.close();
        assertThat(body.closedBy).isCompletedWithValue(Thread.currentThread());
    }

    private RangeInputStream answeredWith(BlockedBody body) {
        OkHttpClient http =
                new OkHttpClient.Builder()
                        .addInterceptor(
                                chain ->
                                        new Response.Builder()
                                                .request(chain.request())
                                                .protocol(Protocol.HTTP_1_1)
                                                .code(200)
                                                .message("OK")
                                                .body(
                                                        ResponseBody.create(
                                                                Okio.buffer(body), null, 2))
                                                .build())
                        .build();
        return loopback.reader(
                http, new StaticProvider("AKIDSECRET", "very-secret", null), used -> false);
    }

    /** Gives a byte, and then fails, once it may. */
    private static final class BlockedBody implements Source {

        private final CountDownLatch isRead = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final CompletableFuture<Thread> closedBy = new CompletableFuture<>();
        private boolean given;

        @Override
        public long read(Buffer target, long bytes) throws IOException {
            boolean waits = goOn.getCount() > 0;
            isRead.countDown();
            DirectReadTest.await(goOn);
            if (waits || given) {
                throw new IOException("as the socket was closed");
            }
            given = true;
            target.writeByte(1);
            return 1;
        }

        @Override
        public Timeout timeout() {
            return Timeout.NONE;
        }

        @Override
        public void close() {
            closedBy.complete(Thread.currentThread());
        }
    }
}
