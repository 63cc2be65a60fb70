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

import io.dstl.fs.arena.ChangeSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Change sets of one epoch that share a segment. They wait for more of them, then in the {@link
 * Backlog} if the store does not keep up.
 *
 * <p>Tells each submission of the outcome, whatever fails: one that is left out waits for ever.
 * That makes no object, as memory may be short.
 *
 * <p>Guarded by its batcher's lock while it waits; then of the thread that stores it. Open for a
 * test alone, of a failure that nothing else can cause.
 */
class Batch {

    private static final Logger LOG = LoggerFactory.getLogger(Batch.class);

    private final Epoch epoch;
    private final List<Submission> submissions = new ArrayList<>();
    private long bytes;
    private Optional<Future<?>> timer = Optional.empty();
    private long arrival;

    Batch(Epoch epoch) {
        this.epoch = epoch;
    }

    Epoch epoch() {
        return epoch;
    }

    void add(Submission submission) {
        submissions.add(submission);
        bytes += submission.bytes();
    }

    /** Adds those of another batch of this epoch. */
    void addAll(Batch other) {
        submissions.addAll(other.submissions);
        bytes += other.bytes;
    }

    List<Submission> submissions() {
        return submissions;
    }

    List<ChangeSet> changes() {
        return submissions.stream().map(Submission::changes).collect(Collectors.toList());
    }

    int size() {
        return submissions.size();
    }

    boolean isEmpty() {
        return submissions.isEmpty();
    }

    /** Upper bound of the size in a segment, uncompressed. */
    long bytes() {
        return bytes;
    }

    /** Removes and returns the unwanted submissions. */
    List<Submission> takeUnwanted() {
        List<Submission> unwanted = Submission.takeUnwanted(submissions);
        unwanted.forEach(each -> bytes -= each.bytes());
        return unwanted;
    }

    /** Nothing of it is stored. */
    void failed(Throwable cause) {
        for (int i = 0; i < submissions.size(); i++) {
            try {
                submissions.get(i).failed(cause);
            } catch (Throwable t) {
                goOnAfter(t);
            }
        }
    }

    /**
     * @param locations of the submissions, in their order
     */
    void stored(List<SegmentLocation> locations) {
        for (int i = 0; i < submissions.size(); i++) {
            try {
                submissions.get(i).stored(locations.get(i));
            } catch (Throwable t) {
                goOnAfter(t);
            }
        }
    }

    /** Ends the wait of these. */
    static void withdrawn(List<Submission> unwanted) {
        for (int i = 0; i < unwanted.size(); i++) {
            try {
                unwanted.get(i).withdrawn();
            } catch (Throwable t) {
                goOnAfter(t);
            }
        }
    }

    private static void goOnAfter(Throwable failure) {
        try {
            LOG.error("A writer failed at the outcome of an upload", failure);
        } catch (Throwable t) {
            // The others are told all the same.
        }
    }

    void flushBy(Future<?> newTimer) {
        timer = Optional.of(newTimer);
    }

    void cancelTimer() {
        timer.ifPresent(pending -> pending.cancel(false));
    }

    /** Its place in the backlog among batches of its epoch. */
    long arrival() {
        return arrival;
    }

    void arrives(long place) {
        arrival = place;
    }
}
