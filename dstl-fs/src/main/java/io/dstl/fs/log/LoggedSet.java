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

import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.segment.SegmentEncoder;
import java.util.Locale;
import java.util.Optional;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One change set of a log: its number, how far it has come, and who needs it. Needed by the log
 * from the start, until truncated, and by each persist that is under way, so that a truncation in
 * between takes nothing away from a checkpoint.
 *
 * <p>Guarded by the lock of its {@link SealedLog}, but for {@link #isNeeded}; acts on nothing but
 * itself.
 */
final class LoggedSet {

    /** How far a change set has come. */
    enum State {
        /** Held in memory; not handed to upload, or handed and failed. */
        SEALED,
        /** Handed to upload, outcome open. */
        UPLOADING,
        /** In a segment; the memory is given back. */
        STORED,
        /** Needed by nobody; its segment's reference or its memory is given back. */
        RELEASED
    }

    private static final Logger LOG = LoggerFactory.getLogger(LoggedSet.class);

    private final SequenceNumber number;
    private final ChangeSet changes;
    private final long bytes;
    private final long heldBytes;
    private long storedBytes;
    private State state = State.SEALED;
    private SegmentLocation location;
    private Optional<SegmentLocation> backup = Optional.empty();
    private int needs = 1;
    private volatile boolean needed = true;
    private boolean inFlight;
    private boolean kept;
    private boolean reported;

    LoggedSet(SequenceNumber number, ChangeSet changes) {
        this.number = number;
        this.changes = changes;
        this.bytes = SegmentEncoder.mostBytes(changes);
        this.heldBytes = changes.heldBytes();
    }

    SequenceNumber number() {
        return number;
    }

    ChangeSet changes() {
        return changes;
    }

    /** In a segment, uncompressed, with all changes. */
    long bytes() {
        return bytes;
    }

    /** Of heap: what it counts while it is in memory. */
    long heldBytes() {
        return heldBytes;
    }

    /** In its segment, uncompressed, without void changes; only when it is stored. */
    long storedBytes() {
        return storedBytes;
    }

    State state() {
        return state;
    }

    boolean isStored() {
        return state == State.STORED;
    }

    /** Where it is stored; only when it is. */
    SegmentLocation location() {
        if (location == null) {
            throw new IllegalStateException(this + " is not stored");
        }
        return location;
    }

    /** Where it is on the local disk too, if it is. */
    Optional<SegmentLocation> backup() {
        return backup;
    }

    /** Where a task that restarts here reads it best; only when it is stored. */
    SegmentLocation nearest() {
        return backup.orElseGet(this::location);
    }

    void need() {
        needs++;
    }

    /** One that needed it does not any more. */
    void dismiss() {
        if (needs == 0) {
            throw new IllegalStateException(this + " dismissed more often than needed");
        }
        needs--;
        needed = needs > 0;
    }

    /**
     * Whether the log or a persist needs it. Who has none of either can't get one: it stays false.
     * Any thread.
     */
    boolean isNeeded() {
        return needed;
    }

    /** Whether it is on its way and nobody needs it to arrive. */
    boolean isUploadedForNobody() {
        return needs == 0 && state == State.UPLOADING;
    }

    /** Whether nobody needs it and no upload is under way: it can be released. */
    boolean isDisposable() {
        return needs == 0 && (state == State.SEALED || state == State.STORED);
    }

    void uploading() {
        become(State.UPLOADING, "handed to upload");
    }

    void stored(SegmentLocation where, Optional<SegmentLocation> kept) {
        location = where;
        backup = kept;
        storedBytes = SegmentEncoder.encodedBytes(changes);
        become(State.STORED, "stored");
    }

    void failed(Throwable cause) {
        kept = true;
        become(State.SEALED, cause);
    }

    /** Keeps it no more. True once after each failure: it was kept until then. */
    boolean keepNoMore() {
        boolean was = kept;
        kept = false;
        return was;
    }

    void released() {
        become(State.RELEASED, "nobody needs it");
    }

    /**
     * @param reason not shown unless somebody reads it: of a failure that may throw
     */
    private void become(State next, Object reason) {
        boolean legal;
        switch (state) {
            case SEALED:
                legal = next == State.UPLOADING || next == State.RELEASED;
                break;
            case UPLOADING:
                legal = next == State.STORED || next == State.SEALED;
                break;
            case STORED:
                legal = next == State.RELEASED;
                break;
            default:
                legal = false;
                break;
        }
        if (!legal) {
            throw new IllegalStateException(this + " can't become " + next + ": " + reason);
        }
        LOG.trace("{} -> {}: {}", this, next, reason);
        state = next;
    }

    /** True once: at the first call. Its bytes count against the limit from then on. */
    boolean enterFlight() {
        boolean first = !inFlight;
        inFlight = true;
        return first;
    }

    /** True once, if it was in flight. */
    boolean leaveFlight() {
        boolean was = inFlight;
        inFlight = false;
        return was;
    }

    /** True once: at the first call. Its bytes are an increment of the first checkpoint only. */
    boolean markReported() {
        boolean first = !reported;
        reported = true;
        return first;
    }

    /** Whether a handle lists it. */
    boolean isReported() {
        return reported;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "change set %s (%s, %d bytes)", number, state, bytes);
    }
}
