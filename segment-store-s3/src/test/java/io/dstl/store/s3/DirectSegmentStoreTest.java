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

import static org.apache.flink.util.concurrent.Executors.newDirectExecutorServiceWithNoOpShutdown;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.RefusedException;
import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.SegmentStore.SegmentContent;
import io.dstl.store.ThrottledException;
import io.dstl.store.s3.LoopbackS3.Answer;
import io.dstl.store.testing.SegmentStoreContract;
import io.minio.credentials.StaticProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import okhttp3.Request;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a server in this JVM, which counts the requests. */
class DirectSegmentStoreTest extends SegmentStoreContract {

    private static final String DIRECTORY = "/a/base/" + JOB.toHexString() + "/dstl";
    private static final Answer MALFORMED = LoopbackS3.error(400, "AuthorizationHeaderMalformed");
    private static final Answer PAGE = LoopbackS3.answer(200, "<html>We are back soon</html>");

    private final ExecutorService threads = Executors.newCachedThreadPool();
    @RegisterExtension private final LoopbackStore loopback = new LoopbackStore();
    private final LoopbackS3 server = loopback.server();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Override
    protected SegmentStore create(Path base, Executor uploads) throws IOException {
        return create(uploads, newDirectExecutorServiceWithNoOpShutdown());
    }

    private SegmentStore create(Executor uploads, ExecutorService requests) throws IOException {
        return loopback.store(JOB, uploads, requests);
    }

    @Override
    protected String directory() {
        return DIRECTORY;
    }

    @Override
    protected List<String> files() {
        return server.objects().keySet().stream()
                .map(path -> path.substring(path.lastIndexOf('/') + 1))
                .collect(Collectors.toList());
    }

    static SegmentContent content(int... values) {
        return bytes(values);
    }

    private FileStateHandle stored(SegmentStore store, int... content) throws Exception {
        return stored(store, "one", content);
    }

    @Test
    void storesWithOneRequestAndDeletesWithOne() throws Exception {
        SegmentStore store = create(base(), executor);
        FileStateHandle segment = stored(store, 1, 2, 3);
        store.delete(segment);

        assertThat(server.requests())
                .containsExactly(
                        "PUT /bucket" + DIRECTORY + "/one", "DELETE /bucket" + DIRECTORY + "/one");
    }

    @Test
    void readsARangeWithOneRequest() throws Exception {
        SegmentStore store = create(base(), executor);
        FileStateHandle segment = stored(store, 1, 2, 3, 4, 5);
        try (FSDataInputStream content = store.open(segment)) {
            content.seek(2);
            assertThat(content.readAllBytes()).containsExactly(3, 4, 5);
        }

        assertThat(server.requests()).hasSize(2);
        assertThat(server.requests().get(1)).isEqualTo("GET /bucket" + DIRECTORY + "/one");
        assertThat(server.headers(1).get("Range")).containsExactly("bytes=2-");
    }

    /** Without TLS the content is as well: of 01 02 03 the SHA-256. */
    @Test
    void sendsAChecksumThatIsSigned() throws Exception {
        stored(create(base(), executor), 1, 2, 3);

        assertThat(server.headers(0).get("X-amz-content-sha256"))
                .containsExactly(
                        "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81");
        // CRC-32C of 01 02 03 is f130f21e.
        assertThat(server.headers(0).get("X-amz-checksum-crc32c")).containsExactly("8TDyHg==");
        assertThat(server.headers(0)).doesNotContainKey("Content-md5");
        assertThat(server.headers(0).get("Content-length")).containsExactly("3");
        assertThat(server.headers(0).get("Authorization").get(0))
                .contains("AKIDSECRET/20260102/us-east-1/s3/aws4_request")
                .contains("x-amz-checksum-crc32c");
    }

    /** Hashing it would cost more than sending it. */
    @Test
    void leavesTheContentOutOfTheSignatureWithTls() throws Exception {
        Configuration config = loopback.configuration();
        config.setString("s3.endpoint", "https://store.example.com");
        S3Settings settings = LoopbackStore.settings(config);
        S3Client client =
                new S3Client(
                        settings,
                        new StaticProvider("AKIDSECRET", "very-secret", null),
                        used -> false,
                        S3Access.http(settings, threads),
                        new StoreClock(() -> Instant.EPOCH));

        Request request =
                client.put(
                                S3Object.of(new org.apache.flink.core.fs.Path("s3://b/a")),
                                SegmentBody.encode(bytes(1, 2, 3), 3),
                                () -> {})
                        .request();

        assertThat(request.header("x-amz-content-sha256")).isEqualTo("UNSIGNED-PAYLOAD");
        assertThat(request.header("Authorization")).contains("x-amz-checksum-crc32c");
    }

    /** Unlike with TLS, see {@link ChecksumOverTlsTest}: the content is signed. */
    @Test
    void withoutTlsAStoreNeedNotRepeatTheChecksum() throws Exception {
        SegmentStore store = create(base(), executor);
        stored(store, 1, 2, 3);
        stored(store, 1, 2, 3);

        assertThat(server.headers(1)).containsKey("X-amz-checksum-crc32c");
    }

    @Test
    void sendsAnMd5ToAStoreThatDoesNotKnowTheChecksum() throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(LoopbackS3.error(501, "NotImplemented"));
        stored(store, 1, 2, 3);
        stored(store, 1, 2, 3);

        assertThat(server.requests()).hasSize(3);
        for (int request = 1; request < 3; request++) {
            assertThat(server.headers(request)).doesNotContainKey("X-amz-checksum-crc32c");
            assertThat(server.headers(request).get("Content-md5"))
                    .containsExactly("Uonfc331cyb83SJZevsfrA==");
            assertThat(server.headers(request).get("Authorization").get(0)).contains("content-md5");
        }
    }

    @Test
    void asksNoThirdTimeWhereAStoreKnowsNoChecksum() throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(2, LoopbackS3.error(501, "NotImplemented"));

        assertThatThrownBy(() -> stored(store, 1)).hasMessageContaining("501 NotImplemented");
        assertThat(server.requests()).hasSize(2);
    }

    @Test
    void overlappingPutsOfAContentEncodeItOnce() throws Exception {
        AtomicInteger encoded = new AtomicInteger();
        SegmentContent content =
                out -> {
                    encoded.incrementAndGet();
                    out.write(new byte[] {1, 2, 3});
                };
        SegmentStore store = create(Runnable::run, threads);
        CountDownLatch over = new CountDownLatch(1);
        server.next(2, server.serveAfter(over));

        CompletableFuture<FileStateHandle> first = store.put("one", content, PutListener.NONE);
        CompletableFuture<FileStateHandle> second = store.put("one", content, PutListener.NONE);
        over.countDown();

        assertThat(first.get().getStateSize()).isEqualTo(3);
        assertThat(second.get().getStateSize()).isEqualTo(3);
        assertThat(encoded).hasValue(1);
        assertThat(server.objects().values()).containsExactly(new byte[] {1, 2, 3});

        // Both have ended: the bytes are gone.
        store.put("one", content, PutListener.NONE).get();
        assertThat(encoded).hasValue(2);
    }

    /** What a store answers must not tell it, or the log, what is in our environment. */
    @Test
    void showsTheAnswerOfTheStoreAsItIs() throws Exception {
        SegmentStore store = create(base(), executor);
        String text = "${PATH} and ${java.home}";
        server.next(
                LoopbackS3.answer(
                        403, "<Error><Code>Denied</Code><Message>" + text + "</Message></Error>"));

        assertThatThrownBy(() -> stored(store, 1))
                .hasMessageContaining("S3 answered 403 Denied, " + text + " (request");
    }

    @Test
    void tellsThatTheStoreWantsFewerRequests() throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(LoopbackS3.error(503, "SlowDown"));
        server.next(LoopbackS3.error(429, "TooManyRequests"));
        server.next(LoopbackS3.error(400, "RequestLimitExceeded"));

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> stored(store, 1)).hasCauseInstanceOf(ThrottledException.class);
        }
        assertThat(server.requests()).hasSize(3);
    }

    @Test
    void tellsARefusalFromWhatMaySucceedTheNextTime() throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(LoopbackS3.error(403, "AccessDenied"));
        server.next(LoopbackS3.error(401, "Unauthorized"));
        server.next(LoopbackS3.error(400, "InvalidArgument"));
        server.next(LoopbackS3.error(404, "NoSuchBucket"));
        for (int i = 0; i < 4; i++) {
            assertThatThrownBy(() -> stored(store, 1)).hasCauseInstanceOf(RefusedException.class);
        }

        server.next(LoopbackS3.error(400, "RequestTimeout"));
        server.next(LoopbackS3.error(500, "InternalError"));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> stored(store, 1)).hasCauseExactlyInstanceOf(IOException.class);
        }
    }

    @Test
    void tellsWhatTheStoreSaysAndNoSecret() throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(LoopbackS3.error(403, "SignatureDoesNotMatch"));

        assertThatThrownBy(() -> stored(store, 1))
                .hasMessageContaining("bucket" + DIRECTORY + "/one")
                .hasMessageContaining("403 SignatureDoesNotMatch, as told")
                .hasMessageNotContaining("AKIDSECRET")
                .hasMessageNotContaining("very-secret");
    }

    @Test
    void believesTheStoreWhereABucketIs() throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(MALFORMED.inRegion("eu-west-1"));
        stored(store, 1);
        stored(store, 1);

        assertThat(server.requests()).hasSize(3);
        assertThat(server.headers(2).get("Authorization").get(0)).contains("/eu-west-1/s3/");
    }

    /** It becomes part of what is asked next, and of whom. */
    @ParameterizedTest
    @ValueSource(strings = {"x.example.org/", "eu-west-1/s3/aws4_request, Foo=bar", "a b", ".", ""})
    void believesNoRegionThatIsNone(String region) throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(MALFORMED.inRegion(region));
        assertThatThrownBy(() -> stored(store, 1))
                .hasMessageContaining("400 AuthorizationHeaderMalformed");
        stored(store, 1);

        assertThat(server.requests()).hasSize(2);
        assertThat(server.headers(1).get("Authorization").get(0)).contains("/us-east-1/s3/");
    }

    /** All were signed before the first answer came: none of them is a failure. */
    @Test
    void believesItForAllThatWereUnderWay() throws Exception {
        SegmentStore store = create(Runnable::run, threads);
        CountDownLatch bothCame = new CountDownLatch(2);
        server.next(
                2,
                exchange -> {
                    bothCame.countDown();
                    LoopbackS3.await(bothCame);
                    MALFORMED.inRegion("eu-west-1").give(exchange);
                });
        CompletableFuture<FileStateHandle> one = store.put("one", bytes(1), PutListener.NONE);
        CompletableFuture<FileStateHandle> other = store.put("other", bytes(2), PutListener.NONE);
        one.get();
        other.get();

        assertThat(server.requests()).hasSize(4);
        assertThat(files()).containsExactlyInAnyOrder("one", "other");
    }

    @Test
    void believesWhatTheErrorSaysOfTheRegion() throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(
                LoopbackS3.answer(
                        400,
                        "<Error><Code>AuthorizationHeaderMalformed</Code>"
                                + "<Message>as told</Message>"
                                + "<Region>eu-west-1</Region></Error>"));
        stored(store, 1);

        assertThat(server.requests()).hasSize(2);
        assertThat(server.headers(1).get("Authorization").get(0)).contains("/eu-west-1/s3/");
    }

    /** As an endpoint of one region of AWS answers: another signature would be of no use. */
    @Test
    void saysWhereTheBucketIsIfTheEndpointIsOfAnotherRegion() throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(LoopbackS3.error(301, "PermanentRedirect").inRegion("us-west-2"));

        assertThatThrownBy(() -> stored(store, 1))
                .hasMessageContaining("301 PermanentRedirect")
                .hasMessageContaining("set s3.endpoint to an endpoint of it")
                .hasMessageContaining("us-west-2");
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void asksOnceWhereTheStoreInsistsOnARegion() throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(2, LoopbackS3.error(403, "AccessDenied").inRegion("eu-west-1"));

        assertThatThrownBy(() -> stored(store, 1)).hasMessageContaining("403 AccessDenied");
        assertThat(server.requests()).hasSize(2);
    }

    /** The AWS SDKs do so as well: a wrong clock would stop the log alone. */
    @Test
    void signsByTheTimeOfTheStoreIfTheClockIsOff() throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(LoopbackS3.error(403, "RequestTimeTooSkewed"));
        FileStateHandle segment = stored(store, 1);
        store.delete(segment);

        assertThat(server.requests()).hasSize(3);
        String byTheClock = server.headers(0).get("X-amz-date").get(0);
        assertThat(server.headers(1).get("X-amz-date").get(0)).isGreaterThan(byTheClock);
        assertThat(server.headers(2).get("X-amz-date").get(0)).isGreaterThan(byTheClock);
    }

    @Test
    void aClockThatIsOffIsNoRefusal() throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(2, LoopbackS3.error(403, "RequestTimeTooSkewed"));

        assertThatThrownBy(() -> stored(store, 1))
                .hasMessageContaining("RequestTimeTooSkewed")
                .satisfies(e -> assertThat(e.getCause()).isNotInstanceOf(RefusedException.class));
        assertThat(server.requests()).hasSize(2);
    }

    /** As of a load balancer that is under maintenance, or of a firewall. */
    @Test
    void aPageInPlaceOfTheAnswerIsNoSuccess() throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(PAGE);
        assertThatThrownBy(() -> stored(store, 1))
                .hasMessageContaining("not from S3 itself")
                .satisfies(e -> assertThat(e.getCause()).isNotInstanceOf(RefusedException.class));
        assertThat(files()).isEmpty();

        FileStateHandle segment = stored(store, 1);
        server.next(PAGE);
        assertThatThrownBy(() -> store.delete(segment)).hasMessageContaining("not from S3 itself");
        assertThat(files()).containsExactly("one");
    }

    /** A proxy may answer 200 for a body that it has read and passed on to nobody. */
    @Test
    void anAnswerWithoutWhatS3SendsIsNoSuccess() throws Exception {
        SegmentStore store = create(base(), executor);
        server.next(
                exchange -> {
                    exchange.getRequestBody().readAllBytes();
                    exchange.sendResponseHeaders(200, -1);
                });

        assertThatThrownBy(() -> stored(store, 1)).hasMessageContaining("not from S3 itself");
        assertThat(stored(store, 1).getStateSize()).isEqualTo(1);
    }

    @Test
    void aStoreThatCannotBeReachedFailsThePut() throws Exception {
        SegmentStore store = create(base(), executor);
        server.close();

        assertThatThrownBy(() -> stored(store, 1)).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void keysWithOddCharactersComeBack() throws Exception {
        SegmentStore store = loopback.store(loopback.configuration(), "s3://bucket/ä b+c=d%e", JOB);
        FileStateHandle segment = store.put("one", bytes(7), PutListener.NONE).get();
        try (FSDataInputStream content = store.open(segment)) {
            assertThat(content.read()).isEqualTo(7);
        }

        assertThat(server.objects())
                .containsOnlyKeys("/bucket/ä b+c=d%e/" + JOB.toHexString() + "/dstl/one");
    }

    @Test
    void injectsEntropyThatFollowsFromTheName() throws Exception {
        Configuration config = loopback.configuration();
        config.setString("s3.entropy.key", "_entropy_");
        SegmentStore store = loopback.store(config, "s3://bucket/_entropy_/base", JOB);
        store.put("one", bytes(1), PutListener.NONE).get();
        store.put("one", bytes(1), PutListener.NONE).get();
        store.put("other", bytes(1), PutListener.NONE).get();

        assertThat(server.objects().keySet())
                .hasSize(2)
                .allMatch(path -> path.matches("/bucket/[A-Za-z0-9]{4}/base/.*"));
        store.discard("one");
        store.discard("other");
        assertThat(files()).isEmpty();
    }

    private Path base() {
        return Path.of("unused");
    }
}
