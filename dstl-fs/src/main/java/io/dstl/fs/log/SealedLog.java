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

import static io.dstl.store.Closeables.forEach;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.batch.Epoch;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.batch.StoreWatch.RefusedFromTheStartException;
import io.dstl.fs.log.PendingPersist.PendingPersists;
import io.dstl.registry.CheckpointPin;
import io.dstl.registry.WriterId;
import io.dstl.store.Closeables;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StreamStateHandle;
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
            LoggedSet set = new LoggedSet(end, changes, this);
            sets.put(end, set);
            unsent.put(end, set);
            end = end.next();
        }
    }

    /** Hands all waiting change sets to upload. */
    void upload() {
        Deferred after = new Deferred();
        synchronized (lock) {
            checkOpen();
            uploadUnsent(after);
        }
        run(after);
    }

    /** Of the sets that were never handed to upload: a persist leaves those before its first. */
    long unsentBytes() {
        synchronized (lock) {
            return unsent.values().stream().mapToLong(LoggedSet::neverSentBytes).sum();
        }
    }

    @GuardedBy("lock")
    private void uploadUnsent(Deferred after) {
        for (LoggedSet set : List.copyOf(unsent.values())) {
            upload(set, after);
        }
    }

    @GuardedBy("lock")
    private void upload(LoggedSet set, Deferred after) {
        set.uploading(persists.epochOf(set, epoch));
        unsent.remove(set.number());
        after.submitted.add(set);
        if (set.enterFlight()) {
            after.entered.add(set);
        }
    }

    /**
     * @param from inclusive
     */
    CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist(
            SequenceNumber from, long checkpointId) {
        Deferred after = new Deferred();
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
        Closeables.closeAll(
                () -> run(after), () -> services.batcher().reached(writer, checkpointId));
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

    /**
     * The set is in the store: backs it up on the local disk of its task. In this order, so that no
     * backup is kept that no checkpoint can list.
     */
    void stored(LoggedSet set, SegmentLocation location) {
        try {
            services.backup().keep(set.changes(), backup -> uploadStored(set, location, backup));
        } catch (Throwable t) {
            // The segment is stored; a failed backup does not change that.
            uploadStored(set, location, Optional.empty());
            throw t;
        }
    }

    private void uploadStored(
            LoggedSet set, SegmentLocation location, Optional<SegmentLocation> backup) {
        Deferred after = new Deferred();
        synchronized (lock) {
            if (set.hasLocation()) {
                return;
            }
            try {
                set.storedAt(location, backup);
                resend.stored();
                after.freed.add(set);
                for (PendingPersist persist : persists.waitingFor(set)) {
                    persist.oneStored();
                    finishIfComplete(persist, after);
                }
                releaseIfUnneeded(set, after);
            } catch (Throwable t) {
                failAll(set, t, after);
                after.error = Optional.of(t);
            }
        }
        run(after);
    }

    void uploadFailed(LoggedSet set, Throwable cause) {
        Deferred after = new Deferred();
        synchronized (lock) {
            try {
                if (set.sealedAgain(cause)) {
                    services.inFlight().keep(set.heldBytes());
                }
                unsent.put(set.number(), set);
                if (isHopeless(cause)) {
                    failAll(set, cause, after);
                }
                if (!closed && set.isWanted()) {
                    resend.failed(!persists.waitingFor(set).isEmpty(), this::sendAgain);
                }
            } catch (Throwable t) {
                failAll(set, t, after);
                after.error = Optional.of(t);
            }
            releaseIfUnneeded(set, after);
        }
        run(after);
    }

    private static boolean isHopeless(Throwable cause) {
        return cause instanceof RefusedFromTheStartException
                || ExceptionUtils.findThrowable(cause, Error.class).isPresent();
    }

    /** For an error that can't be mended or is the log's own: nothing else ends the persists. */
    @GuardedBy("lock")
    private void failAll(LoggedSet set, Throwable cause, Deferred after) {
        after.hopeless = Optional.of(cause);
        for (PendingPersist persist : persists.waitingFor(set)) {
            persist.fail(cause);
            finish(persist, after);
        }
    }

    @GuardedBy("lock")
    private void finishIfComplete(PendingPersist persist, Deferred after) {
        if (!persist.isComplete()) {
            return;
        }
        try {
            services.registry().pin(pin(persist.checkpointId()), persist.segments());
            persist.succeed(keyGroups);
        } catch (Throwable t) {
            persist.fail(t);
        }
        finish(persist, after);
    }

    /** Removes the persist, whose outcome is set, and dismisses its change sets. */
    @GuardedBy("lock")
    private void finish(PendingPersist persist, Deferred after) {
        after.ended.add(persist);
        persists.remove(persist);
        persist.sets().forEach(set -> dismiss(set, after));
    }

    @GuardedBy("lock")
    private void dismiss(LoggedSet set, Deferred after) {
        set.dismiss();
        releaseIfUnneeded(set, after);
    }

    @GuardedBy("lock")
    private void releaseIfUnneeded(LoggedSet set, Deferred after) {
        if (set.isUploadedForNobody()) {
            after.withdraw = true;
        }
        if (!set.isDisposable()) {
            return;
        }
        if (set.isStored()) {
            after.unneededSegments.add(set.location().segment());
            if (!closed || !set.isReported()) {
                // Else the task may restart from a checkpoint that lists the set.
                set.backup().ifPresent(after.unneededBackups::add);
            }
        } else {
            after.freed.add(set);
        }
        set.released();
        unsent.remove(set.number());
    }

    private void sendAgain() {
        Deferred after = new Deferred();
        synchronized (lock) {
            resend.fired();
            if (!closed) {
                uploadUnsent(after);
            }
        }
        run(after);
    }

    /**
     * Forgets the change sets before a number; those that checkpoints refer to stay stored. A
     * completed checkpoint begins at this number, so the backups before it go, and those of sets
     * restored before.
     *
     * @param to exclusive
     */
    void truncate(SequenceNumber to) {
        Deferred after = new Deferred();
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
        run(after);
        services.backup().deleteRestored();
    }

    @GuardedBy("lock")
    private void dismissAll(NavigableMap<SequenceNumber, LoggedSet> part, Deferred after) {
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
        Deferred after = new Deferred();
        synchronized (lock) {
            checkOpen();
            for (PendingPersist persist : persists.of(checkpointId)) {
                cancel(persist, "checkpoint " + checkpointId + " was aborted", after);
            }
        }
        run(after);
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
    private void cancel(PendingPersist persist, String reason, Deferred after) {
        persist.fail(new CancellationException(persist + ": " + reason));
        finish(persist, after);
    }

    /** Releases everything that no checkpoint refers to. Closing again has no effect. */
    void close() {
        services.inFlight().end();
        Deferred after = new Deferred();
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
                () -> run(after),
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
     * Does what was decided under the lock, after leaving it, whatever fails on the way: all change
     * sets are submitted, and all waits end. Throws the first error at the end.
     */
    private void run(Deferred after) {
        InFlightLimit.Share inFlight = services.inFlight();
        Closeables.closeAll(
                () -> after.error.ifPresent(ExceptionUtils::rethrow),
                () -> forEach(after.entered, set -> after.flush |= inFlight.add(set.heldBytes())),
                () -> forEach(after.freed, set -> set.changes().release()),
                () -> forEach(after.freed, set -> set.leave(inFlight)),
                () -> forEach(after.unneededSegments, services.registry()::release),
                () -> forEach(after.unneededBackups, services.backup()::delete),
                () -> {
                    if (after.withdraw) {
                        services.batcher().withdraw();
                    }
                },
                () -> forEach(after.submitted, services.batcher()::submit),
                () -> {
                    // No more may come for long, so gathered change sets must not wait for more.
                    if (after.flush || (!after.submitted.isEmpty() && inFlight.isFull())) {
                        services.batcher().flush();
                    }
                },
                () -> after.hopeless.ifPresent(inFlight::waiveSoftLimit),
                () -> forEach(after.ended, PendingPersist::tell));
    }

    /** What a call has decided under the lock, for {@link #run} to do after it. */
    private static final class Deferred {
        private final List<LoggedSet> submitted = new ArrayList<>();

        /** Those of the submitted that did not count against the limit before. */
        private final List<LoggedSet> entered = new ArrayList<>();

        private final List<LoggedSet> freed = new ArrayList<>();
        private final List<StreamStateHandle> unneededSegments = new ArrayList<>();
        private final List<SegmentLocation> unneededBackups = new ArrayList<>();
        private final List<PendingPersist> ended = new ArrayList<>();
        private boolean withdraw;
        private boolean flush;
        private Optional<Throwable> hopeless = Optional.empty();
        private Optional<Throwable> error = Optional.empty();
    }
}
