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

/** Of a value, reducing or aggregating state: the data is the value, and the last one counts. */
final class ValueFold extends ChangeFold {

    ValueFold(BulkState state, ChangeTable table, Room room) {
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
