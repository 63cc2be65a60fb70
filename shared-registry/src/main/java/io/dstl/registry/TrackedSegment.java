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

import io.dstl.secret.Redaction.Redacted;
import java.util.OptionalLong;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One stored segment with its references, the checkpoints that list it and its {@link
 * SegmentState}.
 *
 * <p>Changes only itself: the {@link SegmentRegistry} guards it by its lock and decides.
 *
 * <p>A segment is in the log of a writer for a time, and in all checkpoints of that time. So the
 * lowest and the highest that pinned it represent all of them, and none that completed without it
 * (see {@link #checkStillThere}).
 */
final class TrackedSegment {

    private static final Logger LOG = LoggerFactory.getLogger(TrackedSegment.class);

    private final StreamStateHandle handle;
    private int references;

    /** The lowest and the highest checkpoint that has ever listed it. */
    private OptionalLong firstPinned = OptionalLong.empty();

    private OptionalLong lastPinned = OptionalLong.empty();

    /**
     * Whether a checkpoint has completed after all that list it, and none of these was restored.
     */
    private boolean outlived;

    private SegmentState state = SegmentState.OWNED;

    TrackedSegment(StreamStateHandle handle, int references) {
        if (references < 1) {
            throw new IllegalArgumentException(
                    "Segment " + Redacted.of(name(handle)) + " holds no change set: " + references);
        }
        this.handle = requireNonNull(handle);
        this.references = references;
    }

    static PhysicalStateHandleID name(StreamStateHandle handle) {
        return handle.getStreamStateHandleID();
    }

    StreamStateHandle handle() {
        return handle;
    }

    PhysicalStateHandleID name() {
        return name(handle);
    }

    /** Its name for messages. */
    private Redacted shown() {
        return Redacted.of(name());
    }

    SegmentState state() {
        return state;
    }

    boolean isReferenced() {
        return references > 0;
    }

    void release() {
        if (references == 0) {
            throw new IllegalStateException(
                    "Segment " + shown() + " released more often than it holds change sets");
        }
        references--;
    }

    void pin(long checkpointId) {
        firstPinned = OptionalLong.of(Math.min(firstPinned.orElse(checkpointId), checkpointId));
        lastPinned = OptionalLong.of(Math.max(lastPinned.orElse(checkpointId), checkpointId));
        outlived = false;
    }

    /**
     * A witness reports that a checkpoint has completed.
     *
     * @param witnessSince the job has not been restored from any later checkpoint
     */
    void completed(long checkpointId, long witnessSince) {
        outlived |=
                firstPinned.isPresent()
                        && firstPinned.getAsLong() > witnessSince
                        && lastPinned.getAsLong() < checkpointId;
    }

    /** Whether neither a retained checkpoint nor a restored log lists it. */
    boolean isUnneeded(long subsumed) {
        return outlived && lastPinned.getAsLong() <= subsumed;
    }

    /** Whether this checkpoint lists it, or may. */
    boolean isListedBy(long checkpointId) {
        return firstPinned.isPresent()
                && firstPinned.getAsLong() <= checkpointId
                && checkpointId <= lastPinned.getAsLong();
    }

    /**
     * Throws if the JobManager may have deleted the segment: a checkpoint has completed without it
     * after an earlier one had listed it.
     */
    void checkStillThere(CheckpointPin pin, OptionalLong lastConfirmed) {
        if (lastPinned.isPresent()
                && lastConfirmed.isPresent()
                && lastPinned.getAsLong() < lastConfirmed.getAsLong()
                && lastConfirmed.getAsLong() < pin.checkpointId()) {
            throw new IllegalStateException(
                    "Segment "
                            + shown()
                            + " can't be part of "
                            + pin
                            + ": the JobManager may have deleted it, as checkpoint "
                            + lastConfirmed.getAsLong()
                            + " completed without it after checkpoint "
                            + lastPinned.getAsLong()
                            + " had listed it. Its change sets are not of one epoch.");
        }
    }

    void become(SegmentState next, String reason) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException(
                    "Segment "
                            + shown()
                            + " can't go from "
                            + state
                            + " to "
                            + next
                            + ": "
                            + reason);
        }
        LOG.debug("Segment {}: {} -> {}: {}", shown(), state, next, reason);
        state = next;
    }

    @Override
    public String toString() {
        return shown()
                + " ("
                + state
                + ", "
                + references
                + " references, in checkpoints "
                + firstPinned
                + " to "
                + lastPinned
                + ")";
    }

    /**
     * The owner of a stored segment.
     *
     * <pre>
     *                register
     *                   |
     *                   v       in a handle                 confirmed, or maybe completed
     *                 OWNED ---------------&gt; PINNED ----------------------&gt; HANDED_OVER
     *                   |                     |   |                              |
     *      no reference |     no reference,   |   | the job leaves this          | no reference
     *                   |     and subsumed    |   | TaskManager, or too many     |
     *                   v                     v   v                              v
     *                DELETED &lt;----------------+   +----------------------&gt; FORGOTTEN
     * </pre>
     */
    enum SegmentState {
        /** No handle has listed it: this TaskManager deletes it when no log needs it any more. */
        OWNED,

        /**
         * A handle lists it, so a completed checkpoint may, whatever is reported of its outcome:
         * deleted only when all checkpoints that listed it are known to be subsumed.
         */
        PINNED,

        /** The JobManager owns it, as a checkpoint refers to it; tracked while a log needs it. */
        HANDED_OVER,

        /** Nobody needs it: its deletion has been queued. Final. */
        DELETED,

        /** Not tracked any more, and not deleted by this TaskManager. Final. */
        FORGOTTEN;

        boolean mayBecome(SegmentState next) {
            switch (this) {
                case OWNED:
                    return next == PINNED || next == DELETED;
                case PINNED:
                    return next == HANDED_OVER || next == DELETED || next == FORGOTTEN;
                case HANDED_OVER:
                    return next == FORGOTTEN;
                default:
                    return false;
            }
        }
    }
}
