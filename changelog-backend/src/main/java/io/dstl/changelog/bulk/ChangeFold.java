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

/**
 * Takes the changes of one state into a table: what a change does to the entry of its key. There is
 * one implementation for each kind of state.
 *
 * <p>For one thread.
 */
abstract class ChangeFold {
    /** More than an entry's key has beside the bytes of its record. */
    static final int KEY_OVERHEAD = 32;

    /** Op and state id, which the scope follows in a record. */
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

    /** Makes room in a table, by writing what it holds if it must. */
    interface Room {

        /**
         * For one more entry at most.
         *
         * @param changeBytes as of {@link ChangeTable#reserve}, which has succeeded then
         */
        void make(long changeBytes) throws IOException;
    }

    ChangeFold(BulkState state, ChangeTable table, Room room) {
        RawState raw = state.raw();
        this.number = state.number();
        this.keyGroupBytes = raw.keyGroupBytes();
        this.key = RecordKey.of(raw);
        this.namespaceEnd =
                raw.kind() == RawState.Kind.QUEUE
                        ? FieldEnd.ofNothing()
                        : FieldEnd.of(raw.namespaceSerializer());
        this.hasLengths = raw.hasLengths();
        this.table = table;
        this.room = room;
    }

    static ChangeFold of(BulkState state, ChangeTable table, Room room) {
        switch (state.raw().kind()) {
            case LIST:
                return new ListFold(state, table, room);
            case MAP:
                return new MapFold(state, table, room);
            case QUEUE:
                return new QueueFold(state, table, room);
            default:
                return new ValueFold(state, table, room);
        }
    }

    /**
     * Takes one change.
     *
     * @param newRecord whole, as {@link RawState} has it
     * @throws IOException if the record does not parse, or what had to be written could not be; the
     *     replay is then over
     */
    final void fold(ChangeOp op, int newKeyGroup, byte[] newRecord) throws IOException {
        record = newRecord;
        keyGroup = newKeyGroup;
        namespaceAt = key.read(record, SCOPE_AT, keyGroup);
        afterScope = namespaceEnd.of(record, namespaceAt, record.length);
        fold(op);
    }

    /** Takes the change whose scope has been found. */
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

    /** Before the key is begun: for an entry of so many bytes, and its scope. */
    final void makeRoom(long entryBytes) throws IOException {
        int scopeBytes = key.length() + afterScope - namespaceAt;
        room.make(scopeBytes + entryBytes + KEY_OVERHEAD);
    }

    /** Begins an entry's key in the table with the scope, which more may be appended to. */
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

    /** As Flink writes it: from the lowest byte to the last that is not zero. */
    private void appendLength(int length) {
        int left = length;
        do {
            table.append(left);
            left >>>= Byte.SIZE;
        } while (left != 0);
    }

    /** The number of elements or entries that the data begins with. */
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
     * As for a change that is replayed through its state. Not to be told where the rest of a record
     * is taken as the value that it is.
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
}
