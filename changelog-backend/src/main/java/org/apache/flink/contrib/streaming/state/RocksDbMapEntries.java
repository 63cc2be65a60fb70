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
package org.apache.flink.contrib.streaming.state;

import io.dstl.changelog.record.ChangeData;
import java.io.IOException;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Entries that RocksDB was given, as a {@code MapSerializer} writes them for the log: their number,
 * then the user's key, a mark of null values and the value of each.
 *
 * <p>Threading: the task thread.
 */
final class RocksDbMapEntries implements ChangeData {
    private static final int INITIAL_BYTES = 128;

    /** A buffer that one large map has grown beyond this is not kept for the next. */
    private static final int MAX_KEPT_BYTES = 1 << 20;

    private DataOutputSerializer buffer = new DataOutputSerializer(INITIAL_BYTES);
    private int count;

    void clear() {
        if (buffer.getSharedBuffer().length > MAX_KEPT_BYTES) {
            buffer = new DataOutputSerializer(INITIAL_BYTES);
        }
        buffer.clear();
        count = 0;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /**
     * @param userKeyAt where the user's key begins in RocksDB's
     */
    void add(byte[] rocksKey, int userKeyAt, byte[] rocksValue) throws IOException {
        buffer.write(rocksKey, userKeyAt, rocksKey.length - userKeyAt);
        buffer.write(rocksValue);
        count++;
    }

    @Override
    public void writeTo(DataOutputView out) throws IOException {
        out.writeInt(count);
        out.write(buffer.getSharedBuffer(), 0, buffer.length());
    }
}
