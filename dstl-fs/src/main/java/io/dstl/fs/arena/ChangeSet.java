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
    private final int length;
    private final ChunkList index;
    private final int records;
    private final int[] recordsPerSlot;
    private final AtomicInteger users = new AtomicInteger(1);

    ChangeSet(
            KeyGroupRange keyGroups,
            ChunkList bytes,
            int length,
            ChunkList index,
            int records,
            int[] recordsPerSlot) {
        this.keyGroups = keyGroups;
        this.bytes = bytes;
        this.length = length;
        this.index = index;
        this.records = records;
        this.recordsPerSlot = recordsPerSlot;
    }

    public KeyGroupRange keyGroups() {
        return keyGroups;
    }

    /** Bytes of all records, without any framing. */
    public int bytes() {
        return length;
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

    /** In bytes. */
    public int lengthOf(int record) {
        int end = record + 1 == records ? length : startOf(record + 1);
        return end - startOf(record);
    }

    public void copyRecord(int record, OutputStream out) throws IOException {
        bytes.copyTo(out, startOf(record), lengthOf(record));
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
                Locale.ROOT, "change set of %d records, %d bytes, %s", records, length, keyGroups);
    }
}
