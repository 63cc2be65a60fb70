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
 * Of a list state. What is added to a list that is not known to be there goes to the delegate as
 * one operand, which it merges with what it has.
 */
final class ListFold extends ChangeFold {
    private static final int INITIAL_BYTES = 1 << 10;

    private final FieldEnd elementEnd;
    private final byte delimiter;

    /** Elements with delimiters between them. */
    private byte[] elements = new byte[INITIAL_BYTES];

    ListFold(BulkState state, ChangeTable table, Room room) {
        super(state, table, room);
        this.elementEnd = FieldEnd.of(state.raw().elementSerializer());
        this.delimiter = state.raw().delimiter();
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

    /** The entry, without elements, and with room for so many bytes. */
    private int cleared(int valueBytes) throws IOException {
        makeRoom(valueBytes);
        beginScope();
        int entry = table().endKey();
        table().deleteList(entry);
        return entry;
    }

    /**
     * Puts delimiters between the elements, which the record has one after the other behind their
     * number.
     *
     * @return the length of it all, or -1 if there is no element
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
                elements[length++] = delimiter;
            }
            System.arraycopy(record, at, elements, length, end - at);
            length += end - at;
            at = end;
        }
        expectEnd(at);
        return count > 0 ? length : -1;
    }
}
