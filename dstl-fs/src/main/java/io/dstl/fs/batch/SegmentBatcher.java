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
import io.dstl.fs.option.BatchSettings;
import io.dstl.registry.WriterId;
import io.dstl.store.Closeables;
import io.dstl.store.DrainLoop;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Gathers the change sets of all writers of a job on this TaskManager, so that many share a
 * segment.
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
 * <p>Owns the change sets' waiting, not their bytes. <b>Threading.</b> Any thread; nothing blocks,
 * and no store or writer is called under the lock. One thread at a time sends the backlog: one that
 * ends an upload, submits a batch, or has reached a checkpoint.
 */
public final class SegmentBatcher {

    private final BatchSettings settings;
    private final SegmentPublisher publisher;
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
    private boolean closed;

    /**
     * @param few the number of concurrent puts after one has failed; at least 1
     */
    public SegmentBatcher(
            BatchSettings settings,
            int few,
            SegmentPublisher publisher,
            ScheduledExecutorService timer) {
        this.settings = settings;
        this.publisher = publisher;
        this.timer = timer;
        this.backlog = new Backlog(few, settings.sizeThresholdBytes());
    }

    public synchronized void openWriter(WriterId writer) {
        checkpoints.open(writer);
    }

    public synchronized void closeWriter(WriterId writer) {
        checkpoints.close(writer);
    }

    /** Takes a change set; the submission is notified of the outcome. */
    public void submit(Submission submission) {
        List<Submission> full;
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
        publish(full);
    }

    /** Returns the submissions to store now. */
    @GuardedBy("this")
    private List<Submission> enqueue(Submission submission) {
        Batch batch = waiting.computeIfAbsent(submission.epoch(), Batch::new);
        batch.add(submission);
        if (settings.delay().isZero() || batch.bytes() >= settings.sizeThresholdBytes()) {
            return take(batch);
        }
        if (batch.size() == 1) {
            batch.flushBy(flushTimer(batch));
        }
        return Collections.emptyList();
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
        List<Submission> due;
        synchronized (this) {
            due = take(batch);
        }
        publish(due);
    }

    /** A writer has submitted all change sets of a checkpoint. */
    public void reached(WriterId writer, long checkpointId) {
        List<List<Submission>> due = Collections.emptyList();
        synchronized (this) {
            if (checkpoints.markPresent(writer, checkpointId)) {
                due = takeAll();
            }
        }
        publishAll(due);
    }

    /** Stores all waiting change sets now. */
    public void flush() {
        List<List<Submission>> due;
        synchronized (this) {
            due = takeAll();
        }
        publishAll(due);
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
                if (batch.size() == 0) {
                    take(batch);
                }
            }
            unwanted.addAll(backlog.takeUnwanted());
        }
        tellUnwanted(unwanted);
    }

    private static void tellUnwanted(List<Submission> unwanted) {
        unwanted.forEach(each -> SegmentPublisher.tell(each::withdrawn));
    }

    @GuardedBy("this")
    private List<List<Submission>> takeAll() {
        List<List<Submission>> all = new ArrayList<>();
        for (Batch batch : new ArrayList<>(waiting.values())) {
            all.add(take(batch));
        }
        return all;
    }

    /** Empty if the batch was taken before. */
    @GuardedBy("this")
    private List<Submission> take(Batch batch) {
        if (!waiting.remove(batch.epoch(), batch)) {
            return Collections.emptyList();
        }
        return batch.close();
    }

    private void publishAll(List<List<Submission>> due) {
        due.forEach(this::publish);
        sending.run();
    }

    /** Stores a batch now, or in its turn. */
    private void publish(List<Submission> batch) {
        if (batch.isEmpty()) {
            return;
        }
        List<Submission> unwanted;
        boolean now;
        synchronized (this) {
            // Under the lock: a later withdrawal finds the submission in the backlog or under way.
            unwanted = Submission.takeUnwanted(batch);
            now = !batch.isEmpty() && backlog.takesTurn(batch);
        }
        tellUnwanted(unwanted);
        if (now) {
            send(batch);
        } else {
            sending.run();
        }
    }

    private void send(List<Submission> batch) {
        CompletableFuture<?> told;
        try {
            told = publisher.publish(batch);
        } catch (Throwable t) {
            // No error is expected here, but the waiting writers must be notified of one.
            batch.forEach(each -> SegmentPublisher.tell(() -> each.failed(t)));
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

    private void ended(Optional<Throwable> error) {
        freeAfter(error);
        sending.run();
    }

    private synchronized void freeAfter(Optional<Throwable> error) {
        backlog.ended(error);
    }

    private void sendThoseWithRoom() {
        for (Optional<List<Submission>> next = next(); next.isPresent(); next = next()) {
            send(next.get());
        }
    }

    private synchronized Optional<List<Submission>> next() {
        return backlog.next();
    }

    /** Number of change sets that wait at the moment. */
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
            for (List<Submission> batch : takeAll()) {
                batch.forEach(each -> steps.add(() -> each.failed(closedFailure())));
            }
        }
        steps.add(publisher::close);
        Closeables.closeAll(steps);
    }

    private static IllegalStateException closedFailure() {
        return new IllegalStateException("The storage is closed: the job left this TaskManager");
    }

    /** Change sets of one epoch that wait to share a segment. Guarded by its batcher's lock. */
    static final class Batch {

        private final Epoch epoch;
        private final List<Submission> submissions = new ArrayList<>();
        private long bytes;
        private Future<?> timer;

        Batch(Epoch epoch) {
            this.epoch = epoch;
        }

        Epoch epoch() {
            return epoch;
        }

        void add(Submission submission) {
            submissions.add(submission);
            bytes += submission.bytes();
        }

        void flushBy(Future<?> newTimer) {
            this.timer = newTimer;
        }

        int size() {
            return submissions.size();
        }

        /** Upper bound of the size in a segment, uncompressed. */
        long bytes() {
            return bytes;
        }

        /** Removes and returns the unwanted submissions. */
        List<Submission> takeUnwanted() {
            List<Submission> unwanted = Submission.takeUnwanted(submissions);
            unwanted.forEach(each -> bytes -= each.bytes());
            return unwanted;
        }

        /** Cancels the timer and returns all submissions. */
        List<Submission> close() {
            if (timer != null) {
                timer.cancel(false);
            }
            return submissions;
        }
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
