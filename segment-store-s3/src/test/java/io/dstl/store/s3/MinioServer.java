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

import io.dstl.secret.Redaction;
import io.dstl.store.SegmentStore;
import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import io.dstl.store.s3.config.S3FileSystemKind;
import io.dstl.testkit.ManualTimer;
import io.minio.ListObjectsArgs;
import io.minio.MakeBucketArgs;
import io.minio.MinioClient;
import io.minio.Result;
import io.minio.credentials.StaticProvider;
import io.minio.messages.Item;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import okhttp3.OkHttpClient;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.testcontainers.containers.MinIOContainer;
import org.testcontainers.utility.DockerImageName;

/** A real server in a container, and the direct store over it. */
final class MinioServer implements AutoCloseable {

    /** Of a release; DSTL_MINIO_IMAGE names another one, such as one that was built here. */
    private static final DockerImageName IMAGE =
            DockerImageName.parse(
                            System.getenv()
                                    .getOrDefault(
                                            "DSTL_MINIO_IMAGE",
                                            "minio/minio:RELEASE.2025-09-07T16-13-09Z"))
                    .asCompatibleSubstituteFor("minio/minio");

    private final MinIOContainer container =
            new MinIOContainer(IMAGE).withStartupTimeout(Duration.ofMinutes(5));
    private final MinioClient tool;

    MinioServer() {
        container.start();
        tool =
                MinioClient.builder()
                        .endpoint(container.getS3URL())
                        .credentials(container.getUserName(), container.getPassword())
                        .build();
    }

    /** MinIO's own client, for what ours does not do. */
    MinioClient tool() {
        return tool;
    }

    void makeBucket(String bucket) throws Exception {
        tool.makeBucket(MakeBucketArgs.builder().bucket(bucket).build());
    }

    /** Of all objects of a bucket. */
    List<String> keys(String bucket) throws IOException {
        List<String> keys = new ArrayList<>();
        try {
            for (Result<Item> found :
                    tool.listObjects(
                            ListObjectsArgs.builder().bucket(bucket).recursive(true).build())) {
                keys.add(found.get().objectName());
            }
        } catch (Exception e) {
            throw new IOException(e);
        }
        return keys;
    }

    /** As in Flink's, for both clients. */
    Configuration configuration() {
        Configuration config = new Configuration();
        config.setString("s3.endpoint", container.getS3URL());
        config.setString("s3.path.style.access", "true");
        config.setString("s3.access-key", container.getUserName());
        config.setString("s3.secret-key", container.getPassword());
        return config;
    }

    private S3Settings settings() throws IOException {
        try {
            return S3Settings.from(
                    configuration(), S3FileSystemKind.PRESTO, name -> Optional.empty());
        } catch (UnsupportedS3Exception e) {
            throw new IOException(e);
        }
    }

    SegmentStore store(Path base, JobID job, Executor uploads, ExecutorService requests)
            throws IOException {
        return S3Access.open(
                        settings(),
                        requests,
                        new ManualTimer(),
                        Instant::now,
                        Retries.blocking(() -> 0.5, Instant::now),
                        Redaction.of(configuration()))
                .store(base, job, uploads);
    }

    S3Client client(OkHttpClient http) throws IOException {
        return new S3Client(
                settings(),
                new StaticProvider(container.getUserName(), container.getPassword(), null),
                used -> false,
                http,
                new StoreClock(Instant::now));
    }

    @Override
    public void close() {
        container.stop();
    }
}
