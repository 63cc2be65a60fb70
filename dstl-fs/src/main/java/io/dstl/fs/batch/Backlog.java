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
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.concurrent.CancellationException;
import org.apache.flink.util.ExceptionUtils;

/**
 * The line of batches that are held back behind a failure, and where the store is slower than they
 * come: says which goes next, and when.
 *
 * <p>As long as the store keeps up, each batch is stored as it comes. With {@link #MOST} under way
 * it does not: more would only wait elsewhere. From the first put on that has used up its attempts,
 * a few are under way at a time: all that has piled up in an outage would share the link that comes
 * back, and the checkpoint that has waited longest would be done with the last of them. Each
 * segment stored makes room for one more, so that a job that needs more at a time has them soon;
 * and when nothing waits any more there is no other bound.
 *
 * <p><b>What has waited together</b> and is of one epoch shares a segment, up to the size at which
 * a batch is full: the slower the store, the fewer its requests.
 *
 * <p><b>Order.</b> By epoch, as what the oldest checkpoint waits for is of the first ones. Those of
 * one epoch go as they came: the checkpoint needs all of them.
 *
 * <p><b>What nobody wants any more</b> does not wait: in an outage a job may restart several times,
 * and what its dead attempts have left would fill the heap, and be sent ahead of what the live one
 * needs. What is under way already is left to end, as is what it shares a segment with.
 *
 * <p>Guarded by the lock of its {@link SegmentBatcher}.
 */
final class Backlog {

    /** Under way at a time: about as many connections as clients keep. */
    static final int MOST = 64;

    private final int few;
    private final long fullBytes;
    private final PriorityQueue<Waiting> waiting = new PriorityQueue<>();
    private long arrivals;
    private int underWay;

    /** How many may be under way, if fewer than {@link #MOST}. */
    private OptionalInt bound = OptionalInt.empty();

    /**
     * @param few puts that are under way at a time after one has failed; at least 1
     * @param fullBytes of a segment that is made of several batches, at most; uncompressed
     */
    Backlog(int few, long fullBytes) {
        this.few = few;
        this.fullBytes = fullBytes;
    }

    /** A batch, not empty, and its place in the line. */
    private static final class Waiting implements Comparable<Waiting> {

        private final List<Submission> batch;
        private final Epoch epoch;
        private final long arrival;

        private Waiting(List<Submission> batch, long arrival) {
            this.batch = batch;
            this.epoch = batch.get(0).epoch();
            this.arrival = arrival;
        }

        private long bytes() {
            return batch.stream().mapToLong(Submission::bytes).sum();
        }

        @Override
        public int compareTo(Waiting other) {
            int byEpoch = epoch.compareTo(other.epoch);
            return byEpoch != 0 ? byEpoch : Long.compare(arrival, other.arrival);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Waiting && ((Waiting) other).arrival == arrival;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(arrival);
        }
    }

    /**
     * Whether a batch is to be stored now: it is under way from here on. If not, it waits.
     *
     * @param batch at least one change set, all of one epoch
     */
    boolean takesTurn(List<Submission> batch) {
        boolean turn = waiting.isEmpty() && hasRoom();
        if (turn) {
            underWay++;
        } else {
            waiting.add(new Waiting(batch, arrivals++));
        }
        return turn;
    }

    /** What is to be stored next, if anything may be: it is under way from here on. */
    Optional<List<Submission>> next() {
        if (waiting.isEmpty() || !hasRoom()) {
            return Optional.empty();
        }
        underWay++;
        Waiting first = waiting.remove();
        long bytes = first.bytes();
        while (!waiting.isEmpty()
                && waiting.peek().epoch.equals(first.epoch)
                && bytes + waiting.peek().bytes() <= fullBytes) {
            Waiting next = waiting.remove();
            bytes += next.bytes();
            first.batch.addAll(next.batch);
        }
        return Optional.of(first.batch);
    }

    /** One that was under way is stored, or the writers know that it is not. */
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

    /** Takes out what nobody wants any more; all else keeps its place. */
    List<Submission> takeUnwanted() {
        List<Submission> unwanted = new ArrayList<>();
        for (Waiting each : waiting) {
            unwanted.addAll(Submission.takeUnwanted(each.batch));
        }
        waiting.removeIf(each -> each.batch.isEmpty());
        return unwanted;
    }

    /** Change sets waiting at the moment. */
    int size() {
        return waiting.stream().mapToInt(each -> each.batch.size()).sum();
    }
}
