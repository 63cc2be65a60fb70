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

import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.SegmentStore.SegmentContent;
import io.dstl.store.s3.config.S3FileSystemKind;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.OkHttpClient;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a put begins and ends, by what it tells. */
class DirectPutTest {

    private final ExecutorService threads = Executors.newCachedThreadPool();
    @RegisterExtension private final LoopbackStore loopback = new LoopbackStore();
    private final LoopbackS3 server = loopback.server();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void abortsTheRequestOfAPutThatIsGivenUp() throws Exception {
        SegmentStore store = store(loopback.configuration());
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        server.next(
                exchange -> {
                    arrived.countDown();
                    LoopbackS3.await(over);
                });
        Follower follower = new Follower();
        CompletableFuture<FileStateHandle> put = store.put("one", content(1), follower);
        arrived.await();
        assertThat(follower.ended).isNotDone();

        put.cancel(false);

        // The server has not answered: so it is the client that ended it.
        follower.ended.get();
        over.countDown();
        assertThat(server.objects()).isEmpty();
    }

    /** Else it would use up its time, and be sent several times, before it is sent at all. */
    @Test
    void beginsWhenThereIsAConnectionForIt() throws Exception {
        Configuration oneConnection = loopback.configuration();
        oneConnection.setString("s3.connection.maximum", "1");
        SegmentStore store = store(oneConnection);
        CountDownLatch over = new CountDownLatch(1);
        server.next(server.serveAfter(over));
        Follower second = new Follower();
        Follower third = new Follower();
        CompletableFuture<FileStateHandle> putOne = store.put("one", content(1), PutListener.NONE);
        CompletableFuture<FileStateHandle> putTwo = store.put("two", content(2), second);
        CompletableFuture<FileStateHandle> putThree = store.put("three", content(3), third);
        putThree.cancel(false);
        assertThat(second.begun).isNotDone();

        over.countDown();
        putOne.get();
        putTwo.get();

        assertThat(second.begun).isCompleted();
        second.ended.get();
        third.ended.get();
        assertThat(third.begun).as("that was given up before").isNotDone();
        assertThat(server.objects().keySet())
                .extracting(path -> path.substring(path.lastIndexOf('/') + 1))
                .containsExactlyInAnyOrder("one", "two");
    }

    /** A moment in which the machine starts no thread, while requests wait for a connection. */
    @Test
    void noPutIsLostThatGetsNoThread() throws Exception {
        Configuration oneConnection = loopback.configuration();
        oneConnection.setString("s3.connection.maximum", "1");
        AtomicBoolean none = new AtomicBoolean();
        ExecutorService scarce =
                new ThreadPoolExecutor(
                        0,
                        Integer.MAX_VALUE,
                        1,
                        TimeUnit.MINUTES,
                        new SynchronousQueue<>(),
                        work -> {
                            if (none.get()) {
                                throw new OutOfMemoryError("unable to create native thread");
                            }
                            return new Thread(work);
                        });
        SegmentStore store =
                loopback.access(oneConnection, scarce)
                        .store(new Path("s3://bucket/a/base"), new JobID(1, 2), Runnable::run);
        CountDownLatch over = new CountDownLatch(1);
        server.next(server.serveAfter(over));
        CompletableFuture<FileStateHandle> first = store.put("one", content(1), PutListener.NONE);
        Follower second = new Follower();
        Follower third = new Follower();
        CompletableFuture<FileStateHandle> putTwo = store.put("two", content(2), second);
        CompletableFuture<FileStateHandle> putThree = store.put("three", content(3), third);

        none.set(true);
        over.countDown();
        first.get();

        for (CompletableFuture<FileStateHandle> put : List.of(putTwo, putThree)) {
            assertThatThrownBy(put::get).hasRootCauseInstanceOf(OutOfMemoryError.class);
        }
        second.ended.get();
        third.ended.get();
        none.set(false);
        store.put("four", content(4), PutListener.NONE).get();
        scarce.shutdownNow();
    }

    /** By which a put that failed is known to have left nothing to delete. */
    @ParameterizedTest
    @CsvSource({
        "503, SlowDown, true",
        "429, TooManyRequests, true",
        "403, AccessDenied, true",
        "503, '', false",
        "403, '', false",
        "503, ServiceUnavailable, false",
        "503, SlowDownWrite, false",
        "499, ClientDisconnected, false",
        "400, RequestTimeout, false",
        "500, InternalError, false",
    })
    void tellsThatNothingIsStoredIfTheStoreSaysSo(int status, String code, boolean told)
            throws Exception {
        server.next(LoopbackS3.error(status, code));

        assertThat(isToldNotStored()).isEqualTo(told);
    }

    /** The store may have carried out the first, and refused only the one that it answered. */
    @Test
    void doesNotTellSoOfARequestThatTheTransportSentAgain() throws Exception {
        server.next(
                exchange -> {
                    exchange.getResponseHeaders().add("Retry-After", "0");
                    LoopbackS3.error(503, "").give(exchange);
                });
        server.next(LoopbackS3.error(503, "SlowDown"));

        assertThat(isToldNotStored()).isFalse();
        assertThat(server.requests()).hasSize(2);
    }

    private boolean isToldNotStored() throws IOException {
        Follower follower = new Follower();
        CompletableFuture<FileStateHandle> put =
                store(loopback.configuration()).put("one", content(1), follower);
        assertThatThrownBy(put::get).hasCauseInstanceOf(IOException.class);
        return follower.notStored.isDone();
    }

    /** One that hangs beside a winner would keep its connection, and be one less for the others. */
    @ParameterizedTest
    @CsvSource({"0, 600000", "1 h, 600000", "7 s, 7000"})
    void noRequestIsSilentForEver(String configured, int millis) throws Exception {
        Configuration config = loopback.configuration();
        config.setString("s3.socket-timeout", configured);
        OkHttpClient http =
                S3Access.http(
                        S3Settings.from(config, S3FileSystemKind.PRESTO, new GivenEnvironment()),
                        threads);

        assertThat(http.readTimeoutMillis()).isEqualTo(millis);
        assertThat(http.writeTimeoutMillis()).isEqualTo(millis);
    }

    private SegmentStore store(Configuration config) throws IOException {
        return loopback.access(config, threads)
                .store(new Path("s3://bucket/a/base"), new JobID(1, 2), Runnable::run);
    }

    private static SegmentContent content(int value) {
        return out -> out.write(value);
    }

    /** What a put tells, to wait for. */
    private static final class Follower implements PutListener {
        private final CompletableFuture<Void> begun = new CompletableFuture<>();
        private final CompletableFuture<Void> notStored = new CompletableFuture<>();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        @Override
        public void begun() {
            begun.complete(null);
        }

        @Override
        public void progressed() {}

        @Override
        public void notStored() {
            notStored.complete(null);
        }

        @Override
        public void ended() {
            ended.complete(null);
        }
    }
}
