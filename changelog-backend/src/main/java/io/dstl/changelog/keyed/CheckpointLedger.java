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
package io.dstl.changelog.keyed;

import static java.util.Objects.requireNonNull;

import io.dstl.materializer.LogSize;
import io.dstl.materializer.Materialization.MaterializationId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;

/**
 * What each checkpoint of one keyed backend refers to: the {@link MaterializedBase} as it was at
 * the barrier, plus the log from there on.
 *
 * <p>Owns the base, the checkpoints in flight and their dealings with the log's writer: persist at
 * the barrier, confirm or reset at the outcome, truncate once no later checkpoint can need the log
 * before the base. Does not own the writer's life, nor any file.
 *
 * <p><b>Why truncation is safe.</b> The base only moves forward, so every checkpoint triggered
 * after a completed one starts its log at the same point or later. Earlier checkpoints still in
 * flight keep their segments by pins that the writer's storage holds until their outcome is known.
 *
 * <p><b>Why no base is missed.</b> From the barrier on for which a base is being made ({@link
 * MaterializedBase.Pending}), every checkpoint starts from it, and no other is begun. So the
 * JobManager, which deletes what a completed checkpoint does not list, never does so between two
 * that list it. If all checkpoints that need the base are aborted before it is made, those that
 * only joined them fail, so no handle has it. The next ones start from the previous base, until the
 * new one is made or a checkpoint needs it. Otherwise one that joins before the last is aborted
 * would make the next one join, and no checkpoint would complete before the upload ends.
 *
 * <p><b>Threading.</b> The task thread only, but for the last stage of a snapshot's future and its
 * deadline, which read nothing of the ledger that changes.
 */
final class CheckpointLedger {
    /** From a checkpoint's timeout to its deadline: an abort is mostly here by then. */
    private static final Duration MARGIN = Duration.ofMinutes(1);

    private final StateChangelogWriter<? extends ChangelogStateHandle> writer;
    private final CheckpointHandles handles;
    private final NavigableMap<Long, InFlight> inFlight = new TreeMap<>();

    /**
     * Those that were in flight below the last that completed. Flink tells of the abort of what
     * that has subsumed after its completion.
     */
    private final NavigableMap<Long, InFlight> overtaken = new TreeMap<>();

    private final AbandonedFiles abandoned;
    private final Duration timeout;
    private final ScheduledExecutorService timer;

    /** Bases that were replaced: a checkpoint in flight, not given yet, may start from them. */
    private final List<MaterializedBase> replaced = new ArrayList<>();

    private MaterializedBase base;
    private Optional<MaterializedBase.Pending> pending = Optional.empty();

    /** Whether a checkpoint waits for the pending base. */
    private boolean awaited;

    private MaterializationId confirmed;

    private SequenceNumber unlisted;

    /** Whether the pending base may have files of an earlier one. */
    private boolean reuses;

    /** Whether the base was pending once, and has no file of an earlier one. */
    private boolean full;

    private Optional<LogSize> size = Optional.empty();

    /** The size of the log when the base was confirmed. No materialization makes it smaller. */
    private long leastLog;

    /**
     * @param timeout after which the JobManager aborts a checkpoint
     */
    CheckpointLedger(
            StateChangelogWriter<? extends ChangelogStateHandle> writer,
            CheckpointHandles handles,
            MaterializedBase restored,
            AbandonedFiles abandoned,
            Duration timeout,
            ScheduledExecutorService timer) {
        this.writer = requireNonNull(writer);
        this.handles = requireNonNull(handles);
        this.base = requireNonNull(restored);
        this.confirmed = restored.id();
        this.unlisted = writer.initialSequenceNumber();
        this.abandoned = requireNonNull(abandoned);
        this.timeout = requireNonNull(timeout);
        this.timer = requireNonNull(timer);
    }

    MaterializedBase base() {
        return base;
    }

    /** From where on no checkpoint of this task attempt lists the log. */
    SequenceNumber unlisted() {
        return unlisted;
    }

    /** The size of the last completed checkpoint; empty until one with this base has completed. */
    Optional<LogSize> size() {
        return size;
    }

    /**
     * Decides whether the next checkpoint starts from a base that is being made. If none that needs
     * it is left, it does not, and those that joined these fail.
     */
    boolean decideToAwaitBase() {
        // Also one that is made: those that joined it are not to fail.
        pending.filter(p -> p.made().isDone()).ifPresent(this::settle);
        if (awaited) {
            MaterializationId next = pending.orElseThrow().id();
            if (inFlight.values().stream().noneMatch(c -> c.needsBase(next))) {
                goOnWithoutPending();
            }
        }
        return awaited;
    }

    /** Fails those that joined the ones that needed the pending base, before it is made. */
    private void goOnWithoutPending() {
        MaterializedBase.Pending unneeded = pending.orElseThrow();
        Map<Long, InFlight> joined = new TreeMap<>(inFlight);
        joined.values().removeIf(c -> c.mustNotStartElsewhere || !c.baseId.equals(unneeded.id()));
        joined.forEach((id, checkpoint) -> checkpoint.fail(joinedInVain(id)));
        // Asked after that: no handle with the base leaves the task from here on.
        if (unneeded.made().isDone()) {
            settle(unneeded);
            return;
        }
        awaited = false;
        joined.forEach(this::forget);
    }

    /** Of a reason that the JobManager does not count as a failure: the abort was one already. */
    private static CheckpointException joinedInVain(long checkpointId) {
        return new CheckpointException(
                "Checkpoint "
                        + checkpointId
                        + " waited for the upload of a full checkpoint that was aborted meanwhile,"
                        + " and would wait until that ends. The next one does not wait for it.",
                CheckpointFailureReason.CHECKPOINT_DECLINED_SUBSUMED);
    }

    private void forget(long checkpointId, InFlight failed) {
        inFlight.remove(checkpointId);
        writer.reset(failed.logStart, failed.logEnd, checkpointId);
    }

    /**
     * Has the next checkpoint start from the base that is being made, or else from one with no file
     * of an earlier checkpoint that no completed checkpoint has yet.
     *
     * @return false, and without effect, if there is none
     */
    boolean joinFull() {
        settleIfFailed();
        awaited = pending.isPresent();
        return awaited || (full && !confirmed.equals(base.id()));
    }

    /**
     * Whether the next base may be begun: the current one is part of a completed checkpoint, or was
     * restored from one, and no other is on its way.
     */
    boolean mayBegin() {
        settleIfFailed();
        return pending.isEmpty() && confirmed.equals(base.id());
    }

    /** Whether a base is being made that may have files of an earlier one. */
    boolean expectsReuse() {
        settleIfFailed();
        return pending.isPresent() && reuses;
    }

    /**
     * Checkpoints start from this base from now on, as soon as it is made.
     *
     * @param mayReuse whether it may have files of an earlier one
     */
    void expect(MaterializedBase.Pending next, boolean mayReuse) {
        settleIfFailed();
        if (pending.isPresent()) {
            throw new IllegalStateException(
                    "Base " + next.id() + " cannot be made while " + pending.get().id() + " is");
        }
        pending = Optional.of(next);
        reuses = mayReuse;
        awaited = true;
    }

    /** The pending base was made, or will not be. Does nothing if that is known already. */
    void settle(MaterializedBase.Pending done) {
        if (pending.isPresent() && pending.get() == done) {
            pending = Optional.empty();
            awaited = false;
            if (!done.made().isCompletedExceptionally()) {
                advance(done.made().join());
                full = !reuses && base.id().equals(done.id());
            }
        }
    }

    /** The next barrier may come before the mail that tells of the failure. */
    private void settleIfFailed() {
        pending.filter(p -> p.made().isCompletedExceptionally()).ifPresent(this::settle);
    }

    /** Checkpoints start from this base from now on, unless one begun later is there already. */
    void advance(MaterializedBase next) {
        boolean outdated =
                next.id().compareTo(base.id()) <= 0
                        || (awaited && next.id().compareTo(pending.orElseThrow().id()) < 0);
        if (outdated) {
            abandoned.discard(next);
            return;
        }
        replaced.add(base);
        // From here on nothing may fail: the caller would delete files that checkpoints list.
        base = next;
        full = false;
        size = Optional.empty();
    }

    /** No checkpoint will be given a replaced base once none in flight started from it. */
    private void discardUnneeded() {
        for (MaterializedBase old : new ArrayList<>(replaced)) {
            if (isInNone(old.id())) {
                replaced.remove(old);
                abandoned.discard(old);
            }
        }
    }

    /** Ends the ledger: no checkpoint follows. A second call does nothing. */
    void close() {
        pending.ifPresent(
                p -> p.made().completeExceptionally(new CancellationException("The task ended")));
        pending.ifPresent(this::settle);
        inFlight.clear();
        discardUnneeded();
        abandoned.discard(base);
    }

    /**
     * Persists the base and the log from there on. If the next checkpoint has to wait for a base,
     * it does so even if that has failed since, and then fails itself: a checkpoint that must share
     * no file cannot start from the base before.
     *
     * @param needsBase whether it must not start from another base than the one it would wait for
     * @return completed by a thread that ends an upload; exceptionally if the log could not be
     *     persisted or the base not made, also in time, which concerns this checkpoint only
     */
    CompletableFuture<SnapshotResult<KeyedStateHandle>> persist(
            long checkpointId, boolean needsBase) {
        CompletableFuture<SnapshotResult<KeyedStateHandle>> persisted =
                persistBaseAndLog(checkpointId, needsBase);
        Future<?> expiry =
                timer.schedule(
                        () -> persisted.completeExceptionally(expired(checkpointId)),
                        timeout.plus(MARGIN).getSeconds(),
                        TimeUnit.SECONDS);
        persisted.whenComplete((result, failure) -> expiry.cancel(false));
        return persisted;
    }

    /**
     * The JobManager has aborted the checkpoint, but the abort may not arrive: a task that has read
     * all its input takes no more mails, and does not end before its checkpoints.
     */
    private TimeoutException expired(long checkpointId) {
        return new TimeoutException(
                "Checkpoint "
                        + checkpointId
                        + " is not persisted, its timeout of "
                        + timeout.getSeconds()
                        + " s is over, and no abort has come. See why the store does not take the"
                        + " log or the state.");
    }

    private CompletableFuture<SnapshotResult<KeyedStateHandle>> persistBaseAndLog(
            long checkpointId, boolean needsBase) {
        MaterializationId id = awaited ? pending.orElseThrow().id() : base.id();
        SequenceNumber logStart = awaited ? pending.get().logStart() : base.logStart();
        CompletableFuture<MaterializedBase> made =
                awaited ? pending.get().made() : CompletableFuture.completedFuture(base);
        boolean counts = countsBytesOf(id);
        InFlight begun = begin(checkpointId, id, logStart);
        CompletableFuture<SnapshotResult<KeyedStateHandle>> persisted =
                persistLog(checkpointId, begun)
                        .thenCombine(
                                made,
                                (log, from) ->
                                        handles.make(
                                                checkpointId,
                                                from,
                                                log,
                                                counts ? from.bytesWritten() : 0,
                                                begun::measured));
        if (awaited) {
            begun.waiting = Optional.of(persisted);
            begun.mustNotStartElsewhere = needsBase;
        }
        return persisted;
    }

    /**
     * Whether the next checkpoint counts the bytes of the base: no other that may complete does.
     */
    private boolean countsBytesOf(MaterializationId next) {
        return !confirmed.equals(next) && isInNone(next);
    }

    private boolean isInNone(MaterializationId of) {
        return inFlight.values().stream().noneMatch(c -> c.baseId.equals(of));
    }

    /** Asking for the next number seals what is open: nothing later is part of the checkpoint. */
    private InFlight begin(long checkpointId, MaterializationId baseId, SequenceNumber logStart) {
        unlisted = writer.nextSequenceNumber();
        InFlight begun = new InFlight(baseId, logStart, unlisted);
        inFlight.put(checkpointId, begun);
        return begun;
    }

    private CompletableFuture<? extends SnapshotResult<? extends ChangelogStateHandle>> persistLog(
            long checkpointId, InFlight begun) {
        try {
            return writer.persist(begun.logStart, checkpointId);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Whether it was begun here, and is neither known to have completed nor to have failed. */
    boolean isInFlight(long checkpointId) {
        return inFlight.containsKey(checkpointId);
    }

    /**
     * The checkpoint completed: the JobManager owns what it refers to.
     *
     * @return the materialization that this confirms for the first time
     */
    Optional<MaterializationId> complete(long checkpointId) {
        InFlight completed = inFlight.remove(checkpointId);
        if (completed == null) {
            return Optional.empty();
        }
        settleIfOf(completed);
        writer.confirm(completed.logStart, completed.logEnd, checkpointId);
        NavigableMap<Long, InFlight> lower = inFlight.headMap(checkpointId, false);
        overtaken.clear();
        overtaken.putAll(lower);
        lower.clear();
        discardUnneeded();
        Optional<CheckpointHandles.Size> made = completed.size;
        if (completed.baseId.compareTo(confirmed) > 0) {
            leastLog = made.map(CheckpointHandles.Size::log).orElse(0L);
        }
        size =
                made.filter(known -> completed.baseId.equals(base.id()))
                        .map(known -> new LogSize(known.log(), leastLog, known.materialized()));
        if (completed.baseId.compareTo(confirmed) <= 0) {
            return Optional.empty();
        }
        confirmed = completed.baseId;
        writer.truncate(completed.logStart);
        return Optional.of(confirmed);
    }

    /**
     * The checkpoint has failed, or is said to have: a base that was given stays, as its checkpoint
     * may have completed all the same.
     *
     * @return whether a base is being made that no checkpoint waits for any more
     */
    boolean abort(long checkpointId) {
        InFlight aborted = inFlight.remove(checkpointId);
        if (aborted == null) {
            aborted = overtaken.remove(checkpointId);
        }
        if (aborted == null) {
            return false;
        }
        // Ahead of the question whether the base is made: no handle with it leaves the task then.
        aborted.waiting.ifPresent(waiting -> waiting.cancel(false));
        settleIfOf(aborted);
        loseBackup(aborted);
        writer.reset(aborted.logStart, aborted.logEnd, checkpointId);
        discardUnneeded();
        MaterializationId of = aborted.baseId;
        return !decideToAwaitBase() && pending.filter(p -> p.id().equals(of)).isPresent();
    }

    /**
     * The mail that settles a pending base may come after this one, which has a higher priority.
     */
    private void settleIfOf(InFlight checkpoint) {
        pending.filter(p -> p.id().equals(checkpoint.baseId) && p.made().isDone())
                .ifPresent(this::settle);
    }

    /**
     * With an aborted checkpoint Flink deletes what the base has on the local disk, unless a
     * completed one has that too, or one that Flink knows already and that may complete.
     */
    private void loseBackup(InFlight aborted) {
        boolean mayBeGone =
                aborted.baseId.equals(base.id())
                        && aborted.baseId.compareTo(confirmed) > 0
                        && aborted.size.isPresent();
        if (!mayBeGone) {
            return;
        }
        boolean nobodyHasIt =
                inFlight.values().stream()
                        .noneMatch(c -> c.baseId.equals(aborted.baseId) && c.size.isPresent());
        if (nobodyHasIt) {
            abandoned.discardBackup(base);
        } else {
            base.takeBackup();
        }
    }

    /** One checkpoint between its barrier and its outcome. */
    private static final class InFlight {
        final MaterializationId baseId;
        final SequenceNumber logStart;
        final SequenceNumber logEnd;

        /** Of one that waits for its base. */
        Optional<CompletableFuture<?>> waiting = Optional.empty();

        /** Whether it must not start from a base that is there already. */
        boolean mustNotStartElsewhere;

        /** Written by the thread that ends an upload. */
        volatile Optional<CheckpointHandles.Size> size = Optional.empty();

        InFlight(MaterializationId baseId, SequenceNumber logStart, SequenceNumber logEnd) {
            this.baseId = baseId;
            this.logStart = logStart;
            this.logEnd = logEnd;
        }

        /** Not if it has failed, even if no abort has come. */
        boolean needsBase(MaterializationId next) {
            return mustNotStartElsewhere
                    && baseId.equals(next)
                    && waiting.filter(future -> !future.isDone()).isPresent();
        }

        void fail(Throwable cause) {
            waiting.ifPresent(future -> future.completeExceptionally(cause));
        }

        void measured(CheckpointHandles.Size made) {
            size = Optional.of(made);
        }
    }
}
