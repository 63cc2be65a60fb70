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
package io.dstl.changelog.replay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.read.LoggedChanges;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Optional;
import java.util.Queue;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.changelog.StateChange;

/**
 * Changes that were read in order from one part of a log, and what came after them: more of the
 * part, its end, or a failure.
 *
 * <p>Owned by the thread that reads until it hands the batch over, then by the thread that replays.
 */
final class ChangeBatch {
    private static final int FULL_BYTES = 64 << 10;

    /** The heap of a change beside its content, in bytes: object, array header, reference. */
    private static final int BYTES_OF_CHANGE = 64;

    private static final int INITIAL_CHANGES = 128;

    private enum After {
        MORE,
        END,
        NOT_OPENED,
        NOT_READ
    }

    private final LogSource.Part part;
    private final boolean grouped;
    private StateChange[] changes = new StateChange[INITIAL_CHANGES];
    private int size;
    private long content;
    private After after = After.MORE;
    private Throwable failure;

    /**
     * @param grouped see {@link LoggedChanges#isGrouped()}
     */
    ChangeBatch(LogSource.Part part, boolean grouped) {
        this.part = part;
        this.grouped = grouped;
    }

    void add(StateChange change) {
        if (size == changes.length) {
            changes = Arrays.copyOf(changes, 2 * size);
        }
        changes[size++] = change;
        content += change.getChange().length;
    }

    boolean isFull() {
        return heapBytes() >= FULL_BYTES;
    }

    /** Marks this batch as the last one of its part. */
    void end() {
        after = After.END;
    }

    /** Stands for a part that can't be opened. */
    static ChangeBatch notOpened(LogSource.Part part, Throwable cause) {
        ChangeBatch nothing = new ChangeBatch(part, true);
        nothing.after = After.NOT_OPENED;
        nothing.failure = cause;
        return nothing;
    }

    void cannotRead(Throwable cause) {
        after = After.NOT_READ;
        failure = cause;
    }

    LogSource.Part part() {
        return part;
    }

    boolean isGrouped() {
        return grouped;
    }

    int size() {
        return size;
    }

    StateChange get(int index) {
        return changes[index];
    }

    /** The bytes of the changes alone. */
    long contentBytes() {
        return content;
    }

    /** The bytes of heap that the batch takes, roughly. */
    long heapBytes() {
        return content + (long) size * BYTES_OF_CHANGE;
    }

    boolean isLast() {
        return after == After.END;
    }

    /** Throws the failure to open the part, if there is one. */
    void checkOpened() throws IOException {
        if (after == After.NOT_OPENED && failure instanceof IOException) {
            throw (IOException) failure;
        }
        if (after == After.NOT_OPENED) {
            throwUnchecked();
        }
    }

    /** Throws the failure to read on after these changes, if there is one. */
    void checkRead() {
        if (after == After.NOT_READ) {
            throwUnchecked();
        }
    }

    private void throwUnchecked() {
        if (failure instanceof Error) {
            throw (Error) failure;
        }
        throw failure instanceof RuntimeException
                ? (RuntimeException) failure
                : new IllegalStateException(failure);
    }

    /**
     * Hands batches over from the thread that reads a log to the thread that replays it, in order.
     * Holds a bounded number of bytes, or one batch that is larger.
     *
     * <p>One thread puts, one takes; any thread may stop it.
     */
    static final class HandOver {
        private final long maxBytes;

        @GuardedBy("this")
        private final Queue<ChangeBatch> batches = new ArrayDeque<>();

        @GuardedBy("this")
        private long bytes;

        @GuardedBy("this")
        private boolean stopped;

        @GuardedBy("this")
        @Nullable
        private Throwable failure;

        @GuardedBy("this")
        private boolean woken;

        @GuardedBy("this")
        private boolean mayWake;

        /**
         * @param maxBytes of heap
         * @param mayWake whether {@link #wake} has an effect before {@link #mayWake} is called
         */
        HandOver(long maxBytes, boolean mayWake) {
            this.maxBytes = maxBytes;
            this.mayWake = mayWake;
        }

        /**
         * Waits for room.
         *
         * @return false if the hand-over was stopped: nobody takes the batch
         */
        synchronized boolean put(ChangeBatch batch) throws InterruptedException {
            while (!stopped && !batches.isEmpty() && bytes + batch.heapBytes() > maxBytes) {
                wait();
            }
            if (stopped) {
                return false;
            }
            batches.add(batch);
            bytes += batch.heapBytes();
            notifyAll();
            return true;
        }

        /** The next batch, if there is one already. */
        synchronized Optional<ChangeBatch> poll() {
            // A queue that failed to grow may still hand out batches that were dropped.
            Optional<ChangeBatch> next = Optional.ofNullable(stopped ? null : batches.poll());
            if (next.isPresent()) {
                bytes -= next.get().heapBytes();
                notifyAll();
            }
            return next;
        }

        /** Waits for the next batch; empty if it was stopped, or woken, before one came. */
        synchronized Optional<ChangeBatch> take() throws InterruptedException {
            while (!stopped && !(woken && mayWake) && batches.isEmpty()) {
                wait();
            }
            Optional<ChangeBatch> next = poll();
            if (!next.isPresent()) {
                woken = false;
            }
            return next;
        }

        /** All that has to be taken before anybody is woken has been put. */
        synchronized void mayWake() {
            mayWake = true;
            notifyAll();
        }

        /** Wakes the thread that waits for a batch, or will wait next, to do something else. */
        synchronized void wake() {
            woken = true;
            notifyAll();
        }

        /** Stops, as no more batches come. Allocates nothing: there may be no memory left. */
        synchronized void fail(Throwable cause) {
            failure = cause;
            stop();
        }

        /** Why it was stopped; null if not by a failure. */
        @Nullable
        synchronized Throwable failure() {
            return failure;
        }

        synchronized boolean isStopped() {
            return stopped;
        }

        /** Ends all waiting and drops the queued batches. */
        synchronized void stop() {
            stopped = true;
            batches.clear();
            bytes = 0;
            notifyAll();
        }
    }
}
