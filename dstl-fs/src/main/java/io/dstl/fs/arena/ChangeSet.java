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

import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * A sealed run of one writer's changes: immutable records, each of one key group or of the
 * metadata.
 *
 * <p>Owns the memory of its records, and counts who needs it: one user from the start (its log),
 * one more per {@link #retain()}. With the last {@link #release()} the memory goes back to the
 * pool, and the change set must not be read any more. Does not know where it is stored.
 *
 * <p><b>Threading.</b> Any thread that retains it; published safely by whoever hands it over.
 */
public final class ChangeSet {

    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private final KeyGroupRange keyGroups;
    private final ChunkList bytes;
    private final int end;
    private final ChunkList index;
    private final int records;
    private final int[] recordsPerSlot;
    private final boolean grouped;
    private final AtomicInteger users = new AtomicInteger(1);

    ChangeSet(Records content, KeyGroupRange keyGroups, int[] recordsPerSlot, boolean grouped) {
        this.keyGroups = keyGroups;
        this.bytes = content.bytes;
        this.end = content.end;
        this.index = content.index;
        this.records = content.count;
        this.recordsPerSlot = recordsPerSlot;
        this.grouped = grouped;
    }

    /** What an arena hands over. */
    static final class Records {

        private final ChunkList bytes;
        private final int end;
        private final ChunkList index;
        private final int count;

        /**
         * @param end of the last record
         */
        Records(ChunkList bytes, int end, ChunkList index, int count) {
            this.bytes = bytes;
            this.end = end;
            this.index = index;
            this.count = count;
        }
    }

    public KeyGroupRange keyGroups() {
        return keyGroups;
    }

    /** Bytes of all records, without any framing. */
    public int bytes() {
        return end - records * Arena.LENGTH_BYTES;
    }

    /**
     * Whether each change is of the key group that it is recorded under, so that a reader may leave
     * out key groups that it does not need. Flink's own backend records a timer under the key group
     * that happens to be current.
     */
    public boolean isGrouped() {
        return grouped;
    }

    public int records() {
        return records;
    }

    /**
     * @param slot see {@link KeyGroupSlots}
     */
    public int recordsOf(int slot) {
        return recordsPerSlot[slot];
    }

    /** The numbers of all records, by slot, and within a slot in the order they were written. */
    public int[] recordsBySlot() {
        int[] next = new int[recordsPerSlot.length];
        for (int slot = 1; slot < next.length; slot++) {
            next[slot] = next[slot - 1] + recordsPerSlot[slot - 1];
        }
        int[] ordered = new int[records];
        for (int record = 0; record < records; record++) {
            ordered[next[slotOf(record)]++] = record;
        }
        return ordered;
    }

    private int slotOf(int record) {
        return indexInt(record * Arena.INDEX_ENTRY_BYTES);
    }

    private int startOf(int record) {
        return indexInt(record * Arena.INDEX_ENTRY_BYTES + Integer.BYTES);
    }

    /** Entries never cross a border: their size divides that of a chunk. */
    private int indexInt(int position) {
        return (int) INT.get(index.chunkOf(position), ChunkList.within(position));
    }

    /** Where the record after this one begins. */
    private int endOf(int record) {
        return record + 1 == records ? end : startOf(record + 1);
    }

    /**
     * Writes records that were written one after the other, each with its length ahead of it (four
     * bytes, big-endian).
     *
     * @param last inclusive, not below {@code first}
     */
    public void copyRecords(int first, int last, OutputStream out) throws IOException {
        int start = startOf(first);
        bytes.copyTo(out, start, endOf(last) - start);
    }

    /**
     * Adds a user.
     *
     * @return false if there is none left, and the memory is gone
     */
    public boolean retain() {
        return users.updateAndGet(count -> count == 0 ? 0 : count + 1) != 0;
    }

    /**
     * Takes a user off; the last one frees the memory.
     *
     * @throws IllegalStateException if there is none left
     */
    public void release() {
        int left = users.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("Released more often than retained: " + this);
        }
        if (left == 0) {
            bytes.shrinkTo(0);
            index.shrinkTo(0);
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "change set of %d records, %d bytes, %s", records, bytes(), keyGroups);
    }
}
