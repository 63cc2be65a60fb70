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
import io.dstl.secret.Redaction.Redacted;
import io.dstl.store.SegmentDirectory;
import io.dstl.store.SegmentOpener;
import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.DeletionOutcome;
import io.dstl.store.SegmentStore.Naming;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.SegmentStore.SegmentContent;
import io.dstl.store.WallClock;
import io.dstl.store.s3.S3Deletions.DeletionBatching;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Response;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps segments as objects on S3, {@code <directory>/<name>}: one PUT stores a segment, one DELETE
 * deletes it, or one POST several. Its handles are those of a file of that name, so that Flink's
 * file systems can read and delete it.
 *
 * <p>Owns neither the client nor the threads, and does not retry. The encoded segment is in memory
 * once, until its last put has ended.
 */
public final class DirectSegmentStore implements SegmentStore {

    private static final Logger LOG = LoggerFactory.getLogger(DirectSegmentStore.class);

    /** For the two things to learn of a store: a bucket's region, and the checksum it takes. */
    static final int MAX_SENT_AGAIN = 2;

    private final S3Client client;
    private final SegmentDirectory directory;
    private final SegmentOpener opener;
    private final Executor executor;
    private final Redaction redaction;
    private final S3Deletions deletions;
    private final EncodedSegments encoded = new EncodedSegments();

    /**
     * @param executor encodes; requests are sent on the client's threads
     * @param redaction for the errors of puts and deletions
     */
    DirectSegmentStore(
            S3Client client,
            SegmentDirectory directory,
            SegmentOpener opener,
            Executor executor,
            WallClock clock,
            Redaction redaction) {
        this.client = client;
        this.directory = directory;
        this.opener = opener;
        this.executor = executor;
        this.redaction = redaction;
        this.deletions = new S3Deletions(client, new DeletionBatching(clock));
    }

    /** S3 stores the whole object or nothing, and the last put wins. */
    @Override
    public Naming naming() {
        return Naming.REPLACES;
    }

    /** Puts to one host; reads and deletions have no limit. */
    @Override
    public int maxPuts() {
        return client.maxPuts();
    }

    @Override
    public CompletableFuture<FileStateHandle> put(
            String name, SegmentContent content, PutListener listener) {
        DirectPut put = new DirectPut(directory.file(name), encoded.lease(content), listener);
        try {
            executor.execute(put);
        } catch (Throwable t) {
            put.fail(t);
        }
        return put.stored();
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        return opener.open(segment);
    }

    @Override
    public void delete(StreamStateHandle segment) throws IOException {
        try {
            Optional<S3Object> object = object(segment);
            if (object.isPresent()) {
                deletions.delete(object.get());
            } else {
                segment.discardState();
            }
        } catch (IOException e) {
            throw redaction.failure(e);
        } catch (Exception e) {
            throw new IOException("Could not delete " + Redacted.of(segment), redaction.failure(e));
        }
    }

    private static Optional<S3Object> object(StreamStateHandle segment) {
        return segment instanceof FileStateHandle
                        && S3Object.isReachable(((FileStateHandle) segment).getFilePath())
                ? Optional.of(S3Object.of(((FileStateHandle) segment).getFilePath()))
                : Optional.empty();
    }

    @Override
    public int batchSize() {
        return deletions.batchSize();
    }

    @Override
    public DeletionOutcome<StreamStateHandle> deleteAll(Collection<StreamStateHandle> segments) {
        int requests = 0;
        Map<StreamStateHandle, IOException> failures = new HashMap<>();
        Map<String, Map<S3Object, StreamStateHandle>> byBucket = new LinkedHashMap<>();
        for (StreamStateHandle segment : segments) {
            Optional<S3Object> object = object(segment);
            if (object.isPresent()) {
                byBucket.computeIfAbsent(object.get().bucket(), bucket -> new LinkedHashMap<>())
                        .put(object.get(), segment);
            } else {
                requests++;
                failures.putAll(
                        SegmentStore.super.deleteAll(Collections.singleton(segment)).failures());
            }
        }
        for (Map<S3Object, StreamStateHandle> objects : byBucket.values()) {
            DeletionOutcome<S3Object> outcome =
                    deletions.deleteAll(new ArrayList<>(objects.keySet()));
            requests += outcome.requests();
            redacted(outcome.failures())
                    .forEach((object, failure) -> failures.put(objects.get(object), failure));
        }
        return new DeletionOutcome<>(failures, requests);
    }

    /** Objects that failed together still share the failure. */
    private Map<S3Object, IOException> redacted(Map<S3Object, IOException> failures) {
        Map<IOException, IOException> redacted = new IdentityHashMap<>();
        Map<S3Object, IOException> shown = new HashMap<>();
        failures.forEach(
                (object, failure) ->
                        shown.put(
                                object,
                                redacted.computeIfAbsent(
                                        failure, secret -> redaction.failure(secret))));
        return shown;
    }

    @Override
    public void discard(String name) throws IOException {
        try {
            deletions.delete(S3Object.of(directory.file(name)));
        } catch (IOException e) {
            throw redaction.failure(e);
        }
    }

    /**
     * One put of one segment: encoded on an uploading thread, unless another of its puts has done
     * so, and sent without occupying that thread.
     *
     * <p>Owns the request, and aborts it when the caller cancels. Deletes nothing, as the object
     * may be that of another put of the same name. Its lease of the encoded bytes ends with it.
     *
     * <p><b>Threading.</b> Any thread.
     */
    private final class DirectPut implements Runnable, Callback {

        private final Path file;
        private final EncodedSegments.Lease lease;
        private final PutListener listener;
        private final CompletableFuture<FileStateHandle> stored = new CompletableFuture<>();
        private final AtomicBoolean begun = new AtomicBoolean();
        private final AtomicBoolean ended = new AtomicBoolean();

        /** Number of repeated requests; one thread at a time, as each has to be answered first. */
        private int sentAgain;

        /** Null once the put has ended: it holds the encoded bytes. */
        @GuardedBy("this")
        private Call call;

        DirectPut(Path file, EncodedSegments.Lease lease, PutListener listener) {
            this.file = file;
            this.lease = lease;
            this.listener = listener;
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
                // It failed while it ran, not in a queue.
                begin();
                fail(t);
            }
        }

        private void send() throws IOException {
            Call next =
                    client.put(
                            S3Object.of(file),
                            lease.body().followedBy(listener::progressed),
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
                } else if (S3Failures.isStored(response)) {
                    client.stored(response);
                    long bytes = lease.body().contentLength();
                    end();
                    stored.complete(new FileStateHandle(file, bytes));
                } else {
                    if (S3Failures.isNotStored(response) && !isSentAgain(answered)) {
                        listener.notStored();
                    }
                    fail(client.failure("store", object, response));
                }
            } catch (Throwable t) {
                fail(t);
            }
        }

        private boolean isSentAgain(Call put) {
            return ((SegmentBody) put.request().body()).isSentAgain();
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
                lease.release();
                listener.ended();
            }
        }
    }
}
