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
import io.dstl.fs.batch.StoreWatch.Pressure;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.ObjLongConsumer;
import javax.annotation.Nullable;
import org.apache.flink.runtime.io.AvailabilityProvider;

/**
 * Counts the heap held by changes handed to upload and not yet stored, over all logs of a job on
 * this TaskManager, and bounds it twice.
 *
 * <p><b>Above the soft limit</b> the tasks are unavailable: they take no input, but run timers and
 * mails, and get unaligned barriers, and no thread waits.
 *
 * <p>While the store has refused all it was given and has stored nothing yet, there is no soft
 * limit, as only a checkpoint can tell the job of the refusal, and an aligned barrier comes as a
 * record does. A thread above the hard limit gets the refusal then.
 *
 * <p><b>Above the hard limit</b> a task thread that goes on to write, within a timer or one large
 * record, waits: see {@link Share#awaitRoom}. It waits only while it has uploads of its own. So no
 * task waits for what another one keeps open, a task that holds all bytes does not keep others from
 * their next change set, and a record larger than the limit passes. Every submission is accepted,
 * so the count may exceed the limit by what each task hands in at one time.
 *
 * <p>Also counts the kept bytes: their upload has failed, and none has succeeded since.
 *
 * <p><b>Threading.</b> Any thread. The thread that causes a change completes futures and notifies
 * the listener, outside the lock.
 */
public final class InFlightLimit implements AvailabilityProvider {

    private final long softBytes;
    private final long hardBytes;
    private final ObjLongConsumer<Pressure> listener;

    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private long keptBytes;

    /** Whether anything was stored yet. */
    @GuardedBy("this")
    private boolean everStored;

    /** Why there is no soft limit. Never after anything was stored. */
    @GuardedBy("this")
    @Nullable
    private Throwable refusal;

    /** Task threads that wait at the moment. */
    @GuardedBy("this")
    private int waiting;

    @GuardedBy("this")
    private Pressure pressure = Pressure.NONE;

    /** The last value the listener was notified of. */
    @GuardedBy("this")
    private Pressure told = Pressure.NONE;

    /** Whether a thread is notifying the listener; that thread reports further changes, too. */
    @GuardedBy("this")
    private boolean telling;

    /** Written under the lock; read by the tasks for each record. */
    private volatile CompletableFuture<?> available = AVAILABLE;

    /** Written under the lock; read by the tasks for each change. */
    private volatile boolean full;

    /**
     * @param softBytes inclusive
     * @param hardBytes inclusive, not below the soft limit
     * @param listener gets the changes of the pressure and the bytes in flight, in order, outside
     *     of all locks; one that was reverted by then is skipped
     */
    public InFlightLimit(long softBytes, long hardBytes, ObjLongConsumer<Pressure> listener) {
        if (hardBytes < softBytes) {
            throw new IllegalArgumentException(
                    "The hard limit of "
                            + hardBytes
                            + " bytes in flight is below the soft one of "
                            + softBytes);
        }
        this.softBytes = softBytes;
        this.hardBytes = hardBytes;
        this.listener = listener;
    }

    /** Creates one log's share of the bytes in flight. */
    Share share(WaitListener waits) {
        return new Share(waits);
    }

    /** Returns whether this growth has exceeded the soft limit. */
    @GuardedBy("this")
    private boolean grow(long added) {
        bytes += added;
        full = bytes > hardBytes;
        boolean reached = bytes > softBytes && pressure == Pressure.NONE && refusal == null;
        if (reached) {
            pressure = Pressure.UNAVAILABLE;
            available = new CompletableFuture<>();
        }
        return reached;
    }

    /** Returns the future to complete outside the lock. */
    @GuardedBy("this")
    private CompletableFuture<?> waive(Throwable cause) {
        if (everStored) {
            return AVAILABLE;
        }
        refusal = cause;
        pressure = Pressure.NONE;
        notifyAll();
        CompletableFuture<?> toComplete = available;
        available = AVAILABLE;
        return toComplete;
    }

    @GuardedBy("this")
    private void stored() {
        everStored = true;
        if (refusal != null && bytes > softBytes) {
            pressure = Pressure.UNAVAILABLE;
            available = new CompletableFuture<>();
        }
        refusal = null;
    }

    /** Returns the future to complete outside the lock. */
    @GuardedBy("this")
    private CompletableFuture<?> shrink(long removed) {
        bytes -= removed;
        full = bytes > hardBytes;
        // Threads whose own bytes are all stored go on even above the limit.
        notifyAll();
        CompletableFuture<?> toComplete = AVAILABLE;
        if (bytes <= softBytes) {
            pressure = Pressure.NONE;
            toComplete = available;
            available = AVAILABLE;
        }
        return toComplete;
    }

    /** Notifies the listener, unless another thread is about to. */
    private void tell() {
        Pressure now;
        long nowBytes;
        while (true) {
            synchronized (this) {
                if (telling || told == pressure) {
                    return;
                }
                telling = true;
                told = pressure;
                now = pressure;
                nowBytes = bytes;
            }
            try {
                listener.accept(now, nowBytes);
            } finally {
                synchronized (this) {
                    telling = false;
                }
            }
        }
    }

    /** Heap held by bytes in flight. */
    public synchronized long bytes() {
        return bytes;
    }

    /** The part of the bytes in flight whose upload has failed, and that are not stored since. */
    public synchronized long keptBytes() {
        return keptBytes;
    }

    /** Task threads that wait for room. */
    public synchronized int waiting() {
        return waiting;
    }

    /** Whether the tasks take no records. */
    public boolean isReached() {
        return available != AVAILABLE;
    }

    /** Whether the hard limit is exceeded. */
    boolean isFull() {
        return full;
    }

    @Override
    public CompletableFuture<?> getAvailableFuture() {
        return available;
    }

    /** The bytes that one log has in flight. Any thread, unless stated otherwise. */
    final class Share {

        private final WaitListener waits;

        @GuardedBy("InFlightLimit.this")
        private long ownBytes;

        @GuardedBy("InFlightLimit.this")
        private boolean ended;

        private Share(WaitListener waits) {
            this.waits = waits;
        }

        /** Returns whether this growth made the tasks unavailable. */
        boolean add(long added) {
            boolean reached;
            synchronized (InFlightLimit.this) {
                ownBytes += added;
                reached = grow(added);
            }
            tell();
            return reached;
        }

        /** An upload has failed; its bytes stay. */
        void keep(long kept) {
            synchronized (InFlightLimit.this) {
                keptBytes += kept;
            }
        }

        /** Kept bytes have been stored, or are no longer needed. */
        void keepNoMore(long freed) {
            synchronized (InFlightLimit.this) {
                if (freed > keptBytes) {
                    throw new IllegalStateException(
                            freed
                                    + " bytes are kept no more, but only "
                                    + keptBytes
                                    + " were kept");
                }
                keptBytes -= freed;
            }
        }

        /** The store refuses all, or the log has failed: a persist is to fail soon. */
        void waiveSoftLimit(Throwable cause) {
            CompletableFuture<?> toComplete;
            synchronized (InFlightLimit.this) {
                toComplete = waive(cause);
            }
            toComplete.complete(null);
            tell();
        }

        /** Some of this log's bytes have been stored; to be called before they are removed. */
        void stored() {
            synchronized (InFlightLimit.this) {
                InFlightLimit.this.stored();
            }
            tell();
        }

        void remove(long removed) {
            CompletableFuture<?> toComplete;
            synchronized (InFlightLimit.this) {
                if (removed > ownBytes) {
                    throw new IllegalStateException(
                            removed
                                    + " bytes end their way, but only "
                                    + ownBytes
                                    + " are in flight");
                }
                ownBytes -= removed;
                toComplete = shrink(removed);
            }
            toComplete.complete(null);
            tell();
        }

        /** Whether the hard limit is exceeded. */
        boolean isFull() {
            return full;
        }

        /**
         * Waits while the hard limit is exceeded and this log has bytes in flight. The writing
         * thread calls it, without a lock that an upload needs to end.
         *
         * @return false if the share has ended: there will be no room
         * @throws InterruptedException at once if the thread is interrupted
         * @throws IOException if the store has refused all from the start
         */
        boolean awaitRoom() throws InterruptedException, IOException {
            synchronized (InFlightLimit.this) {
                if (!mustWait()) {
                    return !ended;
                }
                pressure = Pressure.WAITING;
                waiting++;
            }
            try {
                waits.begins();
                tell();
                synchronized (InFlightLimit.this) {
                    while (mustWait()) {
                        InFlightLimit.this.wait();
                    }
                    return !ended;
                }
            } finally {
                synchronized (InFlightLimit.this) {
                    waiting--;
                }
                waits.ends();
            }
        }

        @GuardedBy("InFlightLimit.this")
        private boolean mustWait() throws IOException {
            boolean must = full && ownBytes > 0 && !ended;
            if (must && refusal != null) {
                String reason = refusal.getMessage();
                throw new IOException(
                        "A change can't be kept until it is stored: "
                                + (reason == null ? refusal.toString() : reason),
                        refusal);
            }
            return must;
        }

        /** Ends current and later waits. The bytes in flight still count. */
        void end() {
            synchronized (InFlightLimit.this) {
                ended = true;
                InFlightLimit.this.notifyAll();
            }
        }
    }

    /**
     * Notified when a task thread waits because too much is in flight, and when it goes on. That
     * thread calls the methods in turn, {@link #begins()} first, outside of all locks of the log.
     */
    public interface WaitListener {

        WaitListener NONE =
                new WaitListener() {
                    @Override
                    public void begins() {}

                    @Override
                    public void ends() {}
                };

        void begins();

        /** Called also if the wait ends with an error. */
        void ends();
    }
}
