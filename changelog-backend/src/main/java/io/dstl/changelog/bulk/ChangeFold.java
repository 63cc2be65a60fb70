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

import io.dstl.changelog.record.ChangeOp;
import java.io.IOException;
import java.util.Arrays;

/**
 * Adds the changes of one state to a table, and decides what a change does to the entry of its key.
 * Each {@link RawState.Form} has its own fold.
 *
 * <p>Used by one thread.
 */
abstract class ChangeFold {
    /** Upper bound of the bytes that a key in the table has beyond the key of its record. */
    static final int KEY_OVERHEAD = 32;

    /** The position of the scope in a record, after op and state id. */
    private static final int SCOPE_AT = 1 + Short.BYTES;

    private final int number;
    private final int keyGroupBytes;
    private final RecordKey key;
    private final FieldEnd namespaceEnd;
    private final boolean hasLengths;
    private final ChangeTable table;
    private final Room room;

    private byte[] record;
    private int keyGroup;
    private int namespaceAt;
    private int afterScope;

    /** Makes room in a table, and writes the content of the table if it must. */
    interface Room {
        /**
         * Makes room for at most one more entry.
         *
         * @param changeBytes as of {@link ChangeTable#reserve}, which has succeeded on return
         */
        void make(long changeBytes) throws IOException;
    }

    /** Makes the fold of one kind of state. */
    interface Opener {
        ChangeFold open(BulkState state, ChangeTable table, Room room);
    }

    ChangeFold(BulkState state, ChangeTable table, Room room) {
        RawState raw = state.raw();
        this.number = state.number();
        this.keyGroupBytes = raw.keyGroupBytes();
        this.key = RecordKey.of(raw);
        this.namespaceEnd =
                raw.form() == RawState.Form.QUEUE
                        ? FieldEnd.ofNothing()
                        : FieldEnd.of(raw.namespaceSerializer());
        this.hasLengths = raw.hasLengths();
        this.table = table;
        this.room = room;
    }

    /**
     * Adds one change to the table.
     *
     * @param newRecord the whole record, laid out as in {@link RawState}
     * @throws IOException if the record does not parse, or the table can't be written to the
     *     delegate; the replay is then over
     */
    final void fold(ChangeOp op, int newKeyGroup, byte[] newRecord) throws IOException {
        record = newRecord;
        keyGroup = newKeyGroup;
        namespaceAt = key.read(record, SCOPE_AT, keyGroup);
        afterScope = namespaceEnd.of(record, namespaceAt, record.length);
        fold(op);
    }

    /** Adds the change whose scope has been found. */
    abstract void fold(ChangeOp op) throws IOException;

    final ChangeTable table() {
        return table;
    }

    final byte[] record() {
        return record;
    }

    /** Where the record's data begins. */
    final int dataAt() {
        return afterScope;
    }

    /** Makes room for an entry of so many bytes and its scope. Call it before the key begins. */
    final void makeRoom(long entryBytes) throws IOException {
        int scopeBytes = key.length() + afterScope - namespaceAt;
        room.make(scopeBytes + entryBytes + KEY_OVERHEAD);
    }

    /** Begins an entry's key in the table with the scope. The caller may append to it. */
    final void beginScope() {
        table.beginKey(number);
        for (int left = keyGroupBytes - 1; left >= 0; left--) {
            table.append(keyGroup >>> (left * Byte.SIZE));
        }
        key.appendTo(table);
        if (hasLengths) {
            appendLength(key.length());
        }
        table.append(record, namespaceAt, afterScope);
        if (hasLengths) {
            appendLength(afterScope - namespaceAt);
        }
    }

    /** Appends a length as Flink does: lowest byte first, up to the last one that is not zero. */
    private void appendLength(int length) {
        int left = length;
        do {
            table.append(left);
            left >>>= Byte.SIZE;
        } while (left != 0);
    }

    /** Reads the number of elements or entries, with which the data begins. */
    final int readCount(String what) throws IOException {
        if (record.length - afterScope < Integer.BYTES) {
            throw FieldEnd.unexpectedEnd();
        }
        int count = Bytes.readInt(record, afterScope);
        if (count < 0) {
            throw new IOException(count + " " + what + ": expected 0 or more");
        }
        return count;
    }

    /**
     * Fails if the record goes on, as a replay through the state does. Can't detect that where the
     * value is the rest of the record.
     *
     * @param position where the record has to end
     */
    final void expectEnd(int position) throws IOException {
        if (position < record.length) {
            throw new IOException(
                    record.length
                            - position
                            + " bytes follow the change: expected its record to end at byte "
                            + position);
        }
    }

    final IOException unexpected(ChangeOp op) {
        return new IOException("operation " + op + " on a state that never logs it");
    }

    /** A value, reducing or aggregating state: the data is the value, and the last one counts. */
    static final class OfValue extends ChangeFold {
        OfValue(BulkState state, ChangeTable table, Room room) {
            super(state, table, room);
        }

        @Override
        void fold(ChangeOp op) throws IOException {
            byte[] record = record();
            makeRoom(record.length);
            beginScope();
            int entry = table().endKey();
            switch (op) {
                case SET:
                case SET_INTERNAL:
                    table().put(entry, record, dataAt(), record.length);
                    break;
                case CLEAR:
                    expectEnd(dataAt());
                    table().delete(entry);
                    break;
                default:
                    throw unexpected(op);
            }
        }
    }

    /**
     * A list state. If the content of the list is unknown, additions go to the delegate as one
     * operand, which the delegate merges with its list.
     */
    static final class OfList extends ChangeFold {
        private static final int INITIAL_BYTES = 1 << 10;

        private final FieldEnd elementEnd;

        /** The elements, with delimiters between them. */
        private byte[] elements = new byte[INITIAL_BYTES];

        OfList(BulkState state, ChangeTable table, Room room) {
            super(state, table, room);
            this.elementEnd = FieldEnd.of(state.raw().elementSerializer());
        }

        @Override
        void fold(ChangeOp op) throws IOException {
            switch (op) {
                case ADD_ELEMENT:
                    add(record(), dataAt(), record().length);
                    break;
                case ADD:
                    int added = delimited();
                    if (added >= 0) {
                        add(elements, 0, added);
                    }
                    break;
                case SET:
                case SET_INTERNAL:
                    int set = delimited();
                    int entry = cleared(Math.max(0, set));
                    if (set >= 0) {
                        table().addPiece(entry, elements, 0, set);
                    }
                    break;
                case CLEAR:
                    expectEnd(dataAt());
                    cleared(0);
                    break;
                default:
                    throw unexpected(op);
            }
            if (elements.length > INITIAL_BYTES) {
                elements = new byte[INITIAL_BYTES];
            }
        }

        private void add(byte[] source, int from, int to) throws IOException {
            makeRoom((long) to - from);
            beginScope();
            int before = table().size();
            int entry = table().endKey();
            if (table().size() > before) {
                table().mergeList(entry);
            }
            table().addPiece(entry, source, from, to);
        }

        /** Makes the entry an empty list, with room for so many bytes. */
        private int cleared(int valueBytes) throws IOException {
            makeRoom(valueBytes);
            beginScope();
            int entry = table().endKey();
            table().deleteList(entry);
            return entry;
        }

        /**
         * Puts delimiters between the elements, which follow their number in the record.
         *
         * @return the length with delimiters, or -1 if there is no element
         */
        private int delimited() throws IOException {
            byte[] record = record();
            int at = dataAt() + Integer.BYTES;
            int count = readCount("elements");
            int length = 0;
            for (int i = 0; i < count; i++) {
                int end = elementEnd.of(record, at, record.length);
                int needed = length + 1 + end - at;
                if (needed > elements.length) {
                    elements = Arrays.copyOf(elements, Math.max(needed, 2 * elements.length));
                }
                if (i > 0) {
                    elements[length++] = RawState.LIST_DELIMITER;
                }
                System.arraycopy(record, at, elements, length, end - at);
                length += end - at;
                at = end;
            }
            expectEnd(at);
            return count > 0 ? length : -1;
        }
    }

    /** Map state: an entry's key follows the scope, and its value follows a mark for null. */
    static final class OfMap extends ChangeFold {
        private static final byte NOT_NULL = 0;

        private final FieldEnd userKeyEnd;
        private final FieldEnd userValueEnd;

        OfMap(BulkState state, ChangeTable table, Room room) {
            super(state, table, room);
            this.userKeyEnd = FieldEnd.of(state.raw().elementSerializer());
            this.userValueEnd = FieldEnd.of(state.raw().entryValueSerializer());
        }

        @Override
        void fold(ChangeOp op) throws IOException {
            byte[] record = record();
            switch (op) {
                case ADD_OR_UPDATE_ELEMENT:
                    int afterKey = userKeyEnd.of(record, dataAt(), record.length);
                    int entry = entryOf(dataAt(), afterKey, record.length - afterKey + 1);
                    table().putBehind(entry, NOT_NULL, record, afterKey, record.length);
                    break;
                case ADD:
                    putAll(record);
                    break;
                case REMOVE_ELEMENT:
                    expectEnd(userKeyEnd.of(record, dataAt(), record.length));
                    table().delete(entryOf(dataAt(), record.length, 0));
                    break;
                case CLEAR:
                    expectEnd(dataAt());
                    makeRoom(0);
                    beginScope();
                    table().endCleared();
                    break;
                default:
                    throw unexpected(op);
            }
        }

        private int entryOf(int keyAt, int afterKey, int valueBytes) throws IOException {
            makeRoom((long) afterKey - keyAt + valueBytes);
            beginScope();
            table().append(record(), keyAt, afterKey);
            return table().endKey();
        }

        /**
         * Reads the number of entries, then the key of each, a mark for null, and the value if any.
         */
        private void putAll(byte[] record) throws IOException {
            int at = dataAt() + Integer.BYTES;
            for (int left = readCount("entries"); left > 0; left--) {
                int afterKey = userKeyEnd.of(record, at, record.length);
                if (afterKey == record.length) {
                    throw FieldEnd.unexpectedEnd();
                }
                boolean isNull = record[afterKey] != 0;
                int afterValue =
                        isNull
                                ? afterKey + 1
                                : userValueEnd.of(record, afterKey + 1, record.length);
                int entry = entryOf(at, afterKey, afterValue - afterKey);
                table().put(entry, record, afterKey, afterValue);
                at = afterValue;
            }
            expectEnd(at);
        }
    }

    /** A priority queue, which is a set: an element is its own key, and is in the set or not. */
    static final class OfQueue extends ChangeFold {
        private final FieldEnd elementEnd;

        OfQueue(BulkState state, ChangeTable table, Room room) {
            super(state, table, room);
            this.elementEnd = FieldEnd.of(state.raw().elementSerializer());
        }

        @Override
        void fold(ChangeOp op) throws IOException {
            switch (op) {
                case ADD_ELEMENT:
                    addAll(record());
                    break;
                case REMOVE_ELEMENT:
                    table().delete(entryOf(dataAt(), record().length));
                    break;
                default:
                    throw unexpected(op);
            }
        }

        /** Takes the rest of the record as the last element. Nearly all records have only one. */
        private void addAll(byte[] record) throws IOException {
            int at = dataAt() + Integer.BYTES;
            for (int left = readCount("elements"); left > 0; left--) {
                int end = left == 1 ? record.length : elementEnd.of(record, at, record.length);
                table().put(entryOf(at, end), record, end, end);
                at = end;
            }
            expectEnd(at);
        }

        private int entryOf(int from, int to) throws IOException {
            if (from == to) {
                throw FieldEnd.unexpectedEnd();
            }
            makeRoom((long) to - from);
            beginScope();
            table().append(record(), from, to);
            return table().endKey();
        }
    }
}
