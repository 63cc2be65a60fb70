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

/** Of a priority queue, which is a set: an element is its own key, and there or not. */
final class QueueFold extends ChangeFold {
    private final FieldEnd elementEnd;

    QueueFold(BulkState state, ChangeTable table, Room room) {
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

    /** A single one, as nearly all are, ends with the record. */
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
