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

import io.dstl.fs.arena.ChunkPool.ChunkList;
import io.dstl.fs.arena.RecordIndex.RecordMarks;
import java.io.IOException;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * The open changes of one writer: their bytes back to back, each with its length ahead of it as in
 * a segment, and an index of their positions and key groups.
 *
 * <p>Owns its chunks until {@link #seal()} moves them to a {@link ChangeSet}. Knows nothing of
 * sequence numbers, uploads or files.
 *
 * <p><b>Threading.</b> The task thread only. Nothing is allocated per record.
 */
public final class Arena {

    /** Size of the length ahead of each record. */
    static final int LENGTH_BYTES = Integer.BYTES;

    private final ChunkPool pool;
    private final KeyGroupRange keyGroups;
    private final boolean compacted;
    private final RecordMarks marks = new RecordMarks();

    private ChunkList bytes;
    private ChunkedOutput output;
    private RecordIndex index;
    private int[] recordsPerSlot;
    private int openAt;
    private boolean grouped = true;

    /**
     * @param compacted whether to leave out changes that are void when they are sealed: see {@link
     *     ChangeSet#effective()}
     */
    public Arena(ChunkPool pool, KeyGroupRange keyGroups, boolean compacted) {
        this.pool = pool;
        this.keyGroups = keyGroups;
        this.compacted = compacted;
        begin();
    }

    /** If there is no memory for it, nothing has changed. */
    private void begin() {
        ChunkList newBytes = new ChunkList(pool);
        ChunkedOutput newOutput = new ChunkedOutput(newBytes);
        RecordIndex newIndex = new RecordIndex(pool);
        recordsPerSlot = new int[KeyGroupSlots.count(keyGroups)];
        bytes = newBytes;
        output = newOutput;
        index = newIndex;
        openAt = 0;
        grouped = true;
    }

    /** The view for the next record; valid until {@link #endRecord} or {@link #dropRecord}. */
    public DataOutputView beginRecord() throws IOException {
        try {
            output.writeInt(0);
        } catch (Throwable t) {
            dropRecord();
            throw t;
        }
        return output;
    }

    /**
     * Turns the bytes written since {@link #beginRecord()} into a record of the given slot.
     *
     * @param slot of a key group or of the metadata: see {@link KeyGroupSlots}
     */
    public void endRecord(int slot) throws IOException {
        int length = openLength();
        output.setInt(openAt, length);
        marks.recordEnds(length);
        index.add(slot, openAt, marks);
        marks.clear();
        openAt = output.position();
        recordsPerSlot[slot]++;
    }

    /** Bytes of the open record so far. */
    private int openLength() {
        return output.position() - openAt - LENGTH_BYTES;
    }

    /**
     * The bytes written so far, except the first, name the scope of the change: two bytes for the
     * state, and those that name the scope within it. A record without this mark {@linkplain
     * ChangeEffect#READS may read anything}.
     *
     * @throws IllegalStateException if fewer than three bytes were written
     */
    public void scopeEnds(ChangeEffect effect) {
        if (compacted) {
            marks.scopeEnds(effect, openLength());
        }
    }

    /** The bytes written next name the entry. Without this mark, the entry follows the scope. */
    public void entryBegins() {
        marks.entryBegins(openLength());
    }

    /** The last bytes written named the entry. Without this mark, it ends with the record. */
    public void entryEnds() {
        marks.entryEnds(openLength());
    }

    /**
     * The changes written up to the next {@link #seal()} need not be of the key group that they are
     * recorded under: see {@link ChangeSet#isGrouped()}.
     */
    public void ungrouped() {
        grouped = false;
    }

    /** Forgets the bytes written since the last record. */
    public void dropRecord() {
        marks.clear();
        output.rewindTo(openAt);
    }

    /** Bytes of the ended records, without any framing. */
    public int bytes() {
        return openAt - index.count() * LENGTH_BYTES;
    }

    public boolean isEmpty() {
        return index.count() == 0;
    }

    /** Hands the records over to a change set and begins anew. The arena must not be empty. */
    public ChangeSet seal() {
        if (isEmpty()) {
            throw new IllegalStateException("There is nothing to seal");
        }
        ChangeSet sealed =
                new ChangeSet(
                        new ChangeSet.Records(bytes, openAt, index, recordsPerSlot),
                        keyGroups,
                        grouped);
        begin();
        return sealed;
    }

    /** Gives all memory back; the records are lost. */
    public void clear() {
        bytes.shrinkTo(0);
        index.free();
        begin();
    }

    /**
     * Numbers the metadata and the key groups of a range from 0, without gaps: first the metadata,
     * then the key groups in order. The groups of a change set are stored in this order.
     */
    public static final class KeyGroupSlots {

        public static final int METADATA = 0;

        private KeyGroupSlots() {}

        /** Number of slots of a range: one per key group and one for the metadata. */
        public static int count(KeyGroupRange range) {
            return range.getNumberOfKeyGroups() + 1;
        }

        /**
         * @param keyGroup within the range
         */
        public static int ofKeyGroup(KeyGroupRange range, int keyGroup) {
            return keyGroup - range.getStartKeyGroup() + 1;
        }

        /** The inverse of {@link #ofKeyGroup}; the slot must not be {@link #METADATA}. */
        public static int keyGroup(KeyGroupRange range, int slot) {
            return slot - 1 + range.getStartKeyGroup();
        }
    }
}
