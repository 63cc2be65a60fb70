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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.secret.Redaction;
import io.dstl.store.FileUploads;
import io.dstl.store.LateException;
import io.dstl.store.LateRequests;
import io.dstl.store.LogThrottle;
import io.dstl.store.RefusedException;
import io.dstl.store.ThrottledException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import okhttp3.Call;
import okhttp3.Response;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.TemporaryClassLoaderContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores local files on S3, each by one PUT. The requests are sent by the calling threads, so they
 * wait for no connection that segments need.
 *
 * <p>Presto's client, by which Flink writes such files, takes each byte by itself: that costs more
 * CPU than all else of an upload.
 */
final class S3Uploads implements FileUploads {

    private static final Logger LOG = LoggerFactory.getLogger(S3Uploads.class);

    /** What fails is sent again as a whole. Also more than a file of RocksDB has as a rule. */
    private static final long MAX_BYTES = 256L << 20;

    private final S3Client client;
    private final String scheme;
    private final Retries retries;
    private final LateRequests late;
    private final Redaction redaction;

    /**
     * @param scheme the one that the client's configuration is for
     */
    S3Uploads(
            S3Client client,
            String scheme,
            Retries retries,
            LateRequests late,
            Redaction redaction) {
        this.client = client;
        this.scheme = scheme;
        this.retries = retries;
        this.late = late;
        this.redaction = redaction;
    }

    @Override
    public boolean reaches(Path directory) {
        return S3Object.isReachable(directory)
                && scheme.equalsIgnoreCase(directory.toUri().getScheme());
    }

    @Override
    public long maxBytes() {
        return MAX_BYTES;
    }

    @Override
    public FileUpload upload(Path target, FileChannel content, Runnable progress) {
        return new S3Upload(target, content, progress);
    }

    private final class S3Upload implements FileUpload {

        private final Path target;
        private final S3Object object;
        private final FileChannel content;
        private final Runnable progress;
        private final CountDownLatch closed = new CountDownLatch(1);

        @GuardedBy("this")
        private Optional<Call> call = Optional.empty();

        S3Upload(Path target, FileChannel content, Runnable progress) {
            this.target = target;
            this.object = S3Object.of(target);
            this.content = content;
            this.progress = progress;
        }

        @Override
        public FileStateHandle storeUnlessLate() throws IOException {
            try (LateRequests.Watch watch = late.watch(content.size(), this::endRequest)) {
                FileStateHandle handle = store(watch);
                watch.succeeded();
                return handle;
            }
        }

        @Override
        public FileStateHandle store() throws IOException {
            try (LateRequests.Watch patient = late.patient()) {
                return store(patient);
            }
        }

        private FileStateHandle store(LateRequests.Watch watch) throws IOException {
            // The client may start threads, which live longer than the job.
            try (TemporaryClassLoaderContext ignored =
                    TemporaryClassLoaderContext.of(S3Uploads.class.getClassLoader())) {
                FileBody body =
                        new FileBody(
                                content,
                                () -> {
                                    progress.run();
                                    watch.progressed();
                                });
                for (int failures = 1; !isSent(body, failures, watch); failures++) {
                    pause(failures);
                }
                return new FileStateHandle(target, body.contentLength());
            } catch (IOException e) {
                throw redaction.failure(e);
            }
        }

        /**
         * @param tries with this one; at least 1
         * @return false if the request failed and may succeed if it is sent again
         */
        private boolean isSent(FileBody body, int tries, LateRequests.Watch watch)
                throws IOException {
            try {
                send(body, watch);
                return true;
            } catch (IOException e) {
                watch.failed();
                if (isClosed()) {
                    throw closedWhileStoring(e);
                }
                if (ThrottledException.isIn(e)) {
                    late.throttled();
                }
                if (watch.isCutOff()) {
                    LOG.debug("Storing {} is late, and was cut off", object);
                    throw new LateException();
                }
                if (e instanceof RefusedException) {
                    throw e;
                }
                if (!content.isOpen() || tries >= Retries.MAX_TRIES) {
                    throw new IOException(
                            "Gave up storing "
                                    + object
                                    + " after "
                                    + tries
                                    + " tries: "
                                    + e.getMessage(),
                            e);
                }
                LogThrottle.Length length = retries.ofRow("store", tries, e);
                if (length != LogThrottle.Length.NOTHING) {
                    IOException shown = redaction.failure(e);
                    LOG.warn(
                            "Storing {} has failed {} times in a row, and is tried again: {}",
                            object,
                            tries,
                            shown.toString(),
                            length.trace(shown));
                }
                return false;
            }
        }

        private void send(FileBody body, LateRequests.Watch watch) throws IOException {
            for (int sentAgain = 0; ; sentAgain++) {
                try (Response answer = answered(client.put(object, body, watch::begun))) {
                    if (S3Failures.isStored(answer)) {
                        client.stored(answer);
                        return;
                    }
                    if (sentAgain < DirectSegmentStore.MAX_SENT_AGAIN
                            && client.learns(object, answer)) {
                        watch.failed();
                        continue;
                    }
                    throw client.failure("store", object, answer);
                }
            }
        }

        private Response answered(Call next) throws IOException {
            synchronized (this) {
                if (isClosed()) {
                    throw closedWhileStoring(null);
                }
                call = Optional.of(next);
            }
            return next.execute();
        }

        private void pause(int failures) throws IOException {
            try {
                if (retries.pause(failures, closed)) {
                    throw closedWhileStoring(null);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("Interrupted before storing " + object + " again");
            }
        }

        private boolean isClosed() {
            return closed.getCount() == 0;
        }

        private IOException closedWhileStoring(IOException cause) {
            return new IOException("Closed while storing " + object, cause);
        }

        @Override
        public void close() {
            closed.countDown();
            endRequest();
        }

        /** Ends the request that is under way, if one is. */
        private void endRequest() {
            Optional<Call> running;
            synchronized (this) {
                running = call;
            }
            running.ifPresent(Call::cancel);
        }
    }
}
