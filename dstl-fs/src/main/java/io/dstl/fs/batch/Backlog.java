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

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.concurrent.CancellationException;
import org.apache.flink.util.ExceptionUtils;

/**
 * The queue of batches that wait after a failure, or because the store is slower than they come:
 * decides which goes next, and when.
 *
 * <p>While the store keeps up, each batch is stored as it comes. With {@link #MOST} under way, it
 * does not keep up: more would only wait elsewhere. After a put has used up its attempts, only a
 * few are under way at a time. Otherwise the whole backlog of an outage would share the link that
 * comes back, and the longest waiting checkpoint would end with the last batch. Each stored segment
 * makes room for one more, so that a job that needs more concurrency soon has it; when the queue is
 * empty, this bound ends.
 *
 * <p><b>Waiting batches of one epoch</b> share a segment, up to the size at which a batch is full:
 * the slower the store, the fewer its requests.
 *
 * <p><b>Order.</b> By epoch, since the oldest checkpoint waits for the first ones. Batches of one
 * epoch go in order of arrival: the checkpoint needs all of them.
 *
 * <p><b>Unwanted change sets</b> do not wait: in an outage a job may restart several times, and the
 * change sets of its dead attempts would fill the heap and go ahead of those of the live attempt.
 * Uploads under way run to their end, with all change sets of their segment.
 *
 * <p>Guarded by the lock of its {@link SegmentBatcher}.
 */
final class Backlog {

    /** Limit of concurrent puts: about as many connections as clients keep. */
    static final int MOST = 64;

    private final int few;
    private final long fullBytes;
    private final PriorityQueue<Batch> waiting =
            new PriorityQueue<>(
                    Comparator.comparing(Batch::epoch).thenComparingLong(Batch::arrival));
    private long arrivals;
    private int underWay;

    /** Limit of concurrent puts, if lower than {@link #MOST}. */
    private OptionalInt bound = OptionalInt.empty();

    /**
     * @param few the number of concurrent puts after one has failed; at least 1
     * @param fullBytes most bytes of a segment made of several batches; uncompressed
     */
    Backlog(int few, long fullBytes) {
        this.few = few;
        this.fullBytes = fullBytes;
    }

    /**
     * Whether to store a batch now: then it is under way. If not, it waits.
     *
     * @param batch not empty
     */
    boolean takesTurn(Batch batch) {
        boolean turn = waiting.isEmpty() && hasRoom();
        if (turn) {
            underWay++;
        } else {
            batch.arrives(arrivals++);
            waiting.add(batch);
        }
        return turn;
    }

    /** The next batch to store, if one may be stored: then it is under way. */
    Optional<Batch> next() {
        if (waiting.isEmpty() || !hasRoom()) {
            return Optional.empty();
        }
        Batch first = waiting.remove();
        try {
            takeInto(first);
            Optional<Batch> next = Optional.of(first);
            underWay++;
            return next;
        } catch (Throwable t) {
            // Out of memory. The queue has its place still.
            waiting.add(first);
            throw t;
        }
    }

    /** Takes the batches that share a segment with this one. */
    private void takeInto(Batch first) {
        while (!waiting.isEmpty()
                && waiting.peek().epoch().equals(first.epoch())
                && first.bytes() + waiting.peek().bytes() <= fullBytes) {
            first.addAll(waiting.peek());
            waiting.remove();
        }
    }

    /** A put has ended: the batch is stored, or its writers know of the failure. */
    void ended(Optional<Throwable> error) {
        underWay--;
        if (error.isEmpty()) {
            bound =
                    waiting.isEmpty() || !bound.isPresent()
                            ? OptionalInt.empty()
                            : OptionalInt.of(bound.getAsInt() + 1);
        } else if (!isGivenUp(error.get())) {
            bound = OptionalInt.of(few);
        }
    }

    private static boolean isGivenUp(Throwable error) {
        return ExceptionUtils.stripCompletionException(error) instanceof CancellationException;
    }

    private boolean hasRoom() {
        return underWay < Math.min(bound.orElse(MOST), MOST);
    }

    /** Removes and returns the unwanted submissions; the others keep their places. */
    List<Submission> takeUnwanted() {
        List<Submission> unwanted = new ArrayList<>();
        for (Batch batch : waiting) {
            unwanted.addAll(batch.takeUnwanted());
        }
        waiting.removeIf(Batch::isEmpty);
        return unwanted;
    }

    /** Number of change sets that wait at the moment. */
    int size() {
        return waiting.stream().mapToInt(Batch::size).sum();
    }
}
