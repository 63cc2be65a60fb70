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
package io.dstl.harness.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.harness.wait.Await;
import io.dstl.harness.wait.SystemTime;
import io.minio.MinioClient;
import io.minio.PutObjectArgs;
import io.minio.RemoveObjectArgs;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run needs of its S3 server, whichever it is. */
abstract class S3StoreContract {
    private static final String BUCKET = "contract";
    private static final String[] STAYING = {"log/a", "log/deep/b", "log/z"};
    private static final int LISTINGS = 300;

    @TempDir Path directory;

    abstract S3Store.Kind kind();

    /** What a result says of the server: exactly which one it was. */
    abstract String description();

    @Test
    void keepsListsAndForgetsObjects() throws Exception {
        try (S3Store store = kind().start(directory, new Await(new SystemTime()))) {
            Bucket bucket = new Bucket(store, BUCKET);
            bucket.create();
            put(store, "log/a", 3);
            put(store, "log/deep/b", 5);
            put(store, "other", 7);

            assertThat(bucket.list("log/"))
                    .containsOnlyKeys("log/a", "log/deep/b")
                    .containsEntry("log/deep/b", 5L);

            client(store)
                    .removeObject(
                            RemoveObjectArgs.builder().bucket(BUCKET).object("log/a").build());

            assertThat(bucket.list("")).containsOnlyKeys("log/deep/b", "other");
        }
    }

    /** A server that lists files as they go may fail, or end the list at the first that went. */
    @Test
    void listsWhatStaysWhileOthersComeAndGo() throws Exception {
        try (S3Store store = kind().start(directory, new Await(new SystemTime()))) {
            Bucket bucket = new Bucket(store, BUCKET);
            bucket.create();
            for (String key : STAYING) {
                put(store, key, 3);
            }
            AtomicBoolean listed = new AtomicBoolean();
            Future<?> others = CompletableFuture.runAsync(() -> comeAndGo(store, bucket, listed));
            try {
                for (int i = 0; i < LISTINGS; i++) {
                    assertThat(bucket.list("log/")).containsKeys(STAYING);
                }
            } finally {
                listed.set(true);
            }
            others.get();
        }
    }

    @Test
    void isGoneWhenItIsClosed() throws Exception {
        S3Store store = kind().start(directory, new Await(new SystemTime()));
        Bucket bucket = new Bucket(store, BUCKET);
        bucket.create();
        assertThat(store.description()).matches(description());

        store.close();
        store.close();

        assertThatThrownBy(() -> bucket.list("")).isInstanceOf(IOException.class);
    }

    private static void comeAndGo(S3Store store, Bucket bucket, AtomicBoolean enough) {
        try {
            while (!enough.get()) {
                for (int i = 0; i < 10; i++) {
                    put(store, "log/" + i, 3);
                }
                for (int i = 0; i < 10; i++) {
                    bucket.remove("log/" + i);
                }
            }
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    private static void put(S3Store store, String key, int size) throws Exception {
        client(store)
                .putObject(
                        PutObjectArgs.builder().bucket(BUCKET).object(key).stream(
                                        new ByteArrayInputStream(new byte[size]), size, -1)
                                .build());
    }

    private static MinioClient client(S3Store store) {
        return MinioClient.builder()
                .endpoint(store.endpoint().toString())
                .credentials(S3Store.ACCESS_KEY, S3Store.SECRET_KEY)
                .build();
    }
}
