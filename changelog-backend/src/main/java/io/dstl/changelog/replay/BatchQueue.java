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
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * Hands batches from the thread that reads a log to the one that replays it, in order. Holds a
 * bounded number of bytes, or one batch that is larger.
 *
 * <p>One thread puts, one takes; any thread may stop it.
 */
final class BatchQueue {
    private final long maxBytes;

    @GuardedBy("this")
    private final Queue<ChangeBatch> batches = new ArrayDeque<>();

    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private boolean stopped;

    @GuardedBy("this")
    private boolean woken;

    /**
     * @param maxBytes of the heap
     */
    BatchQueue(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /**
     * Waits for room.
     *
     * @return false if it was stopped: nobody takes the batch
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
        Optional<ChangeBatch> next = Optional.ofNullable(batches.poll());
        if (next.isPresent()) {
            bytes -= next.get().heapBytes();
            notifyAll();
        }
        return next;
    }

    /** Waits for the next batch; empty if it was stopped, or woken, before that came. */
    synchronized Optional<ChangeBatch> take() throws InterruptedException {
        while (!stopped && !woken && batches.isEmpty()) {
            wait();
        }
        Optional<ChangeBatch> next = poll();
        if (!next.isPresent()) {
            woken = false;
        }
        return next;
    }

    /** Has the one who waits for a batch, or will next, look after something else. */
    synchronized void wake() {
        woken = true;
        notifyAll();
    }

    synchronized boolean isStopped() {
        return stopped;
    }

    /** Ends all waiting; what is in the queue is dropped. */
    synchronized void stop() {
        stopped = true;
        batches.clear();
        bytes = 0;
        notifyAll();
    }
}
