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

import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.testing.SegmentStoreContract;
import io.dstl.testkit.RequiresDocker;
import io.minio.MakeBucketArgs;
import io.minio.SetObjectLockConfigurationArgs;
import io.minio.messages.ObjectLockConfiguration;
import io.minio.messages.RetentionDurationDays;
import io.minio.messages.RetentionMode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Against a real server. */
@ExtendWith(RequiresDocker.class)
class MinioSegmentStoreIT extends SegmentStoreContract {

    private static MinioServer minio;

    private final String bucket = "b-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        minio = new MinioServer();
    }

    @AfterAll
    static void stop() {
        minio.close();
    }

    @BeforeEach
    void makeBucket() throws Exception {
        minio.makeBucket(bucket);
    }

    @Override
    protected SegmentStore create(Path base, Executor uploads) throws IOException {
        return create(bucket, uploads, newDirectExecutorServiceWithNoOpShutdown());
    }

    private static SegmentStore create(String bucket, Executor uploads, ExecutorService requests)
            throws IOException {
        return minio.store(
                new org.apache.flink.core.fs.Path("s3://" + bucket + "/base"),
                JOB,
                uploads,
                requests);
    }

    @Override
    protected String directory() {
        return "/base/" + JOB.toHexString() + "/dstl";
    }

    @Override
    protected List<String> files() throws IOException {
        return minio.keys(bucket).stream()
                .map(key -> key.substring(key.lastIndexOf('/') + 1))
                .collect(Collectors.toList());
    }

    /** As many as S3 takes, with names that take quoting. */
    @Test
    void deletesAThousandWithOneRequest() throws Exception {
        SegmentStore store =
                minio.store(
                        new org.apache.flink.core.fs.Path("s3://" + bucket + "/ä b+c=d&<e>'"),
                        JOB,
                        Runnable::run,
                        newDirectExecutorServiceWithNoOpShutdown());
        List<StreamStateHandle> segments = new ArrayList<>();
        for (int i = 0; i < store.batchSize(); i++) {
            segments.add(store.put("segment-" + i, bytes(1), PutListener.NONE).get());
        }
        assertThat(files()).hasSize(1000);

        assertThat(store.deleteAll(segments).failures()).isEmpty();
        assertThat(files()).isEmpty();
        // One by one is for stores that know no better.
        assertThat(store.batchSize()).isEqualTo(1000);
    }

    /** So a store that does not has not compared it. */
    @Test
    void repeatsTheChecksum() throws Exception {
        S3Object object = S3Object.of(new org.apache.flink.core.fs.Path("s3://" + bucket + "/one"));
        SegmentBody body = SegmentBody.encode(bytes(1), 1);
        try (Response answer =
                minio.client(new OkHttpClient()).put(object, body, () -> {}).execute()) {
            assertThat(answer.code()).isEqualTo(200);
            assertThat(answer.header("x-amz-checksum-crc32c"))
                    .isNotNull()
                    .isEqualTo(answer.request().header("x-amz-checksum-crc32c"));
        }
    }

    @Test
    void manyPutsAtATimeKeepTheirContent() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            SegmentStore store = create(bucket, threads, threads);
            List<CompletableFuture<FileStateHandle>> puts = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                byte[] content = content(i);
                puts.add(store.put("segment-" + i, out -> out.write(content), PutListener.NONE));
            }
            for (int i = 0; i < puts.size(); i++) {
                try (InputStream stored = store.open(puts.get(i).get())) {
                    assertThat(stored.readAllBytes()).isEqualTo(content(i));
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** What a proxy between does, or a broken wire. */
    @Test
    void refusesABodyThatIsNotWhatWasEncoded() throws Exception {
        byte[] content = content(1);
        SegmentBody body = SegmentBody.encode(out -> out.write(content), ObjectBody.MAX_BYTES);
        S3Object object = S3Object.of(new org.apache.flink.core.fs.Path("s3://" + bucket + "/one"));
        try (Response answer = clientThatFlipsABit(content).put(object, body, () -> {}).execute()) {
            assertThat(answer.code()).isEqualTo(400);
        }

        assertThat(files()).isEmpty();
    }

    private static S3Client clientThatFlipsABit(byte[] content) throws Exception {
        byte[] flipped = content.clone();
        flipped[flipped.length / 2] ^= 1;
        OkHttpClient http =
                new OkHttpClient.Builder()
                        .addInterceptor(
                                chain ->
                                        chain.proceed(
                                                chain.request()
                                                        .newBuilder()
                                                        .put(RequestBody.create(flipped))
                                                        .build()))
                        .build();
        return minio.client(http);
    }

    /** Locked for a while by default: S3 takes nothing into such a bucket without a checksum. */
    @Test
    void storesInABucketThatLocksWhatItGets() throws Exception {
        String locking = "locking-" + UUID.randomUUID();
        minio.tool().makeBucket(MakeBucketArgs.builder().bucket(locking).objectLock(true).build());
        minio.tool()
                .setObjectLockConfiguration(
                        SetObjectLockConfigurationArgs.builder()
                                .bucket(locking)
                                .config(
                                        new ObjectLockConfiguration(
                                                RetentionMode.GOVERNANCE,
                                                new RetentionDurationDays(1)))
                                .build());
        SegmentStore store =
                create(locking, Runnable::run, newDirectExecutorServiceWithNoOpShutdown());

        assertThat(store.put("one", bytes(1), PutListener.NONE).get().getStateSize()).isEqualTo(1);
    }

    private static byte[] content(int seed) {
        byte[] content = new byte[1 << 20];
        new Random(seed).nextBytes(content);
        return content;
    }
}
