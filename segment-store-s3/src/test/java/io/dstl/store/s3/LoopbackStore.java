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

import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import io.dstl.store.SegmentDirectory;
import io.dstl.store.SegmentStore;
import io.dstl.store.s3.auth.Refusals;
import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import io.dstl.store.s3.config.S3FileSystemKind;
import io.dstl.testkit.ManualTimer;
import io.minio.credentials.Credentials;
import io.minio.credentials.Provider;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.IntConsumer;
import okhttp3.OkHttpClient;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The direct store over a server in this JVM, for one test; pauses between the tries of a read take
 * no time.
 */
final class LoopbackStore implements AfterEachCallback {

    private final LoopbackS3 server = new LoopbackS3();
    private final List<Duration> pauses = new ArrayList<>();
    private IntConsumer onPause = number -> {};
    private Instant now = Instant.parse("2026-01-02T03:04:05Z");

    LoopbackS3 server() {
        return server;
    }

    /** Of the requests. Not while some are under way. */
    void advance(Duration time) {
        now = now.plus(time);
    }

    /** Those asked for so far. */
    List<Duration> pauses() {
        return Collections.unmodifiableList(pauses);
    }

    /** Runs at each pause, with the number of pauses so far. */
    void onPause(IntConsumer action) {
        onPause = action;
    }

    SegmentStore store(JobID job, Executor uploads, ExecutorService requests) {
        return access(configuration(), requests)
                .store(new Path("s3://bucket/a/base"), job, uploads);
    }

    /** Whose puts and requests run on the calling thread. */
    SegmentStore store(JobID job) {
        return store(configuration(), "s3://bucket/a/base", job);
    }

    /** As the other one, of this configuration and base path. */
    SegmentStore store(Configuration config, String base, JobID job) {
        return access(config, newDirectExecutorServiceWithNoOpShutdown())
                .store(new Path(base), job, Runnable::run);
    }

    /** Of credentials of which there are no others yet. */
    static Refusals refusals(boolean renewed) {
        return new Refusals() {
            @Override
            public boolean refused(Credentials used) {
                return false;
            }

            @Override
            public boolean areRenewed() {
                return renewed;
            }
        };
    }

    /** With these credentials; puts run on the calling thread. */
    SegmentStore store(Provider credentials, Refusals refusals, JobID job) {
        Configuration config = configuration();
        S3Settings settings = settings(config);
        return new DirectSegmentStore(
                new S3Client(
                        settings,
                        credentials,
                        refusals,
                        S3Access.http(settings, newDirectExecutorServiceWithNoOpShutdown()),
                        new StoreClock(() -> now)),
                SegmentDirectory.of(new Path("s3://bucket/a/base"), job),
                new FileSystemOpener(),
                Runnable::run,
                () -> now,
                Redaction.of(config));
    }

    S3Access access(Configuration config, ExecutorService requests) {
        return S3Access.open(
                settings(config),
                requests,
                new ManualTimer(),
                () -> now,
                new Retries(() -> 0.5, this::pause, () -> now),
                Redaction.of(config));
    }

    static S3Settings settings(Configuration config) {
        try {
            return S3Settings.from(config, S3FileSystemKind.HADOOP, name -> Optional.empty());
        } catch (UnsupportedS3Exception e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Of an object of two bytes, by a client of its own; pauses take their time. */
    RangeInputStream reader(OkHttpClient http, Provider credentials, Refusals refusals) {
        return reader(http, credentials, refusals, Retries.blocking(() -> 0.5, Instant::now));
    }

    /** As the other one; pauses take no time. */
    RangeInputStream patientReader(Provider credentials, Refusals refusals) {
        return reader(
                S3Access.http(
                        settings(configuration()), newDirectExecutorServiceWithNoOpShutdown()),
                credentials,
                refusals,
                new Retries(() -> 0.5, this::pause, () -> now));
    }

    private RangeInputStream reader(
            OkHttpClient http, Provider credentials, Refusals refusals, Retries retries) {
        Configuration config = configuration();
        return new RangeInputStream(
                new S3Client(
                        settings(config), credentials, refusals, http, new StoreClock(() -> now)),
                S3Object.of(new Path("s3://bucket/one")),
                2,
                retries,
                Redaction.of(config));
    }

    private boolean pause(CountDownLatch closed, Duration atMost) {
        pauses.add(atMost);
        onPause.accept(pauses.size());
        return closed.getCount() == 0;
    }

    Configuration configuration() {
        Configuration config = new Configuration();
        config.setString("s3.endpoint", server.endpoint());
        config.setString("s3.path.style.access", "true");
        config.setString("s3.access-key", "AKIDSECRET");
        config.setString("s3.secret-key", "very-secret");
        return config;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        server.close();
    }
}
