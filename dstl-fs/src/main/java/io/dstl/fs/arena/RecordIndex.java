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
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The index of an arena's records: for each its slot, its position, its effect, and which of its
 * bytes name the scope and the entry.
 *
 * <pre>
 * entry   int   slot (16 bits), effect (3 bits), bytes between scope and entry (8 bits)
 *         int   start: position of the record's length
 *         int   scopeEnd: in the record; 0 where its scope is not known
 *         int   entryEnd: in the record
 * </pre>
 *
 * <p>Owns its chunks. <b>Threading.</b> One thread writes, and publishes safely to those who read.
 */
final class RecordIndex {

    /** Divides the size of a chunk, so that no entry crosses a border. */
    static final int ENTRY_BYTES = 4 * Integer.BYTES;

    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private static final int SLOT_BITS = 16;
    private static final int EFFECT_BITS = 3;
    private static final int GAP_SHIFT = SLOT_BITS + EFFECT_BITS;
    private static final int MAX_GAP = 255;
    private static final int START_AT = Integer.BYTES;
    private static final int SCOPE_END_AT = 2 * Integer.BYTES;
    private static final int ENTRY_END_AT = 3 * Integer.BYTES;

    private final ChunkList chunks;
    private final ChunkedOutput output;
    private int count;
    private boolean marked;

    RecordIndex(ChunkPool pool) {
        this.chunks = new ChunkList(pool);
        this.output = new ChunkedOutput(chunks);
    }

    void add(int slot, int start, RecordMarks marks) throws IOException {
        int gap = marks.entryBegin() - marks.scopeEnd();
        ChangeEffect effect = marks.effect();
        if (gap > MAX_GAP && effect == ChangeEffect.REPLACES_ENTRY) {
            effect = ChangeEffect.ADDS;
        }
        int what = slot | effect.code() << SLOT_BITS | Math.min(gap, MAX_GAP) << GAP_SHIFT;
        output.writePair(pair(what, start), pair(marks.scopeEnd(), marks.entryEnd()));
        count++;
        marked |= marks.scopeEnd() > 0;
    }

    /** As two consecutive ints are read. */
    private static long pair(int first, int second) {
        return (long) first << Integer.SIZE | (second & 0xFFFFFFFFL);
    }

    int count() {
        return count;
    }

    /** Whether the scope of any record is known. */
    boolean isMarked() {
        return marked;
    }

    int slot(int record) {
        return field(record, 0) & ((1 << SLOT_BITS) - 1);
    }

    ChangeEffect effect(int record) {
        return ChangeEffect.of(field(record, 0) >>> SLOT_BITS & ((1 << EFFECT_BITS) - 1));
    }

    /** Position of the record's length, which precedes its bytes. */
    int start(int record) {
        return field(record, START_AT);
    }

    /** Position in the record; 0 if the scope is not known. */
    int scopeEnd(int record) {
        return field(record, SCOPE_END_AT);
    }

    /** Position in the record. */
    int entryBegin(int record) {
        return scopeEnd(record) + (field(record, 0) >>> GAP_SHIFT);
    }

    /** Position in the record. */
    int entryEnd(int record) {
        return field(record, ENTRY_END_AT);
    }

    private int field(int record, int fieldAt) {
        int position = record * ENTRY_BYTES;
        return (int) INT.get(chunks.chunkOf(position), ChunkList.within(position) + fieldAt);
    }

    /** Gives back most of what it does not use. Nothing can be added after that. */
    void trim() {
        output.end();
        chunks.trimTo(count * ENTRY_BYTES);
    }

    /** Heap held. */
    long heldBytes() {
        return chunks.heldBytes();
    }

    /** Gives the memory back; do not read after this. */
    void free() {
        chunks.shrinkTo(0);
    }

    /**
     * The marks that a writer sets in the open record. All positions are in the record, which
     * begins with one byte for the operation and two for the state.
     *
     * <p>Not thread-safe.
     */
    static final class RecordMarks {

        /** Where a scope begins: see {@link #scopeEnds}. */
        static final int SCOPE_BEGIN = 1;

        /** The bytes of a scope that name the state. */
        static final int STATE_BYTES = Short.BYTES;

        /** A number: setting a reference would take a write barrier of the collector. */
        private int effect;

        private int scopeEnd;
        private int entryBegin;
        private int entryEnd;

        RecordMarks() {
            clear();
        }

        /** Resets to a record without marks. */
        void clear() {
            effect = ChangeEffect.READS.code();
            scopeEnd = 0;
            entryBegin = 0;
            entryEnd = 0;
        }

        void scopeEnds(ChangeEffect newEffect, int position) {
            if (position < SCOPE_BEGIN + STATE_BYTES) {
                throw new IllegalStateException(
                        "A scope ends at " + position + ", before the name of its state does");
            }
            effect = newEffect.code();
            scopeEnd = position;
            entryBegin = position;
        }

        void entryBegins(int position) {
            entryBegin = position;
        }

        void entryEnds(int position) {
            entryEnd = position;
        }

        /** An entry that has not ended ends with its record. */
        void recordEnds(int position) {
            if (entryEnd == 0) {
                entryEnd = position;
            }
        }

        ChangeEffect effect() {
            return ChangeEffect.of(effect);
        }

        int scopeEnd() {
            return scopeEnd;
        }

        int entryBegin() {
            return entryBegin;
        }

        int entryEnd() {
            return entryEnd;
        }
    }
}
