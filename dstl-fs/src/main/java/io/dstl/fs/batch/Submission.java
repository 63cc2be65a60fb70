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
 * One change set handed in to be stored, by a writer that waits for the outcome.
 *
 * <p>Exactly one of {@link #stored} and {@link #failed} is called, once: on the thread that ends
 * the upload, or on that of whoever ends the waiting. Neither may block.
 */
public abstract class Submission {

    private final ChangeSet changes;
    private final Epoch epoch;
    private final long bytes;

    /**
     * @param changes stay the writer's; not released before the outcome is known
     * @param bytes that they take in a segment at most, uncompressed
     */
    protected Submission(ChangeSet changes, Epoch epoch, long bytes) {
        this.changes = requireNonNull(changes);
        this.epoch = requireNonNull(epoch);
        this.bytes = bytes;
    }

    final ChangeSet changes() {
        return changes;
    }

    final Epoch epoch() {
        return epoch;
    }

    final long bytes() {
        return bytes;
    }

    /**
     * Whether anybody may still need it to be stored. False is for ever. Any thread asks, holding
     * locks: it must not block, nor call out.
     */
    protected abstract boolean isWanted();

    /** Takes those out that nobody wants, and returns them: to be told, outside of all locks. */
    static List<Submission> takeUnwanted(List<Submission> waiting) {
        List<Submission> unwanted = new ArrayList<>();
        waiting.removeIf(each -> !each.isWanted() && unwanted.add(each));
        return unwanted;
    }

    /** It was taken out while it waited. */
    final void withdrawn() {
        failed(new CancellationException("Nobody needs the change set any more"));
    }

    /** The segment is stored and registered, with one reference for this change set. */
    protected abstract void stored(SegmentLocation location);

    /** Nothing of it is stored; it may be handed in again. */
    protected abstract void failed(Throwable cause);
}
