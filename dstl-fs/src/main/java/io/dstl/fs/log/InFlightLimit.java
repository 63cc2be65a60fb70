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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.batch.LimitListener;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.io.AvailabilityProvider;

/**
 * Counts the bytes handed to upload and not yet stored, over all writers of a job on this
 * TaskManager. Above the limit the tasks are unavailable: they take no records, but run timers,
 * mails and barriers, and no thread waits. What is handed in above the limit is still taken, so the
 * count may exceed it by what each task hands in at one time.
 *
 * <p>Knows also how many of the bytes are kept: their upload has failed, and the next is yet to
 * come.
 *
 * <p><b>Threading.</b> Any thread. The future is completed outside the lock, by the thread that
 * brought the count down.
 */
public final class InFlightLimit implements AvailabilityProvider {

    private final long maxBytes;

    private final LimitListener listener;

    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private long keptBytes;

    /** Written under the lock; read for each record by the tasks. */
    private volatile CompletableFuture<?> available = AVAILABLE;

    /**
     * @param maxBytes inclusive
     */
    public InFlightLimit(long maxBytes, LimitListener listener) {
        this.maxBytes = maxBytes;
        this.listener = listener;
    }

    void add(long added) {
        long now;
        boolean reached;
        synchronized (this) {
            bytes += added;
            now = bytes;
            reached = bytes > maxBytes && available == AVAILABLE;
            if (reached) {
                available = new CompletableFuture<>();
            }
        }
        if (reached) {
            listener.reached(now);
        }
    }

    /** An upload has failed, its bytes stay. */
    synchronized void keep(long kept) {
        keptBytes += kept;
    }

    /** What was kept is on its way again, or needed no more. */
    synchronized void sendAgain(long sent) {
        if (sent > keptBytes) {
            throw new IllegalStateException(
                    sent + " bytes are sent again, but only " + keptBytes + " were kept");
        }
        keptBytes -= sent;
    }

    void remove(long removed) {
        CompletableFuture<?> toComplete = AVAILABLE;
        synchronized (this) {
            if (removed > bytes) {
                throw new IllegalStateException(
                        removed + " bytes end their way, but only " + bytes + " are in flight");
            }
            bytes -= removed;
            if (bytes <= maxBytes) {
                toComplete = available;
                available = AVAILABLE;
            }
        }
        if (toComplete != AVAILABLE) {
            listener.over();
        }
        toComplete.complete(null);
    }

    /** Bytes in flight. */
    public synchronized long bytes() {
        return bytes;
    }

    /** Of these, bytes whose upload has failed and is to be repeated. */
    public synchronized long keptBytes() {
        return keptBytes;
    }

    /** Whether the tasks take no records. */
    public boolean isReached() {
        return available != AVAILABLE;
    }

    @Override
    public CompletableFuture<?> getAvailableFuture() {
        return available;
    }
}
