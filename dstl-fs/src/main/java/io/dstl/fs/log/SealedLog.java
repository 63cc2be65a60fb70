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
package io.dstl.fs.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.batch.Epoch;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.batch.StoreWatch.RefusedFromTheStartException;
import io.dstl.fs.batch.Submission;
import io.dstl.fs.log.PendingPersist.PendingPersists;
import io.dstl.registry.CheckpointPin;
import io.dstl.registry.WriterId;
import io.dstl.store.Closeables;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.util.ExceptionUtils;

/**
 * The sealed change sets of one writer, in order, from sealing to the store and to checkpoints.
 *
 * <p>Owns their numbers, their states and the waiting persists. Does not append, batch or store.
 *
 * <p><b>A failed upload</b> fails no persist: the bytes are kept and sent again by the next persist
 * or after a pause, whichever comes first, and the persists that need them go on waiting. A persist
 * ends once its change sets are stored, or when its checkpoint is aborted, at the latest by its
 * timeout. By Flink's defaults, a persist that fails restarts the job, while one that waits costs
 * nothing. A persist fails only on an {@link Error}, which no store can mend, and if the store
 * refuses and has never stored anything, which is an error in the set-up. The kept bytes count
 * against the in-flight limit, so they are bounded.
 *
 * <p><b>Threading.</b> Any thread: the task's, those of the uploader and the timer. The lock is
 * held for bookkeeping only, never during I/O or a wait. Only the locks of the registry and of the
 * in-flight limit are taken under it, for steps without callbacks: a handle is pinned in the same
 * step that creates it.
 */
final class SealedLog {

    static final SequenceNumber INITIAL = SequenceNumber.of(0);

    private final WriterId writer;
    private final KeyGroupRange keyGroups;
    private final LogServices services;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final NavigableMap<SequenceNumber, LoggedSet> sets = new TreeMap<>();

    /** Not handed to upload; includes truncated sets that a persist needs. */
    @GuardedBy("lock")
    private final NavigableMap<SequenceNumber, LoggedSet> unsent = new TreeMap<>();

    @GuardedBy("lock")
    private final PendingPersists persists = new PendingPersists();

    /** Number of the first change set that is not truncated. */
    @GuardedBy("lock")
    private SequenceNumber begin = INITIAL;

    /** Number of the next change set to be sealed. */
    @GuardedBy("lock")
    private SequenceNumber end = INITIAL;

    @GuardedBy("lock")
    private Epoch epoch = Epoch.first();

    @GuardedBy("lock")
    private final ResendTimer resend;

    @GuardedBy("lock")
    private boolean closed;

    SealedLog(WriterId writer, KeyGroupRange keyGroups, LogServices services) {
        this.writer = writer;
        this.keyGroups = keyGroups;
        this.services = services;
        this.resend = new ResendTimer(services.timer(), services.resendPause());
        services.registry().openWriter(writer);
        services.batcher().openWriter(writer);
    }

    /** The number that the next sealed change set gets. */
    SequenceNumber end() {
        synchronized (lock) {
            return end;
        }
    }

    /** Takes over a change set. */
    void add(ChangeSet changes) {
        synchronized (lock) {
            checkOpen();
            LoggedSet set = new LoggedSet(end, changes);
            sets.put(end, set);
            unsent.put(end, set);
            end = end.next();
        }
    }

    /** Hands all waiting change sets to upload. */
    void upload() {
        DeferredActions after = new DeferredActions(services);
        synchronized (lock) {
            checkOpen();
            uploadUnsent(after);
        }
        after.run();
    }

    @GuardedBy("lock")
    private void uploadUnsent(DeferredActions after) {
        for (LoggedSet set : List.copyOf(unsent.values())) {
            upload(set, after);
        }
    }

    /**
     * The epoch of the first checkpoint whose handle will list the set: one that waits for the set,
     * or the next one. Sets of different epochs must not share a segment.
     */
    @GuardedBy("lock")
    private Epoch epochOf(LoggedSet set) {
        return persists.waitingFor(set).stream()
                .findFirst()
                .map(PendingPersist::epoch)
                .orElse(epoch);
    }

    @GuardedBy("lock")
    private void upload(LoggedSet set, DeferredActions after) {
        set.uploading();
        unsent.remove(set.number());
        after.submit(set, new SetUpload(set, epochOf(set)));
    }

    /**
     * @param from inclusive
     */
    CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist(
            SequenceNumber from, long checkpointId) {
        DeferredActions after = new DeferredActions(services);
        PendingPersist persist;
        synchronized (lock) {
            checkOpen();
            checkRange(from, checkpointId);
            persist = new PendingPersist(checkpointId, epoch, sets.tailMap(from, true).values());
            for (LoggedSet set : persist.sets()) {
                set.need();
                if (set.state() == LoggedSet.State.SEALED) {
                    upload(set, after);
                }
            }
            epoch = epoch.after(checkpointId);
            persists.add(persist);
            finishIfComplete(persist, after);
        }
        Closeables.closeAll(after::run, () -> services.batcher().reached(writer, checkpointId));
        return persist.result();
    }

    @GuardedBy("lock")
    private void checkRange(SequenceNumber from, long checkpointId) {
        if (from.compareTo(begin) < 0 || from.compareTo(end) > 0) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Checkpoint %d asks for the log of %s from %s on, which holds %s"
                                    + " (inclusive) to %s (exclusive)",
                            checkpointId,
                            writer,
                            from,
                            begin,
                            end));
        }
    }

    private void uploadStored(
            LoggedSet set, SegmentLocation location, Optional<SegmentLocation> backup) {
        DeferredActions after = new DeferredActions(services);
        synchronized (lock) {
            try {
                set.stored(location, backup);
                resend.stored();
                after.freeMemory(set);
                for (PendingPersist persist : persists.waitingFor(set)) {
                    persist.oneStored();
                    finishIfComplete(persist, after);
                }
                releaseIfUnneeded(set, after);
            } catch (Throwable t) {
                failAll(set, t, after);
                after.failed(t);
            }
        }
        after.run();
    }

    private void uploadFailed(LoggedSet set, Throwable cause) {
        DeferredActions after = new DeferredActions(services);
        synchronized (lock) {
            try {
                if (set.failed(cause)) {
                    services.inFlight().keep(set.heldBytes());
                }
                unsent.put(set.number(), set);
                if (isHopeless(cause)) {
                    failAll(set, cause, after);
                }
                if (!closed && set.isNeeded()) {
                    resend.failed(!persists.waitingFor(set).isEmpty(), this::sendAgain);
                }
            } catch (Throwable t) {
                failAll(set, t, after);
                after.failed(t);
            }
            releaseIfUnneeded(set, after);
        }
        after.run();
    }

    private static boolean isHopeless(Throwable cause) {
        return cause instanceof RefusedFromTheStartException
                || ExceptionUtils.findThrowable(cause, Error.class).isPresent();
    }

    /** For an error that can't be mended or is the log's own: nothing else ends the persists. */
    @GuardedBy("lock")
    private void failAll(LoggedSet set, Throwable cause, DeferredActions after) {
        for (PendingPersist persist : persists.waitingFor(set)) {
            end(persist, after);
            after.complete(() -> persist.result().completeExceptionally(cause));
        }
    }

    @GuardedBy("lock")
    private void finishIfComplete(PendingPersist persist, DeferredActions after) {
        if (!persist.isComplete()) {
            return;
        }
        try {
            services.registry().pin(pin(persist.checkpointId()), persist.segments());
            SnapshotResult<ChangelogStateHandleStreamImpl> handle = persist.handle(keyGroups);
            after.complete(() -> persist.result().complete(handle));
        } catch (Throwable t) {
            after.complete(() -> persist.result().completeExceptionally(t));
        }
        end(persist, after);
    }

    /** Removes the persist and dismisses its change sets. */
    @GuardedBy("lock")
    private void end(PendingPersist persist, DeferredActions after) {
        persists.remove(persist);
        persist.sets().forEach(set -> dismiss(set, after));
    }

    @GuardedBy("lock")
    private void dismiss(LoggedSet set, DeferredActions after) {
        set.dismiss();
        releaseIfUnneeded(set, after);
    }

    @GuardedBy("lock")
    private void releaseIfUnneeded(LoggedSet set, DeferredActions after) {
        if (set.isUploadedForNobody()) {
            after.withdrawUpload();
        }
        if (!set.isDisposable()) {
            return;
        }
        if (set.isStored()) {
            after.releaseSegment(set);
            if (!isLeftToNextAttempt(set)) {
                after.deleteBackup(set);
            }
        } else {
            after.freeMemory(set);
        }
        set.released();
        unsent.remove(set.number());
    }

    /** The task may restart from a checkpoint that lists the set. */
    @GuardedBy("lock")
    private boolean isLeftToNextAttempt(LoggedSet set) {
        return closed && set.isReported();
    }

    private void sendAgain() {
        DeferredActions after = new DeferredActions(services);
        synchronized (lock) {
            resend.fired();
            if (!closed) {
                uploadUnsent(after);
            }
        }
        after.run();
    }

    /**
     * Forgets the change sets before a number; those that checkpoints refer to stay stored. A
     * completed checkpoint begins at this number, so the backups before it go, and those of sets
     * restored before.
     *
     * @param to exclusive
     */
    void truncate(SequenceNumber to) {
        DeferredActions after = new DeferredActions(services);
        synchronized (lock) {
            checkOpen();
            if (to.compareTo(end) > 0) {
                throw new IllegalArgumentException(
                        String.format(
                                Locale.ROOT,
                                "Cannot truncate the log of %s up to %s: it ends at %s",
                                writer,
                                to,
                                end));
            }
            if (to.compareTo(begin) > 0) {
                begin = to;
                dismissAll(sets.headMap(to, false), after);
            }
        }
        after.run();
        services.backup().deleteRestored();
    }

    @GuardedBy("lock")
    private void dismissAll(NavigableMap<SequenceNumber, LoggedSet> part, DeferredActions after) {
        part.values().forEach(set -> dismiss(set, after));
        part.clear();
    }

    /** The checkpoint has completed: the JobManager owns what it refers to. */
    void confirm(long checkpointId) {
        synchronized (lock) {
            checkOpen();
        }
        services.registry().confirm(pin(checkpointId));
    }

    /**
     * The checkpoint has failed, or was reported as failed: its persist ends. Segments that it has
     * pinned stay pinned.
     */
    void abort(long checkpointId) {
        DeferredActions after = new DeferredActions(services);
        synchronized (lock) {
            checkOpen();
            for (PendingPersist persist : persists.of(checkpointId)) {
                cancel(persist, "checkpoint " + checkpointId + " was aborted", after);
            }
        }
        after.run();
        services.registry().abort(pin(checkpointId));
    }

    /**
     * All checkpoints up to this one, inclusive, have been subsumed: segments that only failed ones
     * of these list are deleted.
     */
    void subsumed(long checkpointId) {
        synchronized (lock) {
            checkOpen();
        }
        services.registry().subsumed(writer, checkpointId);
    }

    @GuardedBy("lock")
    private void cancel(PendingPersist persist, String reason, DeferredActions after) {
        end(persist, after);
        after.complete(
                () ->
                        persist.result()
                                .completeExceptionally(
                                        new CancellationException(persist + ": " + reason)));
    }

    /** Releases everything that no checkpoint refers to. Closing again has no effect. */
    void close() {
        services.inFlight().end();
        DeferredActions after = new DeferredActions(services);
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            for (PendingPersist persist : persists.all()) {
                cancel(persist, "the log of " + writer + " was closed", after);
            }
            dismissAll(sets, after);
        }
        Closeables.closeAll(
                after::run,
                () -> services.batcher().closeWriter(writer),
                () -> services.registry().closeWriter(writer),
                () -> services.backup().close());
    }

    boolean isClosed() {
        synchronized (lock) {
            return closed;
        }
    }

    private CheckpointPin pin(long checkpointId) {
        return new CheckpointPin(writer, checkpointId);
    }

    @GuardedBy("lock")
    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("The log of " + writer + " is closed");
        }
    }

    @Override
    public String toString() {
        return "log of " + writer;
    }

    /**
     * Uploads one change set to the store and then backs it up on the local disk of its task: in
     * this order, so that no backup is kept that no checkpoint can list.
     */
    private final class SetUpload extends Submission {

        private final LoggedSet set;
        private final AtomicBoolean told = new AtomicBoolean();

        SetUpload(LoggedSet set, Epoch epoch) {
            super(set.changes(), epoch, set.bytes());
            this.set = set;
        }

        @Override
        protected boolean isWanted() {
            return set.isNeeded();
        }

        @Override
        protected void stored(SegmentLocation location) {
            try {
                services.backup().keep(set.changes(), backup -> stored(location, backup));
            } catch (Throwable t) {
                // The segment is stored; a failed backup does not change that.
                stored(location, Optional.empty());
                throw t;
            }
        }

        private void stored(SegmentLocation location, Optional<SegmentLocation> backup) {
            if (told.compareAndSet(false, true)) {
                uploadStored(set, location, backup);
            }
        }

        @Override
        protected void failed(Throwable cause) {
            uploadFailed(set, cause);
        }
    }
}
