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
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * The open changes of one writer: their bytes back to back, each with its length ahead of it as in
 * a segment, and an index of where each begins and to which key group it belongs.
 *
 * <p>Owns its chunks until {@link #seal()} moves them to a {@link ChangeSet}. Does not know of
 * sequence numbers, uploads or files.
 *
 * <p><b>Threading.</b> The task thread only. Nothing is allocated per record.
 */
public final class Arena {

    /** Ahead of the bytes of each record: their number. */
    static final int LENGTH_BYTES = Integer.BYTES;

    /** Per record: slot of the key group, position of its length. */
    static final int INDEX_ENTRY_BYTES = 2 * Integer.BYTES;

    private final ChunkPool pool;
    private final KeyGroupRange keyGroups;

    private ChunkList bytes;
    private ChunkedOutput output;
    private ChunkList index;
    private ChunkedOutput indexOutput;
    private int[] recordsPerSlot;
    private int records;
    private int openAt;
    private boolean grouped = true;

    public Arena(ChunkPool pool, KeyGroupRange keyGroups) {
        this.pool = pool;
        this.keyGroups = keyGroups;
        begin();
    }

    private void begin() {
        bytes = new ChunkList(pool);
        output = new ChunkedOutput(bytes);
        index = new ChunkList(pool);
        indexOutput = new ChunkedOutput(index);
        recordsPerSlot = new int[KeyGroupSlots.count(keyGroups)];
        records = 0;
        openAt = 0;
        grouped = true;
    }

    /**
     * Where the bytes of the next record go; valid until {@link #endRecord} or {@link #dropRecord}.
     */
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
     * Makes what was written since {@link #beginRecord()} a record of the given slot.
     *
     * @param slot of a key group or of the metadata: see {@link KeyGroupSlots}
     */
    public void endRecord(int slot) throws IOException {
        output.setInt(openAt, output.position() - openAt - LENGTH_BYTES);
        indexOutput.writeInt(slot);
        indexOutput.writeInt(openAt);
        openAt = output.position();
        recordsPerSlot[slot]++;
        records++;
    }

    /**
     * The changes written up to the next {@link #seal()} need not be of the key group that they are
     * recorded under: see {@link ChangeSet#isGrouped()}.
     */
    public void ungrouped() {
        grouped = false;
    }

    /** Forgets what was written since the last record. */
    public void dropRecord() {
        output.rewindTo(openAt);
    }

    /** Bytes of the records ended so far, without any framing. */
    public int bytes() {
        return openAt - records * LENGTH_BYTES;
    }

    public boolean isEmpty() {
        return records == 0;
    }

    /** Hands the records over to a change set and begins anew. The arena must not be empty. */
    public ChangeSet seal() {
        if (records == 0) {
            throw new IllegalStateException("There is nothing to seal");
        }
        ChangeSet sealed =
                new ChangeSet(
                        new ChangeSet.Records(bytes, openAt, index, records),
                        keyGroups,
                        recordsPerSlot,
                        grouped);
        begin();
        return sealed;
    }

    /** Gives all memory back; the records are lost. */
    public void clear() {
        bytes.shrinkTo(0);
        index.shrinkTo(0);
        begin();
    }
}
