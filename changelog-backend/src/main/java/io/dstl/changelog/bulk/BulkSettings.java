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
package io.dstl.changelog.bulk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Optional;
import java.util.function.LongSupplier;

/** How a restore may replay in bulk. */
public final class BulkSettings {
    private static final BulkSettings OFF = new BulkSettings(false, 1, 0);

    private final boolean enabled;
    private final int threads;
    private final long memoryBytes;

    private BulkSettings(boolean enabled, int threads, long memoryBytes) {
        this.enabled = enabled;
        this.threads = threads;
        this.memoryBytes = memoryBytes;
    }

    /** Replays all changes one by one, through the states. */
    public static BulkSettings off() {
        return OFF;
    }

    /**
     * @param threads 1: only the thread of the caller; more: as many beside it
     * @param memoryBytes of heap, for changes that are not written yet; all threads together. Taken
     *     with the first change
     */
    public static BulkSettings of(int threads, long memoryBytes) {
        return new BulkSettings(true, threads, memoryBytes);
    }

    /**
     * The settings for changes that are taken in before the delegate exists: one thread and all of
     * the memory, which is free again before anything else is added.
     */
    public BulkSettings early() {
        return new BulkSettings(enabled, 1, memoryBytes);
    }

    public boolean isEnabled() {
        return enabled;
    }

    public int threads() {
        return threads;
    }

    public long memoryBytes() {
        return memoryBytes;
    }

    /**
     * The heap that all restores of a process may take together: a slot may have several tasks with
     * keyed state, and all tasks of a TaskManager restore at once.
     *
     * <p>Restores that are admitted take what they need at least, however little is left of this.
     * All such leasts together take at most as much again.
     *
     * <p>Thread-safe. Whoever takes memory gives it back.
     */
    static final class HeapShare {
        /** Restores may use a quarter of the heap, as the tasks have not allocated theirs yet. */
        private static final int PART_OF_HEAP = 4;

        /**
         * A restore takes at most half of the heap that is idle when it asks. Garbage counts as in
         * use.
         */
        private static final int PART_OF_IDLE = 2;

        private static final HeapShare OF_PROCESS =
                new HeapShare(Runtime.getRuntime().maxMemory() / PART_OF_HEAP, HeapShare::idleNow);

        private final long bytes;
        private final LongSupplier idle;

        @GuardedBy("this")
        private long free;

        @GuardedBy("this")
        private long leasts;

        /** Restores that may take memory, whether they have or not. */
        @GuardedBy("this")
        private int admitted;

        /** Those that have. */
        @GuardedBy("this")
        private int active;

        /**
         * @param bytes that all restores take together, at most, beside their leasts
         * @param idle bytes of heap that nothing uses now, no other restore either
         */
        HeapShare(long bytes, LongSupplier idle) {
            this.bytes = bytes;
            this.free = bytes;
            this.idle = idle;
        }

        private static long idleNow() {
            Runtime heap = Runtime.getRuntime();
            return heap.maxMemory() - heap.totalMemory() + heap.freeMemory();
        }

        static HeapShare ofProcess() {
            return OF_PROCESS;
        }

        /**
         * Admits one restore, until the result is closed. Never waits.
         *
         * @param least bytes that it takes at least
         * @return empty if the leasts would be too many. A single restore is always admitted.
         */
        synchronized Optional<AutoCloseable> admit(long least) {
            if (leasts > 0 && leasts + least > bytes) {
                return Optional.empty();
            }
            leasts += least;
            admitted++;
            return Optional.of(() -> leave(least));
        }

        private synchronized void leave(long least) {
            leasts -= least;
            admitted--;
        }

        /**
         * Never waits. Takes what is wanted, but at most its share; where this is less than {@code
         * least}, takes {@code least}.
         */
        synchronized long take(long wanted, long least) {
            long there = Math.min(share(), idle.getAsLong() / PART_OF_IDLE);
            long taken = Math.min(wanted, Math.max(there, least));
            free -= taken;
            active++;
            return taken;
        }

        /**
         * The tasks of a TaskManager are admitted together, so those that have yet to take get as
         * much as this one. Few come after them: the last leaves a quarter for those. The first may
         * come alone, a moment before the others: it leaves half.
         */
        @GuardedBy("this")
        private long share() {
            int others = admitted - active - 1;
            if (others > 0) {
                return free / (1 + others);
            }
            return admitted > 1 ? free - free / 4 : free / 2;
        }

        /**
         * @param taken by one call of {@link #take}; 0: nothing was
         */
        synchronized void giveBack(long taken) {
            if (taken > 0) {
                free += taken;
                active--;
            }
        }
    }
}
