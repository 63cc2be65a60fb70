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
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who on this TaskManager still needs a stored segment, and who answers for it: one registry per
 * job and TaskManager, shared by the logs of all its tasks.
 *
 * <p><b>Owns</b> the counts, the pins and the decision to delete. <b>Does not own</b> the way of
 * deletion ({@link SegmentDeleter}), its threads ({@link DeletionQueue}), nor any segment that was
 * not stored by this TaskManager: those of a restored handle are the JobManager's from the start.
 *
 * <p><b>What keeps a segment.</b> A <i>reference</i> for each change set in it that is part of a
 * log ({@link #register}, {@link #release}); a <i>pin</i> for each checkpoint in flight with the
 * segment in its handle ({@link #pin}). Once a checkpoint has completed, the JobManager's {@code
 * SharedStateRegistry} answers for its segments and this one never deletes them. See {@link
 * SegmentState} for the life of a segment.
 *
 * <p><b>When in doubt, the JobManager's.</b> It registers the segments of every acknowledgement it
 * receives, also of a checkpoint that fails later, and deletes them when no retained checkpoint
 * uses them. So a segment is handed over whenever its checkpoint <i>may</i> have completed: when a
 * higher one of the same writer did (the notification may have been lost), or when its writer has
 * closed and the job is restored from the same or a later checkpoint. Only an explicit abort, or a
 * restore from an earlier checkpoint, gives a segment back to the count.
 *
 * <p><b>Nobody's segments.</b> A segment is deleted as soon as no later checkpoint can list it and
 * none that may have completed does. For one whose checkpoint was aborted that is when its log is
 * truncated, at the next checkpoint with a newer base: until then the next checkpoint lists it. An
 * abort that another writer hears of frees nothing of a closed one: Flink reports a checkpoint as
 * aborted also where its high-availability store gave no clear answer, and may restore from it; the
 * log of a live writer outlasts that, that of a closed one does not. What is pinned as the job
 * leaves stays: whether the JobManager has completed that checkpoint is nowhere to be learned. It
 * is then the JobManager's, or nobody's, and the command {@code dstl orphans} tells which.
 *
 * <p><b>One segment, one epoch.</b> The JobManager deletes a segment when no retained checkpoint
 * lists it, whatever a TaskManager plans to list later. All change sets of a segment must therefore
 * have been sealed by writers that were between the same two checkpoints: then each checkpoint that
 * completes lists the segment for every log that will ever list it. {@link #pin} refuses a segment
 * that the JobManager may have deleted.
 *
 * <p><b>Safe at any crash point.</b> An object is stored before it is registered; pinned before its
 * handle leaves the writer; released only when no later checkpoint will list it; out of this
 * registry before its deletion is queued. The registry lives in memory: a crash forgets, and
 * forgetting deletes nothing. So a crash can leave an object that nothing refers to, never a handle
 * without its object.
 *
 * <p><b>Threading.</b> Thread-safe. Calls are short and never wait for I/O: deletions and listener
 * calls happen after the lock is left. No order of calls by different writers is assumed.
 *
 * <p><b>Failure.</b> A call with an unknown segment or writer, one release too many, and any call
 * after {@link #close} throws {@link IllegalStateException}, with the name; nothing has changed
 * then.
 */
public final class SegmentRegistry implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentRegistry.class);

    private final DeletionQueue deletions;
    private final RegistryListener listener;

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<PhysicalStateHandleID, TrackedSegment> segments = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final PinTable pins = new PinTable();

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
            pins.openWriter(writer);
        }
    }

    /**
     * The writer's task ended. Its references are released one by one as ever; its pins stay, since
     * a checkpoint in flight may complete after the task is gone. They end by the completion of the
     * same or a higher checkpoint of another writer ({@link #confirm}), by {@link #restored} or
     * {@link #close}.
     */
    public void closeWriter(WriterId writer) {
        synchronized (lock) {
            checkOpen();
            pins.closeWriter(writer);
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
                        "Segment " + Shown.of(tracked.name()) + " is registered already");
            }
            liveBytes += segment.getStateSize();
        }
        listener.registered(segment);
    }

    /** One change set of the segment has left its log: truncated, or its writer closed. */
    public void release(StreamStateHandle segment) {
        Outbox outbox = new Outbox();
        synchronized (lock) {
            checkOpen();
            TrackedSegment tracked = tracked(segment);
            tracked.release();
            settle(tracked, "no log needs it", outbox);
        }
        outbox.send(deletions, listener);
    }

    /**
     * A checkpoint has these segments in its handle. To be called before the handle leaves the
     * writer. Called again with the same pin, adds to it. A pin without segments is one as well:
     * its confirmation ends the writer's earlier pins.
     */
    public void pin(CheckpointPin pin, Collection<? extends StreamStateHandle> pinned) {
        synchronized (lock) {
            checkOpen();
            List<TrackedSegment> tracked = new ArrayList<>(pinned.size());
            for (StreamStateHandle segment : pinned) {
                TrackedSegment known = tracked(segment);
                known.checkStillThere(pin, lastConfirmed);
                tracked.add(known);
            }
            pins.add(pin, tracked);
        }
    }

    /**
     * The checkpoint has completed: its segments are the JobManager's. So are those of lower
     * checkpoints of this writer, and of closed writers, which have completed before or have been
     * subsumed. Without effect for an unknown pin: a savepoint's, or one that has ended.
     */
    public void confirm(CheckpointPin pin) {
        Outbox outbox = new Outbox();
        synchronized (lock) {
            checkOpen();
            if (pins.holds(pin)) {
                long higher = Math.max(lastConfirmed.orElse(0), pin.checkpointId());
                lastConfirmed = OptionalLong.of(higher);
                handOver(pins.takeUpTo(pin), "confirmed by " + pin, outbox, outbox::handOver);
                handOver(
                        pins.takeOrphanedUpTo(pin.checkpointId()),
                        "writer closed, then confirmed by " + pin,
                        outbox,
                        outbox::handOver);
            }
        }
        outbox.send(deletions, listener);
    }

    /** The checkpoint will not complete. Without effect for an unknown pin. */
    public void abort(CheckpointPin pin) {
        Outbox outbox = new Outbox();
        synchronized (lock) {
            checkOpen();
            unpin(pins.take(pin), "aborted " + pin, outbox);
        }
        outbox.send(deletions, listener);
    }

    /**
     * The job has been restored from this checkpoint. What closed writers had in flight for a
     * higher one can never complete and goes back to the count; for this one or a lower one, it may
     * be in a retained checkpoint and is left to the JobManager.
     *
     * <p>Not to be called without a checkpoint: that a task restores nothing does not say that its
     * job does. What the writers of a job that starts anew had in flight stays until {@link
     * #confirm} or {@link #close}.
     */
    public void restored(long checkpointId) {
        Outbox outbox = new Outbox();
        synchronized (lock) {
            checkOpen();
            unpin(
                    pins.takeOrphanedAbove(checkpointId),
                    "restored from checkpoint " + checkpointId + ", an earlier one",
                    outbox);
            handOver(
                    pins.takeOrphanedUpTo(checkpointId),
                    "restored from checkpoint " + checkpointId + ", the same or a later one",
                    outbox,
                    outbox::leaveBehind);
        }
        report(outbox, "the job was restored from checkpoint " + checkpointId);
        outbox.send(deletions, listener);
    }

    /**
     * The job has left this TaskManager. Segments that no checkpoint in flight refers to are
     * deleted, referenced or not, as their logs are gone; the others are left in the store. Closing
     * again has no effect.
     */
    @Override
    public void close() {
        Outbox outbox = new Outbox();
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            for (TrackedSegment segment : segments.values()) {
                end(segment, "the job has left this TaskManager", outbox);
            }
            segments.clear();
            liveBytes = 0;
        }
        report(outbox, "the job has left this TaskManager");
        outbox.send(deletions, listener);
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

    /** Segments that a checkpoint in flight has in its handle. */
    public int pinnedSegments() {
        synchronized (lock) {
            return (int) segments.values().stream().filter(TrackedSegment::isPinned).count();
        }
    }

    @GuardedBy("lock")
    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException(
                    "The segment registry is closed, as the job has left this TaskManager");
        }
    }

    @GuardedBy("lock")
    private TrackedSegment tracked(StreamStateHandle segment) {
        TrackedSegment tracked = segments.get(TrackedSegment.name(segment));
        if (tracked == null) {
            throw new IllegalStateException(
                    "Segment "
                            + Shown.of(TrackedSegment.name(segment))
                            + " is not registered: not stored by this TaskManager, or deleted, or"
                            + " handed over and truncated");
        }
        return tracked;
    }

    @GuardedBy("lock")
    private void handOver(
            List<TrackedSegment> unpinned,
            String reason,
            Outbox outbox,
            Consumer<TrackedSegment> announcement) {
        for (TrackedSegment segment : unpinned) {
            segment.unpin();
            if (segment.state() == SegmentState.OWNED) {
                segment.become(SegmentState.HANDED_OVER, reason);
                announcement.accept(segment);
            }
            settle(segment, reason, outbox);
        }
    }

    @GuardedBy("lock")
    private void unpin(List<TrackedSegment> unpinned, String reason, Outbox outbox) {
        for (TrackedSegment segment : unpinned) {
            segment.unpin();
            settle(segment, reason, outbox);
        }
    }

    @GuardedBy("lock")
    private void settle(TrackedSegment segment, String reason, Outbox outbox) {
        if (segment.isNeeded()) {
            return;
        }
        segments.remove(segment.name());
        liveBytes -= segment.handle().getStateSize();
        end(segment, reason, outbox);
    }

    @GuardedBy("lock")
    private void end(TrackedSegment segment, String reason, Outbox outbox) {
        if (segment.state() == SegmentState.HANDED_OVER) {
            segment.become(SegmentState.FORGOTTEN, reason);
        } else if (segment.isPinned()) {
            segment.become(SegmentState.FORGOTTEN, reason + ", still pinned");
            outbox.leaveBehind(segment);
        } else {
            segment.become(SegmentState.DELETED, reason);
            outbox.delete(segment);
        }
    }

    private static void report(Outbox outbox, String occasion) {
        if (outbox.countLeftBehind() > 0) {
            LOG.info(
                    "Left {} segments of {} bytes to the JobManager as {}: checkpoints of closed"
                            + " writers may refer to them. Those that none refers to stay in the"
                            + " store.",
                    outbox.countLeftBehind(),
                    outbox.bytesLeftBehind(),
                    occasion);
        }
    }
}
