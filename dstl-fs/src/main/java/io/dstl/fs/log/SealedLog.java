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
import io.dstl.fs.log.PendingPersist.PendingPersists;
import io.dstl.registry.CheckpointPin;
import io.dstl.registry.WriterId;
import io.dstl.store.Closeables;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
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
 *
 * <p><b>Errors.</b> An {@link Error} in the middle, out of memory most likely, ends the process, on
 * whichever thread: a change set would be left that nobody stores, or whose memory nobody frees.
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
        try {
            Deferred after = new Deferred();
            synchronized (lock) {
                checkOpen();
                uploadUnsent(after);
            }
            after.run(services);
        } catch (Error e) {
            throw services.unfinished(e);
        }
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
        after.submit(set);
    }

    /**
     * @param from inclusive
     */
    CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist(
            SequenceNumber from, long checkpointId) {
        try {
            Deferred after = new Deferred();
            PendingPersist persist;
            synchronized (lock) {
                checkOpen();
                checkRange(from, checkpointId);
                persist = begin(checkpointId, sets.tailMap(from, true).values(), after);
            }
            Closeables.closeAll(
                    () -> after.run(services),
                    () -> services.batcher().reached(writer, checkpointId));
            return persist.result();
        } catch (Error e) {
            throw services.unfinished(e);
        }
    }

    @GuardedBy("lock")
    private PendingPersist begin(long checkpointId, Collection<LoggedSet> part, Deferred after) {
        PendingPersist persist = new PendingPersist(checkpointId, epoch, part);
        for (LoggedSet set : persist.sets()) {
            set.need();
            if (set.state() == LoggedSet.State.SEALED) {
                upload(set, after);
            }
        }
        epoch = epoch.after(checkpointId);
        persists.add(persist);
        finishIfComplete(persist, after);
        return persist;
    }

    @GuardedBy("lock")
    private void checkRange(SequenceNumber from, long checkpointId) {
        if (from.compareTo(begin) < 0 || from.compareTo(end) > 0) {
            throw new IllegalArgumentException(
                    "Checkpoint "
                            + checkpointId
                            + (" asks for the log of " + writer + " from " + from + " on, which")
                            + (" holds " + begin + " (inclusive) to " + end + " (exclusive)"));
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
        try {
            Deferred after = new Deferred();
            synchronized (lock) {
                if (set.hasLocation()) {
                    return;
                }
                takeLocation(set, location, backup, after);
            }
            after.run(services);
        } catch (Error e) {
            throw services.unfinished(e);
        }
    }

    @GuardedBy("lock")
    private void takeLocation(
            LoggedSet set,
            SegmentLocation location,
            Optional<SegmentLocation> backup,
            Deferred after) {
        try {
            set.storedAt(location, backup);
            resend.stored();
            after.free(set);
            for (PendingPersist persist : persists.waitingFor(set)) {
                persist.oneStored();
                finishIfComplete(persist, after);
            }
            releaseIfUnneeded(set, after);
        } catch (RuntimeException e) {
            failAll(set, e, after);
            after.failed(e);
        }
    }

    void uploadFailed(LoggedSet set, Throwable cause) {
        try {
            Deferred after = new Deferred();
            synchronized (lock) {
                takeFailure(set, cause, after);
            }
            after.run(services);
        } catch (Error e) {
            throw services.unfinished(e);
        }
    }

    @GuardedBy("lock")
    private void takeFailure(LoggedSet set, Throwable cause, Deferred after) {
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
        } catch (RuntimeException e) {
            failAll(set, e, after);
            after.failed(e);
        }
        releaseIfUnneeded(set, after);
    }

    private static boolean isHopeless(Throwable cause) {
        return cause instanceof RefusedFromTheStartException
                || ExceptionUtils.findThrowable(cause, Error.class).isPresent();
    }

    /** For an error that can't be mended or is the log's own: nothing else ends the persists. */
    @GuardedBy("lock")
    private void failAll(LoggedSet set, Throwable cause, Deferred after) {
        after.hopeless(cause);
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
        after.end(persist);
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
            after.withdraw();
        }
        if (!set.isDisposable()) {
            return;
        }
        if (set.isStored()) {
            after.releaseSegment(set.location().segment());
            if (!closed || !set.isReported()) {
                // Else the task may restart from a checkpoint that lists the set.
                set.backup().ifPresent(after::deleteBackup);
            }
        } else {
            after.free(set);
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
        after.run(services);
    }

    /**
     * Forgets the change sets before a number; those that checkpoints refer to stay stored. A
     * completed checkpoint begins at this number, so the backups before it go, and those of sets
     * restored before.
     *
     * @param to exclusive
     */
    void truncate(SequenceNumber to) {
        try {
            Deferred after = new Deferred();
            synchronized (lock) {
                checkOpen();
                checkEnd(to);
                if (to.compareTo(begin) > 0) {
                    begin = to;
                    dismissAll(sets.headMap(to, false), after);
                }
            }
            after.run(services);
            services.backup().deleteRestored();
        } catch (Error e) {
            throw services.unfinished(e);
        }
    }

    @GuardedBy("lock")
    private void checkEnd(SequenceNumber to) {
        if (to.compareTo(end) > 0) {
            throw new IllegalArgumentException(
                    "Cannot truncate the log of "
                            + writer
                            + " up to "
                            + to
                            + ": it ends at "
                            + end);
        }
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
        try {
            Deferred after = new Deferred();
            synchronized (lock) {
                checkOpen();
                for (PendingPersist persist : persists.of(checkpointId)) {
                    cancel(persist, "checkpoint " + checkpointId + " was aborted", after);
                }
            }
            after.run(services);
            services.registry().abort(pin(checkpointId));
        } catch (Error e) {
            throw services.unfinished(e);
        }
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
        try {
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
                    () -> after.run(services),
                    () -> services.batcher().closeWriter(writer),
                    () -> services.registry().closeWriter(writer),
                    () -> services.backup().close());
        } catch (Error e) {
            throw services.unfinished(e);
        }
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
}
