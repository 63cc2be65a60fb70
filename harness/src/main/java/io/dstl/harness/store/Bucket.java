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

import io.minio.GetObjectArgs;
import io.minio.ListObjectsArgs;
import io.minio.MakeBucketArgs;
import io.minio.MinioClient;
import io.minio.RemoveObjectArgs;
import io.minio.Result;
import io.minio.errors.MinioException;
import io.minio.messages.Item;
import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.TreeMap;

/** The run's bucket, seen from outside Flink. Thread-safe. */
public final class Bucket {
    private final MinioClient client;
    private final String name;

    public Bucket(S3Store store, String name) {
        this.client =
                MinioClient.builder()
                        .endpoint(store.endpoint().toString())
                        .credentials(S3Store.ACCESS_KEY, S3Store.SECRET_KEY)
                        .build();
        this.name = name;
    }

    public void create() throws IOException {
        try {
            client.makeBucket(MakeBucketArgs.builder().bucket(name).build());
        } catch (MinioException | GeneralSecurityException e) {
            throw new IOException("no bucket '" + name + "' can be made", e);
        }
    }

    /** Every object under the prefix, with its size in bytes, by key. */
    public Map<String, Long> list(String prefix) throws IOException {
        Map<String, Long> sizes = new TreeMap<>();
        Iterable<Result<Item>> items =
                client.listObjects(
                        ListObjectsArgs.builder()
                                .bucket(name)
                                .prefix(prefix)
                                .recursive(true)
                                .build());
        for (Result<Item> result : items) {
            try {
                Item item = result.get();
                sizes.put(item.objectName(), item.size());
            } catch (MinioException | GeneralSecurityException e) {
                throw new IOException("the bucket '" + name + "' cannot be listed", e);
            }
        }
        return sizes;
    }

    /** Removes an object, if it is there. */
    public void remove(String key) throws IOException {
        try {
            client.removeObject(RemoveObjectArgs.builder().bucket(name).object(key).build());
        } catch (MinioException | GeneralSecurityException e) {
            throw new IOException("the object '" + key + "' cannot be removed", e);
        }
    }

    /** The content of an object. */
    public byte[] read(String key) throws IOException {
        try (InputStream content =
                client.getObject(GetObjectArgs.builder().bucket(name).object(key).build())) {
            return content.readAllBytes();
        } catch (MinioException | GeneralSecurityException e) {
            throw new IOException("the object '" + key + "' cannot be read", e);
        }
    }
}
