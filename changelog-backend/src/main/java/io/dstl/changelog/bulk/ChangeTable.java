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

import java.util.Arrays;

/**
 * The last change of each key, as the delegate is to get it: a hash table over an array of bytes,
 * without an object for each entry.
 *
 * <p>A key is built in place, at the end of the array: {@link #beginKey}, then {@link #append},
 * then {@link #endKey}, which finds the entry that is there or makes one. In the array a key has
 * the number of its state ahead of it, so that entries sort by state and then as the delegate has
 * them.
 *
 * <p>Takes no more memory than its limit, but for one change that is larger: {@link #reserve} tells
 * when what it holds has to be written and {@link #clear}ed. While an array grows, the former one
 * is held as well.
 *
 * <p>Owns the bytes. One thread at a time.
 */
final class ChangeTable {
    static final int STATE_BYTES = Short.BYTES;

    /** Up to this size, positions and lengths are ints. */
    static final long MAX_BYTES = 1L << 30;

    /** The longest array that every JVM can make. */
    private static final long MAX_ARRAY = Integer.MAX_VALUE - 8;

    private static final int MAX_TURNS = Integer.MAX_VALUE;

    /** No change takes more turns: it makes an entry and changes it twice. */
    private static final int TURNS_OF_CHANGE = 4;

    private static final int HASH = 0;
    private static final int KEY_AT = 1;
    private static final int KEY_LENGTH = 2;
    private static final int VALUE_AT = 3;
    private static final int VALUE_LENGTH = 4;

    /** Bytes from where the value is that it may have: a longer one goes elsewhere. */
    private static final int ROOM = 5;

    private static final int OP = 6;

    /** Later than that of another entry: was made, or last changed, after it. */
    private static final int TURN = 7;

    private static final int FIELDS = 8;

    /** The head of a piece of a list: the position of the piece before it, and its length. */
    private static final int PIECE_HEAD = 2 * Integer.BYTES;

    /** Marks an entry that has had no value yet. */
    private static final int NOWHERE = -1;

    private static final int INITIAL_BYTES = 1 << 16;
    private static final int INITIAL_ENTRIES = 1 << 9;

    /** What is to be done with an entry's key. */
    enum EntryOp {
        PUT,
        DELETE,
        /** The value is one more operand of what the delegate has. */
        MERGE,
        /** All that the delegate has below the key goes, and all entries below it before this. */
        CLEAR;

        private static final EntryOp[] ALL = values();
    }

    private final long limit;
    private final int maxTurns;

    private byte[] bytes;
    private int end;
    private int keyAt;

    private int[] entries;
    private int count;
    private int turn;

    /** Entries by hash, plus one; 0: none. A power of two, twice as many as entries at least. */
    private int[] slots;

    /**
     * @param limit in bytes, of all arrays together; more than {@link #MAX_BYTES} counts as those
     */
    ChangeTable(long limit) {
        this(limit, MAX_TURNS);
    }

    /**
     * @param maxTurns of changes that it can tell the order of; then it is full
     */
    ChangeTable(long limit, int maxTurns) {
        this.limit = Math.min(limit, MAX_BYTES);
        this.maxTurns = maxTurns;
        allocate();
    }

    private void allocate() {
        bytes = new byte[INITIAL_BYTES];
        entries = new int[INITIAL_ENTRIES * FIELDS];
        slots = new int[2 * INITIAL_ENTRIES];
    }

    int size() {
        return count;
    }

    /** The limit in bytes. */
    long limit() {
        return limit;
    }

    /** The bytes that its arrays take now. */
    long allocated() {
        return allocated(bytes.length, entries.length / FIELDS, slots.length);
    }

    private static long allocated(long bytes, long entries, long slots) {
        return bytes + Integer.BYTES * (entries * FIELDS + slots);
    }

    /**
     * Makes room for a change, unless that would go over a limit. In an empty table it always does.
     *
     * @param changeBytes that are going to be appended for it at most, keys and values
     * @param newEntries that it may make at most
     * @return false if there is no room: the table has to be written first
     */
    boolean reserve(long changeBytes, long newEntries) {
        if (turn > maxTurns - TURNS_OF_CHANGE) {
            return false;
        }
        long bytesNeeded = end + changeBytes;
        long entriesNeeded = count + newEntries;
        if (bytesNeeded <= bytes.length
                && entriesNeeded * FIELDS <= entries.length
                && 2 * entriesNeeded <= slots.length) {
            return true;
        }
        long after =
                allocated(
                        grown(bytes.length, bytesNeeded),
                        grown(entries.length / FIELDS, entriesNeeded),
                        slotsFor(entriesNeeded));
        if (count > 0 && after > limit) {
            return false;
        }
        // At once: piece by piece it could grow to more.
        ensure(changeBytes);
        return true;
    }

    static long grown(long length, long needed) {
        return needed <= length
                ? length
                : Math.max(needed, Math.min(length + (length >> 1), MAX_ARRAY));
    }

    private int slotsFor(long entriesNeeded) {
        long length = slots.length;
        while (length < 2 * entriesNeeded) {
            length <<= 1;
        }
        return Math.toIntExact(length);
    }

    /**
     * Begins a key.
     *
     * @param state its number
     */
    void beginKey(int state) {
        ensure(STATE_BYTES);
        keyAt = end;
        bytes[end] = (byte) (state >>> Byte.SIZE);
        bytes[end + 1] = (byte) state;
        end += STATE_BYTES;
    }

    void append(int value) {
        ensure(1);
        bytes[end++] = (byte) value;
    }

    /**
     * @param to exclusive
     */
    void append(byte[] source, int from, int to) {
        int length = to - from;
        ensure(length);
        System.arraycopy(source, from, bytes, end, length);
        end += length;
    }

    /** Ends a key: returns its entry, good until the table is cleared. A new one is a DELETE. */
    int endKey() {
        return endKey(false);
    }

    /**
     * Ends a key that all below it is to be cleared of: with this turn for what comes before and
     * after it. Has an entry beside that of {@link #endKey()} of the same bytes.
     */
    void endCleared() {
        // Before the array is looked at: it may be another one afterwards.
        int at = endKey(true) * FIELDS;
        entries[at + TURN] = turn++;
    }

    private int endKey(boolean clear) {
        if (2 * (count + 1) > slots.length) {
            growSlots();
        }
        int length = end - keyAt;
        int hash = hash(clear);
        int mask = slots.length - 1;
        int slot = hash & mask;
        while (slots[slot] != 0) {
            int entry = slots[slot] - 1;
            if (entries[entry * FIELDS + HASH] == hash && isKeyOf(entry, length, clear)) {
                end = keyAt;
                return entry;
            }
            slot = (slot + 1) & mask;
        }
        slots[slot] = count + 1;
        return add(hash, length, clear ? EntryOp.CLEAR : EntryOp.DELETE);
    }

    private int hash(boolean clear) {
        int hash = clear ? 1 : 0;
        for (int i = keyAt; i < end; i++) {
            hash = 31 * hash + bytes[i];
        }
        hash *= 0x9E3779B9;
        return hash ^ (hash >>> 15);
    }

    private boolean isKeyOf(int entry, int length, boolean clear) {
        int from = keyAt(entry);
        return keyLength(entry) == length
                && (op(entry) == EntryOp.CLEAR) == clear
                && Arrays.equals(bytes, from, from + length, bytes, keyAt, keyAt + length);
    }

    private int add(int hash, int length, EntryOp op) {
        int at = count * FIELDS;
        if (at == entries.length) {
            int capacity = Math.toIntExact(grown(count, count + 1L));
            entries = Arrays.copyOf(entries, capacity * FIELDS);
        }
        entries[at + HASH] = hash;
        entries[at + KEY_AT] = keyAt;
        entries[at + KEY_LENGTH] = length;
        entries[at + VALUE_AT] = NOWHERE;
        entries[at + VALUE_LENGTH] = 0;
        entries[at + ROOM] = 0;
        entries[at + OP] = op.ordinal();
        entries[at + TURN] = turn++;
        return count++;
    }

    private void growSlots() {
        slots = new int[slotsFor(count + 1L)];
        int mask = slots.length - 1;
        for (int entry = 0; entry < count; entry++) {
            int slot = entries[entry * FIELDS + HASH] & mask;
            while (slots[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            slots[slot] = entry + 1;
        }
    }

    /** Makes the entry a PUT of these bytes, whatever it was. */
    void put(int entry, byte[] source, int from, int to) {
        int value = place(entry, to - from);
        System.arraycopy(source, from, bytes, value, to - from);
    }

    /** Makes the entry a PUT of one byte and these behind it, whatever it was. */
    void putBehind(int entry, byte first, byte[] source, int from, int to) {
        int value = place(entry, 1 + to - from);
        bytes[value] = first;
        System.arraycopy(source, from, bytes, value + 1, to - from);
    }

    private int place(int entry, int length) {
        int at = entry * FIELDS;
        if (length > entries[at + ROOM] || entries[at + VALUE_AT] == NOWHERE) {
            ensure(length);
            entries[at + VALUE_AT] = end;
            entries[at + ROOM] = length;
            end += length;
        }
        entries[at + VALUE_LENGTH] = length;
        become(at, EntryOp.PUT);
        return entries[at + VALUE_AT];
    }

    /** Makes the entry a DELETE, whatever it was. Its value's place is kept for the next one. */
    void delete(int entry) {
        become(entry * FIELDS, EntryOp.DELETE);
    }

    private void become(int at, EntryOp op) {
        entries[at + OP] = op.ordinal();
        entries[at + TURN] = turn++;
    }

    /** Makes the entry of a list one without elements, which {@link #addPiece} then adds to. */
    void deleteList(int entry) {
        int at = entry * FIELDS;
        entries[at + VALUE_AT] = NOWHERE;
        entries[at + VALUE_LENGTH] = 0;
        become(at, EntryOp.DELETE);
    }

    /** Makes a new entry of a list one that adds to what the delegate has. */
    void mergeList(int entry) {
        become(entry * FIELDS, EntryOp.MERGE);
    }

    /**
     * Adds to a list, with a delimiter between this and what is there: to one that was deleted, or
     * to what the delegate has.
     */
    void addPiece(int entry, byte[] source, int from, int to) {
        int at = entry * FIELDS;
        int length = to - from;
        ensure(PIECE_HEAD + length);
        int former = entries[at + VALUE_AT];
        int piece = end;
        writeInt(piece, former);
        writeInt(piece + Integer.BYTES, length);
        System.arraycopy(source, from, bytes, piece + PIECE_HEAD, length);
        end = piece + PIECE_HEAD + length;
        entries[at + VALUE_AT] = piece;
        entries[at + VALUE_LENGTH] += (former == NOWHERE ? 0 : 1) + length;
        if (op(entry) == EntryOp.DELETE) {
            become(at, EntryOp.PUT);
        }
    }

    /**
     * Copies the pieces of a list in their order.
     *
     * @param target has room for {@link #valueLength} bytes
     */
    void copyPieces(int entry, byte delimiter, byte[] target) {
        int to = valueLength(entry);
        int piece = valueAt(entry);
        while (piece != NOWHERE) {
            int length = Bytes.readInt(bytes, piece + Integer.BYTES);
            to -= length;
            System.arraycopy(bytes, piece + PIECE_HEAD, target, to, length);
            piece = Bytes.readInt(bytes, piece);
            if (piece != NOWHERE) {
                target[--to] = delimiter;
            }
        }
    }

    private void writeInt(int at, int value) {
        bytes[at] = (byte) (value >>> 24);
        bytes[at + 1] = (byte) (value >>> 16);
        bytes[at + 2] = (byte) (value >>> 8);
        bytes[at + 3] = (byte) value;
    }

    private void ensure(long more) {
        if (bytes.length - end < more) {
            bytes = Arrays.copyOf(bytes, Math.toIntExact(grown(bytes.length, end + more)));
        }
    }

    /** The array of keys and values. The next change may replace it. */
    byte[] bytes() {
        return bytes;
    }

    /** The position of the state's number. The key follows it. */
    int keyAt(int entry) {
        return entries[entry * FIELDS + KEY_AT];
    }

    /** The length of the key with the state's number. */
    int keyLength(int entry) {
        return entries[entry * FIELDS + KEY_LENGTH];
    }

    /** The position of the value or, for a list, of its last piece. */
    int valueAt(int entry) {
        return entries[entry * FIELDS + VALUE_AT];
    }

    /** The length in bytes; for a list, with the delimiters. */
    int valueLength(int entry) {
        return entries[entry * FIELDS + VALUE_LENGTH];
    }

    EntryOp op(int entry) {
        return EntryOp.ALL[entries[entry * FIELDS + OP]];
    }

    int turn(int entry) {
        return entries[entry * FIELDS + TURN];
    }

    int state(int entry) {
        int at = keyAt(entry);
        return (bytes[at] & 0xFF) << Byte.SIZE | (bytes[at + 1] & 0xFF);
    }

    /** Forgets all entries, and gives back what it has grown by. */
    void clear() {
        end = 0;
        count = 0;
        turn = 0;
        allocate();
    }
}
