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
package io.dstl.registry;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.registry.TrackedSegment.SegmentState;
import io.dstl.registry.WriterId.OpenWriters;
import io.dstl.secret.Redaction.Redacted;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks who on this TaskManager still needs a stored segment, and who owns it: one registry per
 * job and TaskManager, shared by the logs of all its tasks.
 *
 * <p><b>Owns</b> the references, the pins and the decision to delete. <b>Does not own</b> the
 * deletion itself ({@link SegmentDeleter}), its threads ({@link DeletionQueue}), nor any segment
 * that this TaskManager did not store: the JobManager owns those of a restored handle from the
 * start.
 *
 * <p><b>What keeps a segment.</b> A <i>reference</i> for each change set in it that is part of a
 * log ({@link #register}, {@link #release}); and its <i>pins</i>, the checkpoints that list it in a
 * handle ({@link #pin}). Once a checkpoint has completed, the JobManager's {@code
 * SharedStateRegistry} owns its segments, and this registry never deletes them. {@link
 * SegmentState} shows the life of a segment.
 *
 * <p><b>No listed segment is lost.</b> Before a handle lists it, a segment is deleted as soon as no
 * log references it. From its first pin on it is not, whatever is reported of the checkpoint: Flink
 * also reports one as aborted if its high-availability store took the write and the answer was
 * lost, and the next leader restores from it. The JobManager deletes what reached it in an
 * acknowledgement; this registry deletes the rest, and only on proof. The proof is complete when a
 * log's writer reports what has been {@link #subsumed}, and:
 *
 * <ul>
 *   <li>only subsumed checkpoints have listed the segment, so no retained one does, even if more
 *       than one is retained, and a restore takes a later one;
 *   <li>each of these has failed, as far as known. One of unknown outcome may have completed, and a
 *       part of the job may have been restored from it on other TaskManagers;
 *   <li>the job has not been restored from any of them, for then the restored logs list the segment
 *       in every checkpoint, and not through this registry. The writer is the witness ({@link
 *       OpenWriters}).
 * </ul>
 *
 * <p><b>In doubt, the JobManager owns it.</b> It registers the segments of every acknowledgement it
 * receives, even of a checkpoint that fails later, and deletes them when no retained checkpoint
 * uses them. So a segment is handed over when a checkpoint that lists it has completed, or when the
 * job is restored from one; and when the outcome of a lower one is unknown by then, or by the next
 * confirmation, as its notification may have been lost. When the job leaves, pinned segments
 * without proof stay, and so do the oldest of more than {@link #MAX_IN_DOUBT} of no log: the
 * JobManager knows them, or {@code java -jar dstl-changelog.jar orphans} finds them.
 *
 * <p><b>One segment, one epoch.</b> The JobManager deletes a segment when no retained checkpoint
 * lists it, whatever a TaskManager plans to list later. All change sets of a segment must therefore
 * have been sealed by writers that were between the same two checkpoints: then each checkpoint that
 * completes lists the segment for every log that will ever list it. {@link #pin} refuses a segment
 * that the JobManager may have deleted.
 *
 * <p><b>Safe at any crash point, and after any pause.</b> An object is stored before it is
 * registered; pinned before its handle leaves the writer; released only when no later checkpoint
 * will list it; removed from this registry before its deletion is queued. The reasons for a
 * deletion stay true, however late it runs. The registry lives in memory: a crash forgets, and
 * forgetting deletes nothing. So a crash can leave an object that nothing refers to, never a handle
 * without its object.
 *
 * <p><b>Threading.</b> Thread-safe. Calls are short and never wait for I/O: deletions and listener
 * calls happen after the lock is released. Calls of different writers may come in any order. The
 * abort of a checkpoint may come after the confirmation of a higher one that has subsumed it: Flink
 * sends it so. It counts until the next confirmation.
 *
 * <p><b>Failure.</b> A call with an unknown segment or writer, one release too many, and any call
 * after {@link #close} throws {@link IllegalStateException}, with the name, and changes nothing.
 */
public final class SegmentRegistry implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentRegistry.class);

    /**
     * Limit of segments of no log that wait for a proof; about 3 MB. Only a job that reports no
     * subsumed checkpoints reaches it: on Flink's own backend, or with asynchronous state alone.
     */
    static final int MAX_IN_DOUBT = 10_000;

    /** How far below the last failed checkpoint others are remembered, if none completes. */
    private static final int MAX_FAILED = 1000;

    /** Number left behind together, so that one line is logged for them. */
    private static final int LEFT_AT_ONCE = MAX_IN_DOUBT / 10;

    private final DeletionQueue deletions;
    private final RegistryListener listener;

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<PhysicalStateHandleID, TrackedSegment> segments = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final OpenWriters writers = new OpenWriters();

    /** Segments in a handle, of no checkpoint that is known to have completed. */
    @GuardedBy("lock")
    private final Set<TrackedSegment> pinned = new LinkedHashSet<>();

    /** The pinned segments of no log: these wait for the proof that nobody needs them. */
    @GuardedBy("lock")
    private final Set<TrackedSegment> inDoubt = new LinkedHashSet<>();

    /** Pinned checkpoints whose outcome is unknown. */
    @GuardedBy("lock")
    private final NavigableSet<Long> awaited = new TreeSet<>();

    /** Checkpoints that failed after the last completed one; a slow writer may yet pin them. */
    @GuardedBy("lock")
    private final NavigableSet<Long> failed = new TreeSet<>();

    @GuardedBy("lock")
    private OptionalLong lastConfirmed = OptionalLong.empty();

    @GuardedBy("lock")
    private long liveBytes;

    @GuardedBy("lock")
    private boolean closed;

    public SegmentRegistry(DeletionQueue deletions, RegistryListener listener) {
        this.deletions = requireNonNull(deletions);
        this.listener = requireNonNull(listener);
    }

    /** A writer is about to pin. */
    public void openWriter(WriterId writer) {
        synchronized (lock) {
            checkOpen();
            writers.open(writer);
        }
    }

    /**
     * The writer's task ended. Its references are released one by one as before; its pinned
     * segments stay, since a checkpoint in flight may complete after the task is gone, or may have.
     */
    public void closeWriter(WriterId writer) {
        synchronized (lock) {
            checkOpen();
            writers.close(writer);
        }
    }

    /**
     * A segment has been stored; this TaskManager owns it.
     *
     * @param references how many change sets it holds, each kept by the log of its writer; at least
     *     1
     */
    public void register(StreamStateHandle segment, int references) {
        TrackedSegment tracked = new TrackedSegment(segment, references);
        synchronized (lock) {
            checkOpen();
            if (segments.putIfAbsent(tracked.name(), tracked) != null) {
                throw new IllegalStateException(
                        "Segment " + Redacted.of(tracked.name()) + " is registered already");
            }
            liveBytes += segment.getStateSize();
        }
        listener.registered(segment);
    }

    /** One change set of the segment has left its log: truncated, or its writer closed. */
    public void release(StreamStateHandle segment) {
        DeferredNotifications deferredNotifications = new DeferredNotifications();
        synchronized (lock) {
            checkOpen();
            TrackedSegment tracked = tracked(segment);
            tracked.release();
            if (!tracked.isReferenced()) {
                unreferenced(tracked, deferredNotifications);
            }
        }
        report(deferredNotifications, "more than " + MAX_IN_DOUBT + " wait to be proven unneeded");
        deferredNotifications.send(deletions, listener);
    }

    /**
     * A checkpoint lists these segments in its handle. Call this before the handle leaves the
     * writer. A repeated call with the same pin adds segments. A pin without segments is valid: its
     * confirmation also concerns earlier checkpoints.
     */
    public void pin(CheckpointPin pin, Collection<? extends StreamStateHandle> segmentsOfHandle) {
        synchronized (lock) {
            checkOpen();
            List<TrackedSegment> listed = new ArrayList<>(segmentsOfHandle.size());
            for (StreamStateHandle segment : segmentsOfHandle) {
                TrackedSegment known = tracked(segment);
                known.checkStillThere(pin, lastConfirmed);
                listed.add(known);
            }
            writers.pinned(pin);
            if (mayComplete(pin.checkpointId())) {
                awaited.add(pin.checkpointId());
            }
            for (TrackedSegment segment : listed) {
                segment.pin(pin.checkpointId());
                if (segment.state() == SegmentState.OWNED) {
                    segment.become(SegmentState.PINNED, "in " + pin);
                    pinned.add(segment);
                }
            }
        }
    }

    /**
     * The checkpoint has completed: the JobManager owns its segments, whichever writer pinned them,
     * and those of checkpoints of unknown outcome below the previously confirmed one. Has no effect
     * for a checkpoint that was not pinned, such as a savepoint, from which no leader restores by
     * itself.
     */
    public void confirm(CheckpointPin pin) {
        DeferredNotifications deferredNotifications = new DeferredNotifications();
        synchronized (lock) {
            checkOpen();
            String reason = "confirmed by " + pin;
            handOverListedBy(pin.checkpointId(), reason, deferredNotifications);
            if (awaited.remove(pin.checkpointId())) {
                // The abort of a checkpoint that this one has subsumed comes after it.
                long before = lastConfirmed.orElse(-1);
                if (pin.checkpointId() > before) {
                    lastConfirmed = OptionalLong.of(pin.checkpointId());
                    failed.headSet(pin.checkpointId()).clear();
                    handOverUnheard(before, reason, deferredNotifications);
                }
                completed(pin.checkpointId(), pin.writer());
            }
        }
        deferredNotifications.send(deletions, listener);
    }

    /**
     * The JobManager reports the checkpoint as failed, which may be wrong: this deletes nothing,
     * and counts once the checkpoint is {@link #subsumed}. Has no effect if it was not pinned.
     */
    public void abort(CheckpointPin pin) {
        synchronized (lock) {
            checkOpen();
            awaited.remove(pin.checkpointId());
            failed.add(pin.checkpointId());
            failed.headSet(pin.checkpointId() - MAX_FAILED).clear();
        }
    }

    /**
     * All checkpoints that are retained, now or later, are higher than this one. Deletes the
     * segments of lower ones that are now proven unneeded (see {@link SegmentRegistry}).
     *
     * @param witness the writer that was notified
     * @param checkpointId inclusive
     */
    public void subsumed(WriterId witness, long checkpointId) {
        DeferredNotifications deferredNotifications = new DeferredNotifications();
        synchronized (lock) {
            checkOpen();
            String reason = "checkpoint " + checkpointId + " was subsumed";
            handOverUnheard(checkpointId, reason, deferredNotifications);
            // A higher one has completed, or this one would not have been subsumed.
            completed(checkpointId + 1, witness);
            for (TrackedSegment segment : new ArrayList<>(inDoubt)) {
                if (segment.isUnneeded(checkpointId)) {
                    forget(segment);
                    segment.become(SegmentState.DELETED, reason);
                    deferredNotifications.delete(segment);
                }
            }
        }
        deferredNotifications.send(deletions, listener);
    }

    /**
     * The writer's task has been restored from this checkpoint, which has thus completed, and no
     * higher one in flight will. Call this after {@link #openWriter}, before the writer pins.
     *
     * <p>Do not call this without a checkpoint: a task that restores nothing may be part of a job
     * that does.
     */
    public void restored(WriterId writer, long checkpointId) {
        DeferredNotifications deferredNotifications = new DeferredNotifications();
        synchronized (lock) {
            checkOpen();
            writers.restored(writer, checkpointId);
            String reason = "the job was restored from checkpoint " + checkpointId;
            handOverListedBy(checkpointId, reason, deferredNotifications);
            handOverUnheard(checkpointId, reason, deferredNotifications);
            awaited.clear();
        }
        deferredNotifications.send(deletions, listener);
    }

    /**
     * The job has left this TaskManager. Deletes segments that no handle has ever listed,
     * referenced or not, as their logs are gone; leaves the others in the store. Closing again has
     * no effect.
     */
    @Override
    public void close() {
        DeferredNotifications deferredNotifications = new DeferredNotifications();
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            for (TrackedSegment segment : new ArrayList<>(segments.values())) {
                end(segment, "the job has left this TaskManager", deferredNotifications);
            }
        }
        report(deferredNotifications, "the job has left this TaskManager");
        deferredNotifications.send(deletions, listener);
    }

    /** Number of tracked segments: owned, or handed over and still part of a log. */
    public int liveSegments() {
        synchronized (lock) {
            return segments.size();
        }
    }

    /** The sum of the sizes of {@link #liveSegments}. */
    public long liveBytes() {
        synchronized (lock) {
            return liveBytes;
        }
    }

    /** Number of segments in a handle of a checkpoint, of none that is known to have completed. */
    public int pinnedSegments() {
        synchronized (lock) {
            return pinned.size();
        }
    }

    @GuardedBy("lock")
    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException(
                    "The segment registry is closed, as the job has left this TaskManager");
        }
    }

    /** Whether a checkpoint may complete that is pinned now, and so is not acknowledged yet. */
    @GuardedBy("lock")
    private boolean mayComplete(long checkpointId) {
        return !failed.contains(checkpointId) && checkpointId >= lastConfirmed.orElse(0);
    }

    @GuardedBy("lock")
    private TrackedSegment tracked(StreamStateHandle segment) {
        TrackedSegment tracked = segments.get(TrackedSegment.name(segment));
        if (tracked == null) {
            throw new IllegalStateException(
                    "Segment "
                            + Redacted.of(TrackedSegment.name(segment))
                            + " is not registered: not stored by this TaskManager, or deleted, or"
                            + " handed over and truncated");
        }
        return tracked;
    }

    @GuardedBy("lock")
    private void unreferenced(TrackedSegment segment, DeferredNotifications deferredNotifications) {
        if (segment.state() != SegmentState.PINNED) {
            end(segment, "no log needs it", deferredNotifications);
            return;
        }
        inDoubt.add(segment);
        if (inDoubt.size() > MAX_IN_DOUBT) {
            new ArrayList<>(inDoubt)
                    .subList(0, LEFT_AT_ONCE)
                    .forEach(oldest -> end(oldest, "too many in doubt", deferredNotifications));
        }
    }

    @GuardedBy("lock")
    private void completed(long checkpointId, WriterId witness) {
        long since = writers.witnessSince(witness);
        pinned.forEach(segment -> segment.completed(checkpointId, since));
    }

    /**
     * Hands over segments of checkpoints whose notification may have been lost.
     *
     * @param upTo inclusive
     */
    @GuardedBy("lock")
    private void handOverUnheard(
            long upTo, String reason, DeferredNotifications deferredNotifications) {
        NavigableSet<Long> unheard = awaited.headSet(upTo, true);
        unheard.forEach(
                id -> handOverListedBy(id, reason + "; unheard of " + id, deferredNotifications));
        unheard.clear();
    }

    @GuardedBy("lock")
    private void handOverListedBy(
            long checkpointId, String reason, DeferredNotifications deferredNotifications) {
        for (TrackedSegment segment : new ArrayList<>(pinned)) {
            if (segment.isListedBy(checkpointId)) {
                pinned.remove(segment);
                inDoubt.remove(segment);
                segment.become(SegmentState.HANDED_OVER, reason);
                deferredNotifications.handOver(segment);
                if (!segment.isReferenced()) {
                    end(segment, reason, deferredNotifications);
                }
            }
        }
    }

    /** Ends the tracking; an object that a handle may list stays. */
    @GuardedBy("lock")
    private void end(
            TrackedSegment segment, String reason, DeferredNotifications deferredNotifications) {
        forget(segment);
        if (segment.state() == SegmentState.OWNED) {
            segment.become(SegmentState.DELETED, reason);
            deferredNotifications.delete(segment);
            return;
        }
        if (segment.state() == SegmentState.PINNED) {
            deferredNotifications.leaveBehind(segment);
        }
        segment.become(SegmentState.FORGOTTEN, reason);
    }

    @GuardedBy("lock")
    private void forget(TrackedSegment segment) {
        segments.remove(segment.name());
        pinned.remove(segment);
        inDoubt.remove(segment);
        liveBytes -= segment.handle().getStateSize();
    }

    private static void report(DeferredNotifications deferredNotifications, String occasion) {
        if (deferredNotifications.countLeftBehind() > 0) {
            LOG.info(
                    "Left {} segments of {} bytes in the store as {}: each is in the handle of a"
                            + " checkpoint that may have completed. The JobManager deletes those"
                            + " that it knows, unless the job ends and retains an earlier"
                            + " checkpoint; the command 'orphans' deletes the others.",
                    deferredNotifications.countLeftBehind(),
                    deferredNotifications.bytesLeftBehind(),
                    occasion);
        }
    }
}
