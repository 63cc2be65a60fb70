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
import io.dstl.store.SegmentWriter.PutListener;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Response;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One put of one segment: encoded on an uploading thread, unless another put of it has done so, and
 * sent without one.
 *
 * <p>Owns the request: it is aborted when the result is known by other means, which is the caller's
 * cancellation. Deletes nothing, as the object may be another put's of the same name. Its lease of
 * the encoded bytes ends with it.
 *
 * <p><b>Threading.</b> Any thread.
 */
final class DirectPut implements Runnable, Callback {

    private static final Logger LOG = LoggerFactory.getLogger(DirectPut.class);

    /** For all that one can learn of a store: a bucket's region, and the checksum it takes. */
    private static final int MAX_SENT_AGAIN = 2;

    private final S3Client client;
    private final Path file;
    private final EncodedSegments.Lease encoded;
    private final PutListener listener;
    private final Redaction redaction;
    private final CompletableFuture<FileStateHandle> stored = new CompletableFuture<>();
    private final AtomicBoolean begun = new AtomicBoolean();
    private final AtomicBoolean ended = new AtomicBoolean();

    /** Requests sent again; by one thread at a time, as each has to be answered first. */
    private int sentAgain;

    /** None once the put has ended: it holds the encoded bytes. */
    @GuardedBy("this")
    private Call call;

    DirectPut(
            S3Client client,
            Path file,
            EncodedSegments.Lease encoded,
            PutListener listener,
            Redaction redaction) {
        this.client = client;
        this.file = file;
        this.encoded = encoded;
        this.listener = listener;
        this.redaction = redaction;
    }

    CompletableFuture<FileStateHandle> stored() {
        return stored;
    }

    @Override
    public void run() {
        try {
            if (stored.isDone()) {
                end();
                return;
            }
            stored.whenComplete((segment, error) -> abort());
            send();
        } catch (Throwable t) {
            // It failed at its own work, not in a queue.
            begin();
            fail(t);
        }
    }

    private void send() throws IOException {
        Call next =
                client.put(
                        S3Object.of(file),
                        encoded.body().followedBy(listener::progressed),
                        this::begin);
        synchronized (this) {
            call = next;
        }
        if (stored.isDone()) {
            end();
        } else {
            next.enqueue(this);
        }
    }

    private void begin() {
        if (begun.compareAndSet(false, true)) {
            listener.begun();
        }
    }

    /** Has no effect on a request that has its answer. */
    private void abort() {
        Call running;
        synchronized (this) {
            running = call;
        }
        if (running != null && stored.isCancelled()) {
            running.cancel();
        }
    }

    @Override
    public void onResponse(Call answered, Response answer) {
        try (Response response = answer) {
            S3Object object = S3Object.of(file);
            if (sentAgain < MAX_SENT_AGAIN && client.learns(object, response)) {
                sentAgain++;
                send();
            } else if (response.isSuccessful()) {
                long bytes = encoded.body().contentLength();
                end();
                stored.complete(new FileStateHandle(file, bytes));
            } else {
                fail(S3Failures.of("store", object, response));
            }
        } catch (Throwable t) {
            fail(t);
        }
    }

    @Override
    public void onFailure(Call failed, IOException failure) {
        fail(failure);
    }

    void fail(Throwable failure) {
        end();
        Throwable shown = redaction.failure(failure);
        if (!stored.completeExceptionally(shown)) {
            LOG.debug("A put that was given up failed", shown);
        }
    }

    private void end() {
        if (ended.compareAndSet(false, true)) {
            synchronized (this) {
                call = null;
            }
            encoded.release();
            listener.ended();
        }
    }
}
