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

import io.dstl.store.FileUploads;
import io.dstl.store.FileUploads.FileUpload;
import io.dstl.store.HedgePolicy;
import io.dstl.store.HedgePolicy.HedgeBudget;
import io.dstl.store.LateException;
import io.dstl.store.LateRequests;
import io.dstl.store.PutLatencies;
import io.dstl.store.RefusedException;
import io.dstl.store.RetrySettings.HedgeSettings;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Local files on their way to S3. */
class S3UploadsTest {

    private static final Path TARGET = new Path("s3://bucket/checkpoints/taskowned/one");

    @RegisterExtension private final LoopbackStore loopback = new LoopbackStore();
    private final LoopbackS3 server = loopback.server();
    private final AtomicInteger progress = new AtomicInteger();
    private static final Duration USUAL = Duration.ofMillis(300);

    private final ManualTimer timer = new ManualTimer();

    private final LateRequests late = late(timer);

    private FileUploads uploads;
    private FileChannel file;

    @BeforeEach
    void open(@TempDir java.nio.file.Path directory) throws IOException {
        uploads = uploads();
        file = localFile(directory);
    }

    static LateRequests late(ManualTimer timer) {
        return new LateRequests(
                new HedgePolicy(
                        new PutLatencies(),
                        new HedgeBudget(new HedgeSettings(1, 5)),
                        () -> false,
                        timer::nanos),
                timer,
                timer::nanos);
    }

    static FileChannel localFile(java.nio.file.Path directory) throws IOException {
        return FileChannel.open(
                directory.resolve("local"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    /** By a client of its own, which has no connection yet. */
    private FileUploads uploads() {
        return loopback.access(loopback.configuration(), newDirectExecutorServiceWithNoOpShutdown())
                .files(new Path("s3://other/base"), late)
                .orElseThrow();
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    private byte[] write(int bytes) throws IOException {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        file.write(ByteBuffer.wrap(content));
        return content;
    }

    private FileStateHandle store() throws IOException {
        try (FileUpload upload = uploads.upload(TARGET, file, progress::incrementAndGet)) {
            return upload.store();
        }
    }

    private byte[] stored() {
        return server.objects().get("/bucket/checkpoints/taskowned/one");
    }

    /** Less than a piece, one piece, and several of which the last is short. */
    @ParameterizedTest
    @ValueSource(ints = {1, 64 << 10, 200_000})
    void theWholeFileIsStoredWithItsChecksum(int bytes) throws Exception {
        byte[] content = write(bytes);

        FileStateHandle handle = store();

        assertThat(handle).isEqualTo(new FileStateHandle(TARGET, bytes));
        assertThat(stored()).isEqualTo(content);
        CRC32C crc = new CRC32C();
        crc.update(content);
        assertThat(server.headers(0).get("X-amz-checksum-crc32c"))
                .containsExactly(
                        Base64.getEncoder()
                                .encodeToString(
                                        ByteBuffer.allocate(4)
                                                .putInt((int) crc.getValue())
                                                .array()));
        assertThat(progress).hasPositiveValue();
    }

    @Test
    void whatFailsIsSentAgainAsAWhole() throws Exception {
        byte[] content = write(100_000);
        server.next(LoopbackS3.error(503, "SlowDown"));
        server.next(LoopbackS3.error(500, "InternalError"));
        server.next(LoopbackS3.answer(200, "a page of a proxy"));

        store();

        assertThat(stored()).isEqualTo(content);
        assertThat(loopback.pauses()).hasSize(3);
    }

    @Test
    void aStoreThatDoesNotKnowTheChecksumGetsAnother() throws Exception {
        byte[] content = write(100_000);
        server.next(LoopbackS3.error(501, "NotImplemented"));

        storeUnlessLate();

        assertThat(stored()).isEqualTo(content);
        assertThat(server.headers(1)).containsKey("Content-md5");
        assertThat(loopback.pauses()).isEmpty();
    }

    /** Backblaze B2 has answered like the first. */
    @ParameterizedTest
    @CsvSource({
        "InvalidArgument, Unsupported header 'X-Amz-Checksum-Crc32c', true",
        "InvalidRequest, not known: x-amz-checksum-crc32c, true",
        "NotImplemented, x-amz-checksum-crc32c, true",
        "InvalidArgument, no such key, false",
        "BadDigest, x-amz-checksum-crc32c is another, false",
    })
    void aStoreMaySayOtherwiseThatItDoesNotKnowTheChecksum(
            String code, String message, boolean getsAnother) throws Exception {
        write(10);
        server.next(
                LoopbackS3.answer(
                        400,
                        "<Error><Code>"
                                + code
                                + "</Code><Message>"
                                + message
                                + "</Message></Error>"));
        try {
            store();
        } catch (RefusedException e) {
            assertThat(getsAnother).as(e.getMessage()).isFalse();
        }

        assertThat(server.requests().size() == 2 && server.headers(1).containsKey("Content-md5"))
                .isEqualTo(getsAnother);
    }

    @Test
    void itIsGivenUpAfterTenTries() throws Exception {
        write(10);
        server.next(20, LoopbackS3.error(500, "InternalError"));

        assertThatThrownBy(this::store)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("bucket/checkpoints/taskowned/one")
                .hasMessageContaining("10 tries");
        assertThat(server.requests()).hasSize(10);
    }

    /** As AWS and MinIO say that another body has come than was sent. */
    @ParameterizedTest
    @ValueSource(
            strings = {"BadDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch"})
    void whatWasDamagedOnTheWayIsSentAgain(String code) throws Exception {
        byte[] content = write(10);
        server.next(LoopbackS3.error(400, code));

        store();

        assertThat(stored()).isEqualTo(content);
        assertThat(server.requests()).hasSize(2);
    }

    /** As it would be refused again; the caller may have another way. */
    @Test
    void whatIsRefusedIsNotSentAgain() throws Exception {
        write(10);
        server.next(LoopbackS3.error(413, "EntityTooLarge"));

        assertThatThrownBy(this::store).isInstanceOf(RefusedException.class);
        assertThat(server.requests()).hasSize(1);
        assertThat(loopback.pauses()).isEmpty();
    }

    private FileStateHandle storeUnlessLate() throws IOException {
        try (FileUpload upload = uploads.upload(TARGET, file, progress::incrementAndGet)) {
            return upload.storeUnlessLate();
        }
    }

    /** Until some have succeeded, it is not known what is late. */
    private void learn() throws Exception {
        for (int i = 0; i < 10; i++) {
            answerAfter(USUAL);
            storeUnlessLate();
        }
    }

    /** The next request is read, and answered after that time. */
    private void answerAfter(Duration time) {
        server.next(
                exchange -> {
                    exchange.getRequestBody().readAllBytes();
                    timer.advance(time);
                    server.serve(exchange);
                });
    }

    /** The next request is read, and is late before it is answered. */
    private void hang(CountDownLatch over) {
        server.next(
                exchange -> {
                    exchange.getRequestBody().readAllBytes();
                    timer.advance(USUAL.multipliedBy(2));
                    LoopbackS3.await(over);
                });
    }

    @Test
    void whatIsLateIsCutOff() throws Exception {
        write(100_000);
        learn();
        CountDownLatch over = new CountDownLatch(1);
        hang(over);

        assertThatThrownBy(this::storeUnlessLate).isInstanceOf(LateException.class);
        over.countDown();

        assertThat(server.requests()).hasSize(11);
        assertThat(loopback.pauses()).isEmpty();
        assertThat(timer.size()).isZero();
    }

    @Test
    void thePatientWayCutsNothingOff() throws Exception {
        write(100_000);
        learn();
        answerAfter(Duration.ofMinutes(1));

        store();

        assertThat(server.requests()).hasSize(11);
    }

    /** A proxy is looked for after a request has begun, and before it is connected. */
    private final class SlowSelector extends ProxySelector {
        @Override
        public List<Proxy> select(URI uri) {
            timer.advance(USUAL.multipliedBy(2));
            return List.of(Proxy.NO_PROXY);
        }

        @Override
        public void connectFailed(URI uri, SocketAddress address, IOException failure) {}
    }

    @Test
    void whatStallsBeforeItIsConnectedIsCutOff() throws Exception {
        write(100_000);
        learn();
        ProxySelector before = ProxySelector.getDefault();
        ProxySelector.setDefault(new SlowSelector());
        try {
            uploads = uploads();

            assertThatThrownBy(this::storeUnlessLate).isInstanceOf(LateException.class);
        } finally {
            ProxySelector.setDefault(before);
        }
        assertThat(server.requests()).hasSize(10);
    }

    @Test
    void whatIsSentAgainInAnotherWayMayBeLate() throws Exception {
        write(100_000);
        learn();
        server.next(LoopbackS3.error(501, "NotImplemented"));
        CountDownLatch over = new CountDownLatch(1);
        hang(over);

        assertThatThrownBy(this::storeUnlessLate).isInstanceOf(LateException.class);
        over.countDown();

        assertThat(server.requests()).hasSize(12);
    }

    /** As where the store, or what is before it, takes no more of the body for a while. */
    @Test
    void whatStallsWhileItIsSentIsCutOff() throws Exception {
        write(200_000);
        learn();
        Duration stall = USUAL.multipliedBy(2);

        try (FileUpload upload = uploads.upload(TARGET, file, () -> timer.advance(stall))) {
            assertThatThrownBy(upload::storeUnlessLate).isInstanceOf(LateException.class);
        }
    }

    @Test
    void whatGetsOnIsNotLate() throws Exception {
        write(200_000);
        learn();
        Duration almost = USUAL.multipliedBy(2).minusNanos(1);

        try (FileUpload upload = uploads.upload(TARGET, file, () -> timer.advance(almost))) {
            upload.storeUnlessLate();
        }
        assertThat(server.requests()).hasSize(11);
    }

    /** Nothing is under way in the pause. */
    @Test
    void whatFailsIsTriedAgainAndMayBeLateThen() throws Exception {
        write(100_000);
        learn();
        server.next(LoopbackS3.error(500, "InternalError"));
        loopback.onPause(number -> timer.advance(Duration.ofMinutes(1)));
        CountDownLatch over = new CountDownLatch(1);
        hang(over);

        assertThatThrownBy(this::storeUnlessLate).isInstanceOf(LateException.class);
        over.countDown();

        assertThat(server.requests()).hasSize(12);
        assertThat(loopback.pauses()).hasSize(1);
    }

    @Test
    void aFailureThatCameInTimeIsNotLate() throws Exception {
        byte[] content = write(100_000);
        learn();
        server.next(LoopbackS3.error(500, "InternalError"));
        loopback.onPause(number -> timer.advance(Duration.ofMinutes(1)));
        server.next(LoopbackS3.error(500, "InternalError"));

        storeUnlessLate();

        assertThat(stored()).isEqualTo(content);
        assertThat(loopback.pauses()).hasSize(2);
    }

    @Test
    void nothingIsCutOffWhileTheStoreThrottles() throws Exception {
        write(100_000);
        learn();
        server.next(LoopbackS3.error(503, "SlowDown"));
        answerAfter(USUAL.multipliedBy(9));

        storeUnlessLate();

        assertThat(server.requests()).hasSize(12);
    }

    @Test
    void closingALateOneIsNoReasonToStoreItAgain() throws Exception {
        write(10);
        learn();
        FileUpload upload = uploads.upload(TARGET, file, () -> {});
        CountDownLatch over = new CountDownLatch(1);
        server.next(
                exchange -> {
                    exchange.getRequestBody().readAllBytes();
                    upload.close();
                    timer.advance(USUAL.multipliedBy(2));
                    LoopbackS3.await(over);
                });

        assertThatThrownBy(upload::storeUnlessLate).hasMessageContaining("Closed while storing");
        over.countDown();
    }

    @Test
    void closingEndsTheRequest() throws Exception {
        write(10);
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        server.next(
                exchange -> {
                    arrived.countDown();
                    LoopbackS3.await(over);
                });
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (FileUpload upload = uploads.upload(TARGET, file, () -> {})) {
            Future<FileStateHandle> storing = thread.submit(upload::store);
            arrived.await();

            upload.close();

            assertThatThrownBy(storing::get).hasMessageContaining("Closed while storing");
        } finally {
            over.countDown();
            thread.shutdownNow();
        }
        assertThat(server.objects()).isEmpty();
    }

    @Test
    void closingEndsThePause() throws Exception {
        write(10);
        server.next(LoopbackS3.error(500, "InternalError"));
        try (FileUpload upload = uploads.upload(TARGET, file, () -> {})) {
            loopback.onPause(number -> upload.close());

            assertThatThrownBy(upload::store).hasMessageContaining("Closed while storing");
        }
        assertThat(server.requests()).hasSize(1);
    }

    /** Each scheme may have a configuration of its own. */
    @ParameterizedTest
    @CsvSource({
        "s3://third/checkpoints, true",
        "S3://third/checkpoints, true",
        "s3a://third/checkpoints, false",
        "s3://key:secret@third/checkpoints, false",
        "file:///checkpoints, false"
    })
    void itReachesWhatItsConfigurationIsFor(String directory, boolean reached) {
        assertThat(uploads.reaches(new Path(directory))).isEqualTo(reached);
    }

    /** The file is given up by whoever closes it. */
    @Test
    void aFileThatIsClosedIsNotTriedAgain() throws Exception {
        write(10);
        server.next(LoopbackS3.error(500, "InternalError"));
        loopback.onPause(
                number -> {
                    try {
                        file.close();
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                });

        assertThatThrownBy(this::store).hasMessageContaining("Gave up storing");
        assertThat(server.requests()).hasSize(1);
    }
}
