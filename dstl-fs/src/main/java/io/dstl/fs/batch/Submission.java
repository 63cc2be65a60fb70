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
package io.dstl.fs.batch;

import static java.util.Objects.requireNonNull;

import io.dstl.fs.arena.ChangeSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

/**
 * One change set submitted for storage by a writer that waits for the outcome.
 *
 * <p>Exactly one of {@link #stored} and {@link #failed} is called, once: on the thread that ends
 * the upload or the wait. Neither may block.
 */
public abstract class Submission {

    private final ChangeSet changes;
    private final long bytes;

    /**
     * @param changes owned by the writer; not released before the outcome is known
     * @param bytes upper bound of their size in a segment, uncompressed
     */
    protected Submission(ChangeSet changes, long bytes) {
        this.changes = requireNonNull(changes);
        this.bytes = bytes;
    }

    public final ChangeSet changes() {
        return changes;
    }

    /** Upper bound of its size in a segment, uncompressed, with all changes. */
    public final long bytes() {
        return bytes;
    }

    /** Stays the same from the submission to the outcome. */
    protected abstract Epoch epoch();

    /**
     * Whether anybody may still need this change set stored. Once false, always false. Any thread,
     * also under locks: must neither block nor call back.
     */
    protected abstract boolean isWanted();

    /** Removes the unwanted ones and returns them: notify these outside of all locks. */
    static List<Submission> takeUnwanted(List<Submission> waiting) {
        List<Submission> unwanted = new ArrayList<>();
        waiting.removeIf(each -> !each.isWanted() && unwanted.add(each));
        return unwanted;
    }

    /** The change set was removed while it waited. */
    final void withdrawn() {
        Throwable cause;
        try {
            cause = new CancellationException("Nobody needs the change set any more");
        } catch (OutOfMemoryError e) {
            cause = e;
        }
        failed(cause);
    }

    /** The segment is stored and registered, with one reference for this change set. */
    protected abstract void stored(SegmentLocation location);

    /** Nothing of it is stored; it may be submitted again. */
    protected abstract void failed(Throwable cause);
}
