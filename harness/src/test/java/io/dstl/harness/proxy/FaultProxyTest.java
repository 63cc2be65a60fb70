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
package io.dstl.harness.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.harness.proxy.Disturbance.Errors;
import io.dstl.harness.proxy.Latencies.Bandwidth;
import io.dstl.harness.proxy.RequestJournal.RequestKind;
import io.dstl.harness.proxy.RequestJournal.ServedRequest;
import io.dstl.harness.proxy.RequestJournal.Span;
import io.dstl.harness.store.Bucket;
import io.dstl.harness.store.S3Store;
import io.dstl.harness.wait.Await;
import io.dstl.harness.wait.SystemTime;
import io.minio.GetObjectArgs;
import io.minio.MinioAsyncClient;
import io.minio.MinioClient;
import io.minio.ObjectWriteResponse;
import io.minio.PutObjectArgs;
import io.minio.RemoveObjectArgs;
import io.minio.StatObjectArgs;
import io.minio.errors.ErrorResponseException;
import io.minio.errors.MinioException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client that signs its requests, the proxy, and a store that checks the signatures. */
@Timeout(60)
class FaultProxyTest {
    private static final String BUCKET = "bench";
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration STALL = Duration.ofMillis(20);

    private final SystemTime time = new SystemTime();
    private final Await await = new Await(time);
    private final ManualNanos nanos = new ManualNanos();
    private final Disturbance disturbance = new Disturbance(4, nanos);

    @TempDir Path directory;
    private S3Store store;
    private FaultProxy proxy;
    private MinioClient client;

    @BeforeEach
    void start() throws Exception {
        store = S3Store.Kind.EMBEDDED.start(directory, await);
        new Bucket(store, BUCKET).create();
        proxy =
                FaultProxy.start(
                        store.endpoint(),
                        new Latencies(4, Latencies.Settings.none()),
                        disturbance,
                        time.clock());
        client = client(S3Store.SECRET_KEY);
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        store.close();
    }

    @Test
    void objectsPassBothWaysUnchanged() throws Exception {
        byte[] content = new byte[3 << 20];
        new Random(4).nextBytes(content);
        put("a/b c%+é", content);
        try (var read =
                client.getObject(
                        GetObjectArgs.builder().bucket(BUCKET).object("a/b c%+é").build())) {
            assertThat(read.readAllBytes()).isEqualTo(content);
        }
    }

    @Test
    void aHollowObjectIsThereAndCanBeDeletedButHasNoContent() throws Exception {
        String key = "chk-1/" + HollowObject.PREFIX + "1";
        put(key, new byte[] {1, 2});

        assertThat(
                        client.statObject(
                                        StatObjectArgs.builder().bucket(BUCKET).object(key).build())
                                .size())
                .isEqualTo(1);
        client.removeObject(RemoveObjectArgs.builder().bucket(BUCKET).object(key).build());
        assertThatThrownBy(
                        () ->
                                client.getObject(
                                        GetObjectArgs.builder().bucket(BUCKET).object(key).build()))
                .isInstanceOf(MinioException.class);
        assertThat(new Bucket(store, BUCKET).list("")).isEmpty();
    }

    @Test
    void objectsPassUnchangedAtALimitedBandwidth() throws Exception {
        proxy.close();
        proxy =
                FaultProxy.start(
                        store.endpoint(),
                        new Latencies(4, Latencies.Settings.none()),
                        Bandwidth.of(100_000_000),
                        disturbance,
                        time.clock());
        client = client(S3Store.SECRET_KEY);
        byte[] content = new byte[3 << 20];
        new Random(4).nextBytes(content);
        put("a", content);
        try (var read =
                client.getObject(GetObjectArgs.builder().bucket(BUCKET).object("a").build())) {
            assertThat(read.readAllBytes()).isEqualTo(content);
        }
    }

    @Test
    void theStoreSeesTheClientsOwnSignature() {
        MinioClient stranger = client("not-the-secret");
        assertThatThrownBy(
                        () ->
                                stranger.statObject(
                                        StatObjectArgs.builder()
                                                .bucket(BUCKET)
                                                .object("x")
                                                .build()))
                .isInstanceOf(ErrorResponseException.class)
                .satisfies(
                        failure ->
                                assertThat(((ErrorResponseException) failure).response().code())
                                        .isEqualTo(403));
    }

    @Test
    void everyRequestIsInTheJournal() throws Exception {
        put("one", new byte[1234]);
        client.statObject(StatObjectArgs.builder().bucket(BUCKET).object("one").build());
        client.removeObject(RemoveObjectArgs.builder().bucket(BUCKET).object("one").build());
        List<ServedRequest> seen = journal(3);
        assertThat(seen)
                .extracting(one -> one.kind)
                .containsExactly(RequestKind.PUT, RequestKind.HEAD, RequestKind.DELETE);
        assertThat(seen.get(0).bytes).isEqualTo(1234);
        assertThat(seen).extracting(one -> one.target).containsOnly("/" + BUCKET + "/one");
        assertThat(seen).extracting(one -> one.status).containsExactly(200, 200, 204);
    }

    @Test
    void aStalledRequestReachesTheStoreWhenTheStallIsOver() throws Exception {
        disturbance.stall(STALL);
        int before = nanos.asked();
        CompletableFuture<ObjectWriteResponse> put =
                MinioAsyncClient.builder()
                        .endpoint(proxy.endpoint().toString())
                        .credentials(S3Store.ACCESS_KEY, S3Store.SECRET_KEY)
                        .region("us-east-1")
                        .build()
                        .putObject(args("held", new byte[10]));
        // The proxy has looked again and again whether it may go on.
        await.until(
                "the proxy to hold the request",
                LIMIT,
                () -> nanos.asked() > before + 5 ? Optional.of(true) : Optional.empty());
        assertThat(put).isNotDone();
        assertThat(new Bucket(store, BUCKET).list("")).isEmpty();
        nanos.advance(STALL);
        put.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(new Bucket(store, BUCKET).list("")).containsOnlyKeys("held");
    }

    @Test
    void anErrorReachesTheClientAndNotTheStore() throws Exception {
        disturbance.fail(new Errors(503, 1), Duration.ofSeconds(30));
        assertThatThrownBy(() -> put("refused", new byte[1 << 20]))
                .isInstanceOf(ErrorResponseException.class)
                .satisfies(
                        failure ->
                                assertThat(
                                                ((ErrorResponseException) failure)
                                                        .errorResponse()
                                                        .code())
                                        .isEqualTo("SlowDown"));
        assertThat(new Bucket(store, BUCKET).list("")).isEmpty();
        nanos.advance(Duration.ofSeconds(30));
        put("accepted", new byte[1]);
        assertThat(journal(2)).extracting(one -> one.status).containsExactly(503, 200);
    }

    @Test
    void aResetConnectionReachesTheClientAndNotTheStore() throws Exception {
        disturbance.reset(1, Duration.ofSeconds(30));
        assertThatThrownBy(() -> put("reset", new byte[1 << 20])).isInstanceOf(IOException.class);
        assertThat(new Bucket(store, BUCKET).list("")).isEmpty();
        nanos.advance(Duration.ofSeconds(30));
        put("accepted", new byte[1]);
        assertThat(new Bucket(store, BUCKET).list("")).containsOnlyKeys("accepted");
    }

    @Test
    void theStoreHasStoredWhatTheClientGetsNoAnswerFor() throws Exception {
        disturbance.loseAnswers(1, Duration.ofSeconds(30));
        assertThatThrownBy(() -> put("lost", new byte[1234])).isInstanceOf(IOException.class);
        assertThat(new Bucket(store, BUCKET).list("")).containsEntry("lost", 1234L);
        nanos.advance(Duration.ofSeconds(30));
        put("accepted", new byte[1]);
    }

    @Test
    void aClientThatWaitsForContinueGetsIt() throws Exception {
        String presigned =
                client.getPresignedObjectUrl(
                        io.minio.GetPresignedObjectUrlArgs.builder()
                                .method(io.minio.http.Method.PUT)
                                .bucket(BUCKET)
                                .object("continued")
                                .build());
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(presigned))
                        .expectContinue(true)
                        .PUT(BodyPublishers.ofByteArray(new byte[500]))
                        .build();
        assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
        assertThat(new Bucket(store, BUCKET).list("")).containsEntry("continued", 500L);
    }

    private List<ServedRequest> journal(int requests) throws IOException, InterruptedException {
        Span always = Span.between(Instant.EPOCH, time.clock().instant().plus(LIMIT));
        return await.until(
                requests + " requests in the journal",
                LIMIT,
                () -> {
                    List<ServedRequest> seen =
                            proxy.journal().during(always).stream()
                                    .filter(one -> !one.target.contains("?location"))
                                    .collect(Collectors.toList());
                    return seen.size() == requests ? Optional.of(seen) : Optional.empty();
                });
    }

    private void put(String key, byte[] content) throws Exception {
        client.putObject(args(key, content));
    }

    private static PutObjectArgs args(String key, byte[] content) throws IOException {
        return PutObjectArgs.builder().bucket(BUCKET).object(key).stream(
                        new ByteArrayInputStream(content), content.length, -1)
                .build();
    }

    private MinioClient client(String secret) {
        return MinioClient.builder()
                .endpoint(proxy.endpoint().toString())
                .credentials(S3Store.ACCESS_KEY, secret)
                .region("us-east-1")
                .build();
    }
}
