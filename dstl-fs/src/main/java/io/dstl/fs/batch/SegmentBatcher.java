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
 * <p>A batch is flushed when it is full, when its first change set has waited for the delay, or at
 * once when every open writer has reached the same checkpoint: then nobody is left to wait for. It
 * is stored at once or, where the store does not keep up, when the {@link Backlog} says so.
 *
 * <p><b>One epoch per segment.</b> The JobManager deletes a file when the checkpoints that refer to
 * it are subsumed, and learns of references only as checkpoints are acknowledged. With concurrent
 * checkpoints, a file with change sets of different epochs could be deleted while needed: say a
 * first appears in checkpoint 1, b of another writer, which is already past checkpoint 2, in
 * checkpoint 3, and checkpoint 2 completes with neither, as a's log was truncated: the file goes
 * with checkpoint 1, and checkpoint 3 lacks b. Change sets of one {@link Epoch} first appear in the
 * same checkpoint, so the references to their file have no gap.
 *
 * <p>Owns the change sets' waiting, not their bytes. <b>Threading.</b> Any thread; nothing blocks,
 * and nothing is stored or told under the lock. Those of the backlog are sent by the threads that
 * end uploads, by one at a time.
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

    /** Whether a thread sends those of the backlog. */
    @GuardedBy("this")
    private boolean sending;

    /** Whether that thread has to look again: something has changed since it last did. */
    @GuardedBy("this")
    private boolean again;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param few puts that are under way at a time after one has failed; at least 1
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

    /** Hands a change set in; its outcome is told to the submission. */
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

    /** Returns what is to be stored now. */
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
        } catch (RuntimeException e) {
            // Its submission is told; nothing may stay that would be told once more.
            take(batch);
            throw e;
        }
    }

    private void delayOver(Batch batch) {
        List<Submission> due;
        synchronized (this) {
            due = take(batch);
        }
        publish(due);
    }

    /** A writer has handed in all it has for a checkpoint. */
    public void reached(WriterId writer, long checkpointId) {
        List<List<Submission>> due = Collections.emptyList();
        synchronized (this) {
            if (checkpoints.markPresent(writer, checkpointId)) {
                due = takeAll();
            }
        }
        due.forEach(this::publish);
    }

    /** Stores what waits, without waiting any longer. */
    public void flush() {
        List<List<Submission>> due;
        synchronized (this) {
            due = takeAll();
        }
        due.forEach(this::publish);
    }

    /**
     * Ends the waiting of change sets that nobody {@linkplain Submission#isWanted() wants} any
     * more, here and behind a failure. To be called when one has become unwanted.
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

    /** Stores a batch, now or when its turn comes. */
    private void publish(List<Submission> batch) {
        if (batch.isEmpty()) {
            return;
        }
        List<Submission> unwanted;
        boolean now;
        synchronized (this) {
            // Under the lock: who becomes unwanted later finds it in the line, or under way.
            unwanted = Submission.takeUnwanted(batch);
            now = !batch.isEmpty() && backlog.takesTurn(batch);
        }
        tellUnwanted(unwanted);
        if (now) {
            send(batch);
        }
    }

    private void send(List<Submission> batch) {
        CompletableFuture<?> told;
        try {
            told = publisher.publish(batch);
        } catch (Throwable t) {
            // Nothing there should throw; but those that wait must not be lost with one that does.
            batch.forEach(each -> SegmentPublisher.tell(() -> each.failed(t)));
            told = CompletableFuture.failedFuture(t);
        }
        told.whenComplete((done, error) -> ended(Optional.ofNullable(error)));
    }

    private void ended(Optional<Throwable> error) {
        synchronized (this) {
            backlog.ended(error);
        }
        sendThoseWithRoom();
    }

    /** One that ends while it is sent comes back here, and leaves the others to who sent it. */
    private void sendThoseWithRoom() {
        synchronized (this) {
            again = true;
            if (sending) {
                return;
            }
            sending = true;
        }
        while (hasToLook()) {
            for (Optional<List<Submission>> next = next(); next.isPresent(); next = next()) {
                send(next.get());
            }
        }
    }

    private synchronized boolean hasToLook() {
        sending = again;
        again = false;
        return sending;
    }

    private synchronized Optional<List<Submission>> next() {
        return backlog.next();
    }

    /** Change sets waiting at the moment. */
    public synchronized int size() {
        return waiting.values().stream().mapToInt(Batch::size).sum() + backlog.size();
    }

    /**
     * Fails all that waits or is being stored; what is handed in later fails at once.
     *
     * @throws RuntimeException of the first writer that can't take the news, when all have been
     *     told
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

        /** In a segment at most, uncompressed. */
        long bytes() {
            return bytes;
        }

        /** Takes out what nobody wants any more. */
        List<Submission> takeUnwanted() {
            List<Submission> unwanted = Submission.takeUnwanted(submissions);
            unwanted.forEach(each -> bytes -= each.bytes());
            return unwanted;
        }

        /** Ends the waiting. */
        List<Submission> close() {
            if (timer != null) {
                timer.cancel(false);
            }
            return submissions;
        }
    }

    /**
     * Tells for each checkpoint when the last of the open writers has handed in.
     *
     * <p>Not thread-safe; guarded by its owner's lock.
     */
    static final class CheckpointTracker {

        /** More checkpoints than this are never in flight; older ones were given up. */
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

        /** Marks a writer as present; true if it is the last one that was missing. */
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
