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
 * Who on this TaskManager still needs a stored segment, and who answers for it: one registry per
 * job and TaskManager, shared by the logs of all its tasks.
 *
 * <p><b>Owns</b> the references, the pins and the decision to delete. <b>Does not own</b> the way
 * of deletion ({@link SegmentDeleter}), its threads ({@link DeletionQueue}), nor any segment that
 * was not stored by this TaskManager: those of a restored handle are the JobManager's from the
 * start.
 *
 * <p><b>What keeps a segment.</b> A <i>reference</i> for each change set in it that is part of a
 * log ({@link #register}, {@link #release}); and its <i>pins</i>, the checkpoints that have it in a
 * handle ({@link #pin}). Once a checkpoint has completed, the JobManager's {@code
 * SharedStateRegistry} answers for its segments and this one never deletes them. See {@link
 * SegmentState} for the life of a segment.
 *
 * <p><b>Nothing in a handle dies.</b> Before a handle lists it, a segment is deleted as soon as no
 * log references it. From its first pin on it is not, whatever is heard of the checkpoint: Flink
 * reports one as aborted also where its high-availability store took the write and the answer was
 * lost, and the next leader restores from it. The JobManager deletes what reached it in an
 * acknowledgement; this registry helps with the rest, and only on proof. The proof is complete when
 * a log's writer hears what has been {@link #subsumed}, and:
 *
 * <ul>
 *   <li>the segment has been listed by subsumed checkpoints only, so no retained one lists it, also
 *       where more than one is retained, and a restore takes a later one;
 *   <li>each of these failed, as far as has been heard. One of unknown outcome may have completed,
 *       and a part of the job may have been restored from it on other TaskManagers;
 *   <li>the job has not been restored from any of them, for then the logs that it restored list the
 *       segment in every checkpoint, and not through this registry. The writer is the witness
 *       ({@link OpenWriters}).
 * </ul>
 *
 * <p><b>When in doubt, the JobManager's.</b> It registers the segments of every acknowledgement it
 * receives, also of a checkpoint that fails later, and deletes them when no retained checkpoint
 * uses them. So a segment is handed over when a checkpoint with it has completed, or when the job
 * is restored from one; and when the outcome of a lower one was not heard by then, or by the
 * confirmation after that, as its notification may have been lost. What is pinned and not proven as
 * the job leaves stays, and so do the oldest of more than {@link #MAX_IN_DOUBT} of no log: the
 * JobManager knows them, or the command {@code dstl orphans} finds them.
 *
 * <p><b>One segment, one epoch.</b> The JobManager deletes a segment when no retained checkpoint
 * lists it, whatever a TaskManager plans to list later. All change sets of a segment must therefore
 * have been sealed by writers that were between the same two checkpoints: then each checkpoint that
 * completes lists the segment for every log that will ever list it. {@link #pin} refuses a segment
 * that the JobManager may have deleted.
 *
 * <p><b>Safe at any crash point, and after any pause.</b> An object is stored before it is
 * registered; pinned before its handle leaves the writer; released only when no later checkpoint
 * will list it; out of this registry before its deletion is queued. What a deletion rests on stays
 * true, however late it is carried out. The registry lives in memory: a crash forgets, and
 * forgetting deletes nothing. So a crash can leave an object that nothing refers to, never a handle
 * without its object.
 *
 * <p><b>Threading.</b> Thread-safe. Calls are short and never wait for I/O: deletions and listener
 * calls happen after the lock is left. No order of calls by different writers is assumed. The abort
 * of a checkpoint may come after the confirmation of a higher one: Flink sends it so where the
 * higher one has subsumed it. Before the confirmation after that one it still counts.
 *
 * <p><b>Failure.</b> A call with an unknown segment or writer, one release too many, and any call
 * after {@link #close} throws {@link IllegalStateException}, with the name; nothing has changed
 * then.
 */
public final class SegmentRegistry implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentRegistry.class);

    /**
     * Segments of no log that wait for a proof; about 3 MB. Only a backend that does not pass on
     * what is subsumed, which is Flink's own, comes to it.
     */
    static final int MAX_IN_DOUBT = 10_000;

    /** How far below the last that failed one is remembered, where none completes. */
    private static final int MAX_FAILED = 1000;

    /** Left behind together, so that it is said once. */
    private static final int LEFT_AT_ONCE = MAX_IN_DOUBT / 10;

    private final DeletionQueue deletions;
    private final RegistryListener listener;

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<PhysicalStateHandleID, TrackedSegment> segments = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final OpenWriters writers = new OpenWriters();

    /** Those in a handle, of no checkpoint that is known to have completed. */
    @GuardedBy("lock")
    private final Set<TrackedSegment> pinned = new LinkedHashSet<>();

    /** Of these, those of no log: what is left is to learn that they are not needed. */
    @GuardedBy("lock")
    private final Set<TrackedSegment> inDoubt = new LinkedHashSet<>();

    /** Checkpoints that have been pinned, of whose outcome nothing has been heard. */
    @GuardedBy("lock")
    private final NavigableSet<Long> awaited = new TreeSet<>();

    /** Checkpoints that failed after the last that completed, as a slow writer may yet pin them. */
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
     * The writer's task ended. Its references are released one by one as ever; what it has pinned
     * stays, since a checkpoint in flight may complete after the task is gone, or may have.
     */
    public void closeWriter(WriterId writer) {
        synchronized (lock) {
            checkOpen();
            writers.close(writer);
        }
    }

    /**
     * A segment has been stored; this TaskManager answers for it.
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
     * A checkpoint has these segments in its handle. To be called before the handle leaves the
     * writer. Called again with the same pin, adds to it. A pin without segments is one as well:
     * its confirmation tells of the checkpoints before.
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
     * The checkpoint has completed: its segments are the JobManager's, whichever writer pinned
     * them. So are those of checkpoints of which nothing has been heard and that are lower than the
     * one confirmed before. Without effect for one that was not pinned, as a savepoint, from which
     * no leader restores by itself.
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
     * The checkpoint has failed, says the JobManager, which may be wrong: this deletes nothing, and
     * counts once the checkpoint is {@link #subsumed}. Without effect for one that was not pinned.
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
     * All checkpoints that are retained, now or ever after, are higher than this one. Deletes the
     * segments of lower ones that this proves to be unneeded (see {@link SegmentRegistry}).
     *
     * @param witness who has heard it
     * @param checkpointId inclusive
     */
    public void subsumed(WriterId witness, long checkpointId) {
        DeferredNotifications deferredNotifications = new DeferredNotifications();
        synchronized (lock) {
            checkOpen();
            String reason = "checkpoint " + checkpointId + " was subsumed";
            handOverUnheard(checkpointId, reason, deferredNotifications);
            // A higher one has completed, or this would not have been subsumed.
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
     * higher one in flight will. To be called after {@link #openWriter}, before it pins.
     *
     * <p>Not to be called without a checkpoint: that a task restores nothing does not say that its
     * job does.
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
     * The job has left this TaskManager. Segments that no handle has ever listed are deleted,
     * referenced or not, as their logs are gone; the others are left in the store. Closing again
     * has no effect.
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

    /** How many segments are tracked: owned, or handed over and still part of a log. */
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

    /** Segments in a handle of a checkpoint, of none that is known to have completed. */
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

    /** Whether a checkpoint may that is pinned only now, and so has not been acknowledged. */
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
        inDoubt.forEach(segment -> segment.completed(checkpointId, since));
    }

    /**
     * Their notification may have been lost.
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

    /** Ends what we know of it; an object that a handle may list stays. */
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
                            + " that it knows, the command 'orphans' the others.",
                    deferredNotifications.countLeftBehind(),
                    deferredNotifications.bytesLeftBehind(),
                    occasion);
        }
    }
}
