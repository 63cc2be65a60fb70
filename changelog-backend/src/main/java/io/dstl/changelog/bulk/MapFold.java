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

/** Of a map state: an entry's key follows the scope, its value a mark that tells null. */
final class MapFold extends ChangeFold {
    private static final byte NOT_NULL = 0;

    private final FieldEnd userKeyEnd;
    private final FieldEnd userValueEnd;

    MapFold(BulkState state, ChangeTable table, Room room) {
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

    /** Their number, and of each: key, mark that tells null, value if there is one. */
    private void putAll(byte[] record) throws IOException {
        int at = dataAt() + Integer.BYTES;
        for (int left = readCount("entries"); left > 0; left--) {
            int afterKey = userKeyEnd.of(record, at, record.length);
            if (afterKey == record.length) {
                throw FieldEnd.unexpectedEnd();
            }
            boolean isNull = record[afterKey] != 0;
            int afterValue =
                    isNull ? afterKey + 1 : userValueEnd.of(record, afterKey + 1, record.length);
            int entry = entryOf(at, afterKey, afterValue - afterKey);
            table().put(entry, record, afterKey, afterValue);
            at = afterValue;
        }
        expectEnd(at);
    }
}
