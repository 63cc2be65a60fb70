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
package io.dstl.fs.arena;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.arena.Arena.KeyGroupSlots;
import io.dstl.fs.arena.ChunkPool.ChunkList;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * A sealed run of one writer's changes: immutable records, each of one key group or of the
 * metadata.
 *
 * <p>Owns the memory of its records, and counts its users: one from the start (its log), and one
 * more per {@link #retain()}. The last {@link #release()} returns the memory to the pool; the
 * change set must not be read after that. Does not know where it is stored.
 *
 * <p><b>Threading.</b> Any thread that retains it; published safely by whoever hands it over.
 */
public final class ChangeSet {

    /** The order of all records, and the order of the stored ones, which replaces it. */
    private static final int ORDERS = 2;

    private final KeyGroupRange keyGroups;
    private final int count;
    private final int bytes;
    private final int groups;

    /** Null after the memory was given back: a log keeps the set for as long as its segment. */
    @Nullable private Records records;

    private final boolean grouped;
    private final AtomicInteger users = new AtomicInteger(1);
    private final Object lock = new Object();

    /** Set by the first call of {@link #effective()}, until the memory is given back. */
    @GuardedBy("lock")
    private EffectiveRecords effective;

    ChangeSet(Records records, KeyGroupRange keyGroups, boolean grouped) {
        this.keyGroups = keyGroups;
        this.count = records.index.count();
        this.bytes = records.contentBytes();
        this.groups = records.groups();
        this.records = records;
        this.grouped = grouped;
    }

    /** The records that an arena hands over. */
    static final class Records {

        final ChunkList bytes;
        final RecordIndex index;
        final int[] countPerSlot;
        private final int end;

        /**
         * @param end of the last record
         */
        Records(ChunkList bytes, int end, RecordIndex index, int[] countPerSlot) {
            this.bytes = bytes;
            this.end = end;
            this.index = index;
            this.countPerSlot = countPerSlot;
        }

        /** Bytes of all records, without any framing. */
        int contentBytes() {
            return end - index.count() * Arena.LENGTH_BYTES;
        }

        /** The position at which the next record begins. */
        int endOf(int record) {
            return record + 1 == index.count() ? end : index.start(record + 1);
        }

        /** By slot, the place of its first record among {@link #bySlot()}. */
        int[] firstPlaces() {
            int[] firsts = new int[countPerSlot.length];
            for (int slot = 1; slot < firsts.length; slot++) {
                firsts[slot] = firsts[slot - 1] + countPerSlot[slot - 1];
            }
            return firsts;
        }

        /** The numbers of all records, by slot, and within a slot in the order of the log. */
        int[] bySlot() {
            int[] next = firstPlaces();
            int[] ordered = new int[index.count()];
            for (int record = 0; record < ordered.length; record++) {
                ordered[next[index.slot(record)]++] = record;
            }
            return ordered;
        }

        private int groups() {
            int groups = 0;
            for (int count : countPerSlot) {
                groups += count > 0 ? 1 : 0;
            }
            return groups;
        }

        /** Includes the orders that the search for void records adds. */
        private long heldBytes() {
            long order = (long) (index.count() + countPerSlot.length) * Integer.BYTES;
            return bytes.heldBytes()
                    + index.heldBytes()
                    + (long) countPerSlot.length * Integer.BYTES
                    + ORDERS * order;
        }
    }

    public KeyGroupRange keyGroups() {
        return keyGroups;
    }

    /**
     * Gives back most of the memory that the records do not use: of a thousand tasks with a few
     * changes each, whole chunks would fill the in-flight limit. If there is no memory for the
     * copies, the set stays as it was, or with one of two lists cut. Only for who has sealed it,
     * before anybody else has it.
     */
    public void trim() {
        records.bytes.trimTo(records.end);
        records.index.trim();
    }

    /** Bytes of all records, without any framing. */
    public int bytes() {
        return bytes;
    }

    /**
     * Heap that its records take at most until their memory is given back, in bytes: chunks, of
     * which the last may be cut to its content, 8 bytes for each change, and 12 for each key group
     * of the range and the metadata. Call it as a user. Does not count what encoders need, nor the
     * few hundred bytes that each set takes, however small.
     */
    public long heldBytes() {
        return records == null ? 0 : records.heldBytes();
    }

    /**
     * Whether each change is of the key group that it is recorded under, so that a reader may leave
     * out key groups that it does not need. Flink's own backend records a timer under the current
     * key group, which may be another one.
     */
    public boolean isGrouped() {
        return grouped;
    }

    /** Number of all records, stored or not. */
    public int count() {
        return count;
    }

    /**
     * Number of key groups with changes, plus one for metadata; the same before and after void
     * changes are left out.
     */
    public int groups() {
        return groups;
    }

    /**
     * The records to store: all except those that a later record of this set makes void, as far as
     * the search for them pays.
     *
     * <p>The first call searches, in time proportional to the number of records, so it is not for
     * the task thread; concurrent calls wait. Later calls return the same result.
     *
     * @throws IllegalStateException if there is no user left
     */
    public EffectiveRecords effective() {
        synchronized (lock) {
            if (users.get() == 0) {
                throw new IllegalStateException("The memory is gone of " + this);
            }
            if (effective == null) {
                effective = new Compaction(records).run();
            }
            return effective;
        }
    }

    /**
     * Writes consecutive records, each with its length ahead of it (four bytes, big-endian).
     *
     * @param last inclusive, not below {@code first}
     */
    public void copyRecords(int first, int last, OutputStream out) throws IOException {
        int start = records.index.start(first);
        records.bytes.copyTo(out, start, records.endOf(last) - start);
    }

    /**
     * Adds a user.
     *
     * @return false if no user is left and the memory is gone
     */
    public boolean retain() {
        return users.updateAndGet(count -> count == 0 ? 0 : count + 1) != 0;
    }

    /**
     * Removes a user; the last one frees the memory.
     *
     * @throws IllegalStateException if no user is left
     */
    public void release() {
        int left = users.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("Released more often than retained: " + this);
        }
        if (left == 0) {
            synchronized (lock) {
                effective = null;
                records.bytes.shrinkTo(0);
                records.index.free();
                records = null;
            }
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "change set of %d records, %d bytes, %s", count(), bytes(), keyGroups);
    }

    /**
     * The stored records of a change set: those that no later record of it makes void. Immutable;
     * any thread.
     */
    public static final class EffectiveRecords {

        private final int[] bySlot;
        private final int[] countPerSlot;
        private final int bytes;
        private final int voidRecords;
        private final int voidBytes;

        /**
         * @param bySlot record numbers, by slot, and within a slot in the order they were written
         * @param bytes of these records, without any framing
         */
        EffectiveRecords(
                int[] bySlot, int[] countPerSlot, int bytes, int voidRecords, int voidBytes) {
            this.bySlot = bySlot;
            this.countPerSlot = countPerSlot;
            this.bytes = bytes;
            this.voidRecords = voidRecords;
            this.voidBytes = voidBytes;
        }

        public int count() {
            return bySlot.length;
        }

        /**
         * @param slot see {@link KeyGroupSlots}
         */
        public int countOf(int slot) {
            return countPerSlot[slot];
        }

        /**
         * @param place from 0: in the order of the slots, and within a slot in the order of the log
         */
        public int record(int place) {
            return bySlot[place];
        }

        /** Without any framing. */
        public int bytes() {
            return bytes;
        }

        /** Number of records left out. */
        public int voidRecords() {
            return voidRecords;
        }

        /** Bytes of the records left out, without any framing. */
        public int voidBytes() {
            return voidBytes;
        }
    }
}
