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
import io.dstl.fs.batch.Epoch;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.batch.Submission;
import io.dstl.fs.segment.SegmentEncoder;
import java.util.Locale;
import java.util.Optional;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One change set of a log: its number, its state, and how many need it. The log needs it until it
 * is truncated, and so does each persist under way: a truncation in between takes nothing away from
 * a checkpoint.
 *
 * <p>Guarded by the lock of its {@link SealedLog}, except {@link #leave} and what it is as a
 * submission. Changes only itself, and passes the outcome of an upload on to its log.
 */
final class LoggedSet extends Submission {

    /** The stages of a change set. */
    enum State {
        /** Held in memory; not handed to upload, or the upload failed. */
        SEALED,
        /** Handed to upload, outcome open. */
        UPLOADING,
        /** In a segment; its memory has been freed. */
        STORED,
        /** No longer needed; its segment's reference or its memory has been released. */
        RELEASED
    }

    private static final Logger LOG = LoggerFactory.getLogger(LoggedSet.class);

    private final SequenceNumber number;
    private final SealedLog log;
    private final long heldBytes;
    private long contentBytes;
    private State state = State.SEALED;
    private Epoch epoch;
    private SegmentLocation location;
    private Optional<SegmentLocation> backup = Optional.empty();
    private int needs = 1;
    private volatile boolean needed = true;
    private boolean inFlight;
    private boolean kept;
    private boolean reported;

    LoggedSet(SequenceNumber number, ChangeSet changes, SealedLog log) {
        super(changes, SegmentEncoder.mostBytes(changes));
        this.number = number;
        this.log = log;
        this.heldBytes = changes.heldBytes();
    }

    SequenceNumber number() {
        return number;
    }

    /** Heap that it holds while it is in memory. */
    long heldBytes() {
        return heldBytes;
    }

    /** Its size in its segment, uncompressed, without void changes; only when it is stored. */
    long contentBytes() {
        return contentBytes;
    }

    State state() {
        return state;
    }

    boolean isStored() {
        return state == State.STORED;
    }

    /** Its place in the store; only when it is stored. */
    SegmentLocation location() {
        if (location == null) {
            throw new IllegalStateException(this + " is not stored");
        }
        return location;
    }

    /** Its place on the local disk, if it has a backup. */
    Optional<SegmentLocation> backup() {
        return backup;
    }

    /** The best place for a task that restarts here to read it from; only when it is stored. */
    SegmentLocation nearest() {
        return backup.orElseGet(this::location);
    }

    void need() {
        needs++;
    }

    /** One log or persist no longer needs it. */
    void dismiss() {
        if (needs == 0) {
            throw new IllegalStateException(this + " dismissed more often than needed");
        }
        needs--;
        needed = needs > 0;
    }

    /** Whether the log or a persist needs it. Once false, it stays false: no new need can arise. */
    @Override
    protected boolean isWanted() {
        return needed;
    }

    /** That of its last upload. */
    @Override
    protected Epoch epoch() {
        return epoch;
    }

    @Override
    protected void stored(SegmentLocation where) {
        log.stored(this, where);
    }

    @Override
    protected void failed(Throwable cause) {
        log.uploadFailed(this, cause);
    }

    /** Whether it is being uploaded and nobody needs it. */
    boolean isUploadedForNobody() {
        return needs == 0 && state == State.UPLOADING;
    }

    /** Whether it can be released: nobody needs it, and no upload is under way. */
    boolean isDisposable() {
        return needs == 0 && (state == State.SEALED || state == State.STORED);
    }

    /**
     * @param ofUpload the epoch of the first checkpoint whose handle will list it
     */
    void uploading(Epoch ofUpload) {
        become(State.UPLOADING, "handed to upload");
        epoch = ofUpload;
    }

    /** Whether {@link #storedAt} was called, also if that failed. */
    boolean hasLocation() {
        return location != null;
    }

    void storedAt(SegmentLocation where, Optional<SegmentLocation> kept) {
        location = where;
        backup = kept;
        contentBytes = SegmentEncoder.encodedBytes(changes());
        become(State.STORED, "stored");
    }

    /**
     * The upload has failed.
     *
     * @return whether this is its first failure: from then on it counts as kept, also while it is
     *     sent again
     */
    boolean sealedAgain(Throwable cause) {
        boolean first = !kept;
        kept = true;
        become(State.SEALED, cause);
        return first;
    }

    /** Its bytes, or 0 if an upload of it has failed. */
    long neverSentBytes() {
        return kept ? 0 : changes().bytes();
    }

    void released() {
        become(State.RELEASED, "nobody needs it");
    }

    /**
     * @param reason converted to text only for output: the conversion of a failure may throw
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

    /** True at the first call only. From then on its bytes count against the limit. */
    boolean enterFlight() {
        boolean first = !inFlight;
        inFlight = true;
        return first;
    }

    /** Its memory is freed, so its bytes count no more. Once, after the lock. */
    void leave(InFlightLimit.Share limit) {
        try {
            if (kept) {
                limit.keepNoMore(heldBytes());
            }
            if (hasLocation()) {
                limit.stored();
            }
        } finally {
            if (inFlight) {
                limit.remove(heldBytes());
            }
        }
    }

    /** True at the first call only: its bytes are an increment of the first checkpoint only. */
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
        return String.format(Locale.ROOT, "change set %s (%s, %d bytes)", number, state, bytes());
    }
}
