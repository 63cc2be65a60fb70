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
package io.dstl.fs.batch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.arena.ChangeSet.EffectiveRecords;
import io.dstl.fs.metric.StorageMetrics;
import io.dstl.fs.segment.SegmentEncoder;
import io.dstl.registry.LogSegmentHandle;
import io.dstl.registry.SegmentRegistry;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.store.PutContext;
import io.dstl.store.PutRace;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores a batch, registers its segment, and notifies the writers, in this order. The caller begins
 * the put; the rest runs on the thread that ends the upload: the store's, or with local recovery
 * that of the backup or its timer.
 *
 * <p>Owns the running puts. Does not decide what is in a batch, nor retry.
 *
 * <p><b>Threading.</b> Any thread; {@link #publish} returns at once.
 */
public final class SegmentPublisher {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentPublisher.class);

    private final PutContext puts;
    private final SegmentRegistry registry;
    private final boolean compressed;
    private final StorageMetrics metrics;
    private final StoreWatch watch;

    @GuardedBy("this")
    private final Set<CompletableFuture<FileStateHandle>> running = new HashSet<>();

    @GuardedBy("this")
    private boolean closed;

    public SegmentPublisher(
            PutContext puts,
            SegmentRegistry registry,
            boolean compressed,
            StorageMetrics metrics,
            StoreWatch watch) {
        this.puts = puts;
        this.registry = registry;
        this.compressed = compressed;
        this.metrics = metrics;
        this.watch = watch;
    }

    /**
     * @param batch at least one change set, all of one epoch
     * @return done when all writers have been notified; fails if nothing was stored
     */
    CompletableFuture<?> publish(List<Submission> batch) {
        List<ChangeSet> changeSets =
                batch.stream().map(Submission::changes).collect(Collectors.toList());
        SegmentEncoder encoder = new SegmentEncoder(changeSets, compressed);
        CompletableFuture<FileStateHandle> put;
        if (isClosed()) {
            CancellationException late = new CancellationException("The storage was closed");
            fail(batch, late);
            return CompletableFuture.failedFuture(late);
        }
        try {
            metrics.batchFlushed(batch.size());
            put = PutRace.put(puts, encoder);
        } catch (Throwable t) {
            fail(batch, t);
            return CompletableFuture.failedFuture(t);
        }
        boolean tooLate;
        synchronized (this) {
            running.add(put);
            tooLate = closed;
        }
        CompletableFuture<?> told =
                put.whenComplete((segment, error) -> ended(batch, encoder, put, segment, error));
        if (tooLate) {
            put.cancel(false);
        }
        return told;
    }

    private void ended(
            List<Submission> batch,
            SegmentEncoder encoder,
            CompletableFuture<FileStateHandle> put,
            FileStateHandle segment,
            Throwable error) {
        synchronized (this) {
            running.remove(put);
        }
        if (error == null) {
            register(batch, encoder, segment);
        } else {
            fail(batch, failure(batch, encoder, error));
        }
    }

    /** Always returns an error: writers that are not notified would wait for ever. */
    private Throwable failure(List<Submission> batch, SegmentEncoder encoder, Throwable error) {
        if (error instanceof CancellationException) {
            return error;
        }
        try {
            return watch.failed(batch.size(), encoder.expectedBytes(), error);
        } catch (Throwable t) {
            LOG.error("A failed upload could not be reported", t);
            return error;
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private static void fail(List<Submission> batch, Throwable cause) {
        batch.forEach(submission -> tell(() -> submission.failed(cause)));
    }

    /** An error of one writer does not keep the others from their notification. */
    static void tell(Runnable news) {
        try {
            news.run();
        } catch (Throwable t) {
            LOG.error("A writer failed at the outcome of an upload", t);
        }
    }

    private void register(List<Submission> batch, SegmentEncoder encoder, FileStateHandle segment) {
        List<SegmentLocation> locations;
        List<EffectiveRecords> records;
        try {
            watch.stored();
            // Before the registration: after it nothing may fail until the writers are notified.
            locations = locations(segment, encoder);
            records =
                    batch.stream()
                            .map(stored -> stored.changes().effective())
                            .collect(Collectors.toList());
            registry.register(segment, batch.size());
        } catch (Throwable t) {
            deleteUnregistered(segment, t);
            fail(batch, t);
            return;
        }
        for (int i = 0; i < batch.size(); i++) {
            Submission submission = batch.get(i);
            SegmentLocation location = locations.get(i);
            tell(() -> submission.stored(location));
        }
        records.forEach(stored -> metrics.leftOut(stored.voidRecords(), stored.voidBytes()));
    }

    private static List<SegmentLocation> locations(
            FileStateHandle segment, SegmentEncoder encoder) {
        StreamStateHandle listed = LogSegmentHandle.of(segment);
        return encoder.offsets().stream()
                .map(offset -> new SegmentLocation(listed, offset))
                .collect(Collectors.toList());
    }

    private void deleteUnregistered(FileStateHandle segment, Throwable cause) {
        try {
            puts.delete(segment);
        } catch (Throwable t) {
            LOG.warn("Could not delete {}; nothing refers to it", Redacted.of(segment), t);
            ExceptionUtils.firstOrSuppressed(t, cause);
        }
    }

    /** Cancels all running puts: their change sets fail. Later ones fail at once. */
    void close() {
        List<CompletableFuture<FileStateHandle>> toCancel;
        synchronized (this) {
            closed = true;
            toCancel = new ArrayList<>(running);
        }
        toCancel.forEach(put -> put.cancel(false));
    }
}
