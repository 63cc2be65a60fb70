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

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import io.dstl.secret.Redaction;
import io.dstl.store.FileUploads;
import io.dstl.store.FileUploads.FileUpload;
import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.s3.config.S3FileSystemKind;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of stores that repeat the checksum of what they have stored, and that ignore it. */
class ChecksumOverTlsTest {

    private static final String CHECKSUM = "X-amz-checksum-crc32c";

    @TempDir private java.nio.file.Path directory;
    private final List<Headers> puts = Collections.synchronizedList(new ArrayList<>());
    private final ManualTimer timer = new ManualTimer();
    private volatile boolean repeats;
    private TlsServer server;
    private S3Access access;

    @BeforeEach
    void start() throws Exception {
        server = new TlsServer(directory, false, this::store);
        Configuration config = new Configuration();
        config.setString("s3.endpoint", server.endpoint());
        config.setString("s3.path.style.access", "true");
        config.setString("s3.access-key", "key");
        config.setString("s3.secret-key", "secret");
        access =
                S3Access.open(
                        S3Settings.from(
                                config,
                                S3FileSystemKind.PRESTO,
                                new GivenEnvironment()
                                        .withProperty("javax.net.ssl.keyStore", "/own")),
                        newDirectExecutorServiceWithNoOpShutdown(),
                        timer,
                        () -> Instant.EPOCH,
                        Retries.blocking(() -> 0.5, () -> Instant.EPOCH),
                        Redaction.of(config));
    }

    private void store(HttpExchange put) throws IOException {
        puts.add(put.getRequestHeaders());
        put.getRequestBody().readAllBytes();
        String checksum = put.getRequestHeaders().getFirst(CHECKSUM);
        if (repeats && checksum != null) {
            put.getResponseHeaders().add(CHECKSUM, checksum);
        }
        put.getResponseHeaders().add("ETag", "of the object");
        put.sendResponseHeaders(200, -1);
        put.close();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofASegment(boolean storeRepeats) throws Exception {
        repeats = storeRepeats;
        SegmentStore store =
                access.store(new Path("s3://bucket/base"), new JobID(1, 2), Runnable::run);
        store.put("one", out -> out.write(1), PutListener.NONE).get();
        store.put("two", out -> out.write(2), PutListener.NONE).get();

        assertThatTheSecondHas(storeRepeats ? CHECKSUM : "Content-md5");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofAFileOfAMaterialization(boolean storeRepeats) throws Exception {
        repeats = storeRepeats;
        FileUploads uploads =
                access.files(new Path("s3://other/base"), S3UploadsTest.late(timer)).orElseThrow();
        try (FileChannel file = S3UploadsTest.localFile(directory)) {
            file.write(ByteBuffer.allocate(100));
            for (String name : List.of("one", "two")) {
                Path target = new Path("s3://bucket/taskowned/" + name);
                try (FileUpload upload = uploads.upload(target, file, () -> {})) {
                    upload.store();
                }
            }
        }

        assertThatTheSecondHas(storeRepeats ? CHECKSUM : "Content-md5");
    }

    private void assertThatTheSecondHas(String header) {
        assertThat(puts).hasSize(2);
        assertThat(puts.get(0)).containsKey(CHECKSUM).doesNotContainKey("Content-md5");
        assertThat(puts.get(1)).containsKey(header);
        assertThat(puts.get(1).containsKey(CHECKSUM) && puts.get(1).containsKey("Content-md5"))
                .isFalse();
    }
}
