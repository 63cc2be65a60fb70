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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Holds the last change of each key in the form that the delegate takes: a hash table over an array
 * of bytes, without an object for each entry.
 *
 * <p>Callers build a key in place, at the end of the array: {@link #beginKey}, then {@link
 * #append}, then {@link #endKey}, which finds the key's entry or adds one. In the array the number
 * of the state precedes the key, so that entries sort by state and then in the order of the
 * delegate.
 *
 * <p>The table takes no more memory than its limit, except for one change that is larger. {@link
 * #reserve} returns false when the caller has to write the entries and {@link #clear} the table.
 * While an array grows, the table holds the old array as well.
 *
 * <p>Owns the bytes. One thread at a time.
 */
final class ChangeTable {
    static final int STATE_BYTES = Short.BYTES;

    /** The highest limit, with which positions and lengths still are ints. */
    static final long MAX_BYTES = 1L << 30;

    /** The longest array that every JVM can make. */
    private static final long MAX_ARRAY = Integer.MAX_VALUE - 8;

    private static final int MAX_TURNS = Integer.MAX_VALUE;

    /** No change takes more turns: it adds an entry and changes it twice. */
    private static final int TURNS_OF_CHANGE = 4;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /**
     * Of SplitMix64 (Steele, Lea, Flood 2014), whose last step spreads each bit over all others.
     */
    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private static final long MIX_1 = 0xBF58476D1CE4E5B9L;
    private static final long MIX_2 = 0x94D049BB133111EBL;

    private static final int HASH = 0;
    private static final int KEY_AT = 1;
    private static final int KEY_LENGTH = 2;
    private static final int VALUE_AT = 3;
    private static final int VALUE_LENGTH = 4;

    /** The bytes that the place of the value can hold; a longer value gets another place. */
    private static final int ROOM = 5;

    private static final int OP = 6;

    /** Higher than that of another entry: this one was added, or last changed, after it. */
    private static final int TURN = 7;

    private static final int FIELDS = 8;

    /** The head of a piece of a list: the position of the piece before it, and its length. */
    private static final int PIECE_HEAD = 2 * Integer.BYTES;

    /** Marks an entry that has no place for a value. */
    private static final int NOWHERE = -1;

    private static final int INITIAL_BYTES = 1 << 16;
    private static final int INITIAL_ENTRIES = 1 << 9;

    /** What to do with an entry's key in the delegate. */
    enum EntryOp {
        PUT,
        DELETE,
        /** Adds the value to that of the delegate, as one more operand. */
        MERGE,
        /** Deletes the delegate's keys below this one. Older entries below this key are void. */
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

    /** Entry index plus one, by hash; 0: none. A power of two, at least twice the entry count. */
    private int[] slots;

    /**
     * @param limit in bytes, of all arrays together; capped at {@link #MAX_BYTES}
     */
    ChangeTable(long limit) {
        this(limit, MAX_TURNS);
    }

    /**
     * @param maxTurns the number of turns after which the table is full
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

    /** The bytes that the arrays take now. */
    long allocated() {
        return allocated(bytes.length, entries.length / FIELDS, slots.length);
    }

    private static long allocated(long bytes, long entries, long slots) {
        return bytes + Integer.BYTES * (entries * FIELDS + slots);
    }

    /**
     * Makes room for a change, unless the table would exceed a limit. An empty table always does.
     *
     * @param changeBytes upper bound of the bytes to append for the change, keys and values
     * @param newEntries upper bound of the entries that the change adds
     * @return false if there is no room: the caller has to write the table first
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
        // Grows at once: growing piece by piece could take more.
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
     * @param state the number of the state
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

    /** Ends a key and returns its entry, valid until {@link #clear}. A new entry is a DELETE. */
    int endKey() {
        return endKey(false);
    }

    /**
     * Ends a key below which all keys are cleared. The turn of the entry separates changes before
     * the clear from those after it. The same bytes may have another entry, of {@link #endKey()}.
     */
    void endCleared() {
        // Before the array is read: endKey may replace it.
        int at = endKey(true) * FIELDS;
        entries[at + TURN] = turn++;
    }

    private int endKey(boolean clear) {
        if (2 * (count + 1) > slots.length) {
            growSlots();
        }
        int length = end - keyAt;
        int hash = hash(bytes, keyAt, end, clear);
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

    /**
     * Not that of Java's strings, of which many keys that look alike have one: each of them would
     * be compared with all others. Who knows this one can make such keys still.
     */
    static int hash(byte[] bytes, int from, int to, boolean clear) {
        long hash = clear ? 1 : 0;
        int at = from;
        for (int last = to - Long.BYTES; at <= last; at += Long.BYTES) {
            hash = folded(hash ^ (long) LONG.get(bytes, at));
        }
        long rest = (long) to - from;
        for (; at < to; at++) {
            rest = rest << Byte.SIZE | (bytes[at] & 0xFF);
        }
        hash = folded(hash ^ rest);
        hash = (hash ^ hash >>> 30) * MIX_1;
        hash = (hash ^ hash >>> 27) * MIX_2;
        return (int) (hash ^ hash >>> 31);
    }

    private static long folded(long hash) {
        long product = hash * GAMMA;
        return product ^ product >>> Integer.SIZE;
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

    /** Makes the entry a PUT of one byte and then these bytes, whatever it was. */
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

    /** Makes the entry a DELETE, whatever it was. Keeps the place of the value for the next one. */
    void delete(int entry) {
        become(entry * FIELDS, EntryOp.DELETE);
    }

    private void become(int at, EntryOp op) {
        entries[at + OP] = op.ordinal();
        entries[at + TURN] = turn++;
    }

    /** Makes the entry of a list an empty list, to which {@link #addPiece} then adds. */
    void deleteList(int entry) {
        int at = entry * FIELDS;
        entries[at + VALUE_AT] = NOWHERE;
        entries[at + VALUE_LENGTH] = 0;
        become(at, EntryOp.DELETE);
    }

    /** Makes a new entry of a list add to the list of the delegate. */
    void mergeList(int entry) {
        become(entry * FIELDS, EntryOp.MERGE);
    }

    /**
     * Adds a piece to a list that was deleted, or to the list of the delegate. A delimiter
     * separates the piece from the one before it.
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

    /** Removes all entries, and frees the memory by which the table has grown. */
    void clear() {
        end = 0;
        count = 0;
        turn = 0;
        allocate();
    }
}
