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
import io.dstl.fs.arena.ChangeSet.EffectiveRecords;
import io.dstl.fs.metric.StorageMetrics;
import io.dstl.fs.option.BatchSettings;
import io.dstl.fs.option.DstlSettings;
import io.dstl.fs.segment.SegmentEncoder;
import io.dstl.registry.LogSegmentHandle;
import io.dstl.registry.SegmentRegistry;
import io.dstl.registry.WriterId;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.store.Closeables;
import io.dstl.store.DrainLoop;
import io.dstl.store.PutContext;
import io.dstl.store.PutRace;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gathers the change sets of all writers of a job on this TaskManager, so that many share a
 * segment, and stores each batch: puts its segment, registers it, and notifies the writers.
 *
 * <p>A batch is flushed when it is full, when its first change set has waited for the delay, or as
 * soon as every open writer has reached the same checkpoint: then no more can come. The batch is
 * stored at once or, if the store does not keep up, when the {@link Backlog} allows it.
 *
 * <p><b>One epoch per segment.</b> The JobManager deletes a file when the checkpoints that refer to
 * it are subsumed, and learns of references only when checkpoints are acknowledged. With concurrent
 * checkpoints, a file with change sets of different epochs could be deleted while needed. Example:
 * a first appears in checkpoint 1; b, of another writer that is already past checkpoint 2, in
 * checkpoint 3; checkpoint 2 completes with neither, as a's log was truncated. The file is deleted
 * with checkpoint 1, and checkpoint 3 lacks b. Change sets of one {@link Epoch} first appear in the
 * same checkpoint, so the references to their file have no gap.
 *
 * <p>Owns the change sets' waiting and the running puts, not the bytes; does not retry.
 *
 * <p><b>Threading.</b> Any thread; nothing blocks, and no store or writer is called under the lock.
 * The thread that ends an upload notifies the writers. One thread at a time sends the backlog: one
 * that ends an upload, submits a batch, or has reached a checkpoint.
 */
public final class SegmentBatcher {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentBatcher.class);

    private final BatchSettings settings;
    private final boolean compressed;
    private final PutContext puts;
    private final SegmentRegistry registry;
    private final StorageMetrics metrics;
    private final StoreWatch watch;
    private final ScheduledExecutorService timer;

    @GuardedBy("this")
    private final Map<Epoch, Batch> waiting = new HashMap<>();

    @GuardedBy("this")
    private final CheckpointTracker checkpoints = new CheckpointTracker();

    @GuardedBy("this")
    private final Backlog backlog;

    /**
     * Runs after the end of a put, on that thread. Also with each batch that waits, and at each
     * checkpoint: if it ended early, out of memory, there may be room and no put under way.
     */
    private final DrainLoop sending = new DrainLoop(this::sendThoseWithRoom);

    @GuardedBy("this")
    private final Set<CompletableFuture<FileStateHandle>> running = new HashSet<>();

    @GuardedBy("this")
    private boolean closed;

    public SegmentBatcher(
            DstlSettings settings,
            PutContext puts,
            SegmentRegistry registry,
            StorageMetrics metrics,
            StoreWatch watch,
            ScheduledExecutorService timer) {
        this.settings = settings.batch();
        this.compressed = settings.compressed();
        this.puts = puts;
        this.registry = registry;
        this.metrics = metrics;
        this.watch = watch;
        this.timer = timer;
        this.backlog =
                new Backlog(settings.upload().threads(), settings.batch().sizeThresholdBytes());
    }

    public synchronized void openWriter(WriterId writer) {
        checkpoints.open(writer);
    }

    public synchronized void closeWriter(WriterId writer) {
        checkpoints.close(writer);
    }

    /** Takes a change set; the submission is notified of the outcome. */
    public void submit(Submission submission) {
        Optional<Batch> full;
        try {
            synchronized (this) {
                if (closed) {
                    throw closedFailure();
                }
                full = enqueue(submission);
            }
        } catch (Throwable t) {
            submission.failed(t);
            return;
        }
        full.ifPresent(this::sendInTurn);
    }

    /** Returns the batch to store now. */
    @GuardedBy("this")
    private Optional<Batch> enqueue(Submission submission) {
        Batch batch = waiting.computeIfAbsent(submission.epoch(), Batch::new);
        batch.add(submission);
        if (settings.delay().isZero() || batch.bytes() >= settings.sizeThresholdBytes()) {
            return take(batch);
        }
        if (batch.size() == 1) {
            batch.flushBy(flushTimer(batch));
        }
        return Optional.empty();
    }

    @GuardedBy("this")
    private Future<?> flushTimer(Batch batch) {
        try {
            return timer.schedule(
                    () -> delayOver(batch), settings.delay().toNanos(), TimeUnit.NANOSECONDS);
        } catch (Throwable t) {
            // The caller fails the submission; if it stayed here, it would be notified twice.
            take(batch);
            throw t;
        }
    }

    private void delayOver(Batch batch) {
        Optional<Batch> due;
        synchronized (this) {
            due = take(batch);
        }
        due.ifPresent(this::sendInTurn);
    }

    /** A writer has submitted all change sets of a checkpoint. */
    public void reached(WriterId writer, long checkpointId) {
        List<Batch> due = Collections.emptyList();
        synchronized (this) {
            if (checkpoints.markPresent(writer, checkpointId)) {
                due = takeAll();
            }
        }
        sendAll(due);
    }

    /** Stores all waiting change sets now. */
    public void flush() {
        List<Batch> due;
        synchronized (this) {
            due = takeAll();
        }
        sendAll(due);
    }

    /**
     * Ends the wait of change sets that are not {@linkplain Submission#isWanted() wanted} any more,
     * here and in the backlog. Call this when a change set has become unwanted.
     */
    public void withdraw() {
        List<Submission> unwanted = new ArrayList<>();
        synchronized (this) {
            for (Batch batch : new ArrayList<>(waiting.values())) {
                unwanted.addAll(batch.takeUnwanted());
                if (batch.isEmpty()) {
                    take(batch);
                }
            }
            unwanted.addAll(backlog.takeUnwanted());
        }
        Batch.withdrawn(unwanted);
    }

    @GuardedBy("this")
    private List<Batch> takeAll() {
        List<Batch> all = new ArrayList<>(waiting.values());
        all.forEach(this::take);
        return all;
    }

    /** Empty if the batch was taken before. */
    @GuardedBy("this")
    private Optional<Batch> take(Batch batch) {
        if (!waiting.remove(batch.epoch(), batch)) {
            return Optional.empty();
        }
        batch.cancelTimer();
        return Optional.of(batch);
    }

    private void sendAll(List<Batch> due) {
        Closeables.forEach(due, this::sendInTurn);
        sending.run();
    }

    /** Stores a batch now, or in its turn. */
    private void sendInTurn(Batch batch) {
        List<Submission> unwanted = List.of();
        boolean now;
        try {
            synchronized (this) {
                // Under the lock: a later withdrawal finds the submission in the backlog or under
                // way.
                unwanted = batch.takeUnwanted();
                now = !batch.isEmpty() && backlog.takesTurn(batch);
            }
        } catch (Throwable t) {
            // Out of memory. The batch waits nowhere any more.
            Batch.withdrawn(unwanted);
            batch.failed(t);
            throw t;
        }
        Batch.withdrawn(unwanted);
        if (now) {
            send(batch);
        } else {
            sending.run();
        }
    }

    private void send(Batch batch) {
        CompletableFuture<?> told;
        try {
            told = put(batch);
        } catch (Throwable t) {
            batch.failed(t);
            told = CompletableFuture.failedFuture(t);
        }
        try {
            told.whenComplete((done, error) -> ended(Optional.ofNullable(error)));
        } catch (Throwable t) {
            // Out of memory. Nobody hears of its end, so its place is free.
            freeAfter(Optional.of(t));
            throw t;
        }
    }

    /**
     * @param batch not empty
     * @return done when all writers have been notified; fails if nothing was stored
     */
    private CompletableFuture<?> put(Batch batch) {
        SegmentEncoder encoder = new SegmentEncoder(batch.changes(), compressed);
        if (isClosed()) {
            throw new CancellationException("The storage was closed");
        }
        metrics.batchFlushed(batch.size());
        CompletableFuture<FileStateHandle> put = PutRace.put(puts, encoder);
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

    private synchronized boolean isClosed() {
        return closed;
    }

    private void ended(
            Batch batch,
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
            Throwable cause = error;
            try {
                cause = failure(batch, encoder, error);
            } finally {
                // Writers that are not notified would wait for ever.
                batch.failed(cause);
            }
        }
    }

    private Throwable failure(Batch batch, SegmentEncoder encoder, Throwable error) {
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

    private void register(Batch batch, SegmentEncoder encoder, FileStateHandle segment) {
        List<SegmentLocation> locations;
        List<EffectiveRecords> records;
        try {
            watch.stored();
            // Before the registration: after it nothing may fail until the writers are notified.
            locations = locations(segment, encoder);
            records =
                    batch.submissions().stream()
                            .map(stored -> stored.changes().effective())
                            .collect(Collectors.toList());
            registry.register(segment, batch.size());
        } catch (Throwable t) {
            try {
                deleteUnregistered(segment, t);
            } finally {
                batch.failed(t);
            }
            return;
        }
        batch.stored(locations);
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

    private void ended(Optional<Throwable> error) {
        freeAfter(error);
        sending.run();
    }

    private synchronized void freeAfter(Optional<Throwable> error) {
        backlog.ended(error);
    }

    private void sendThoseWithRoom() {
        for (Optional<Batch> next = next(); next.isPresent(); next = next()) {
            send(next.get());
        }
    }

    private synchronized Optional<Batch> next() {
        return backlog.next();
    }

    /** Number of change sets that wait for a batch, or in one for its upload. */
    public synchronized int size() {
        return waiting.values().stream().mapToInt(Batch::size).sum() + backlog.size();
    }

    /**
     * Fails all submissions that wait or are being stored; later ones fail at once.
     *
     * @throws RuntimeException the first one that a writer throws, after all have been notified
     */
    public void close() {
        List<ThrowingRunnable<RuntimeException>> steps = new ArrayList<>();
        synchronized (this) {
            closed = true;
            for (Batch batch : takeAll()) {
                batch.submissions().forEach(each -> steps.add(() -> each.failed(closedFailure())));
            }
            running.forEach(put -> steps.add(() -> put.cancel(false)));
        }
        Closeables.closeAll(steps);
    }

    private static IllegalStateException closedFailure() {
        return new IllegalStateException("The storage is closed: the job left this TaskManager");
    }

    /**
     * Finds for each checkpoint the last open writer that submits its change sets.
     *
     * <p>Not thread-safe; guarded by its owner's lock.
     */
    static final class CheckpointTracker {

        /** Never so many checkpoints are in flight; older ones were given up. */
        private static final int MAX_CHECKPOINTS = 100;

        private final Set<WriterId> open = new HashSet<>();
        private final TreeMap<Long, Set<WriterId>> present = new TreeMap<>();

        void open(WriterId writer) {
            open.add(writer);
        }

        void close(WriterId writer) {
            open.remove(writer);
            present.values().forEach(writers -> writers.remove(writer));
        }

        /** Marks a writer as present; returns true if no other was missing. */
        boolean markPresent(WriterId writer, long checkpointId) {
            Set<WriterId> writers = present.computeIfAbsent(checkpointId, id -> new HashSet<>());
            writers.add(writer);
            if (writers.size() < open.size()) {
                if (present.size() > MAX_CHECKPOINTS) {
                    present.pollFirstEntry();
                }
                return false;
            }
            present.headMap(checkpointId, true).clear();
            return true;
        }
    }
}
