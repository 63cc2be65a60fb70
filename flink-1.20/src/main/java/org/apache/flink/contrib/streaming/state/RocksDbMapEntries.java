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
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.memory.DataOutputView;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;

/**
 * Entries for RocksDB, and for the log as a {@code MapSerializer} writes them: their number, then
 * the user's key, a mark of null values and the value of each. All are of one key and namespace.
 *
 * <p>Threading: the task thread.
 */
final class RocksDbMapEntries implements ChangeData {
    private final List<byte[]> rocksKeys = new ArrayList<>();
    private final List<byte[]> rocksValues = new ArrayList<>();
    private int userKeyAt;

    boolean isEmpty() {
        return rocksKeys.isEmpty();
    }

    /**
     * @param userKeyAt where the user's key begins in RocksDB's
     */
    void add(byte[] rocksKey, int userKeyAt, byte[] rocksValue) {
        this.userKeyAt = userKeyAt;
        rocksKeys.add(rocksKey);
        rocksValues.add(rocksValue);
    }

    /** A batch that is full meanwhile is written, and filled again. */
    void addTo(RocksDBWriteBatchWrapper batch, ColumnFamilyHandle columnFamily)
            throws RocksDBException {
        for (int i = 0; i < rocksKeys.size(); i++) {
            batch.put(columnFamily, rocksKeys.get(i), rocksValues.get(i));
        }
    }

    @Override
    public void writeTo(DataOutputView out) throws IOException {
        out.writeInt(rocksKeys.size());
        for (int i = 0; i < rocksKeys.size(); i++) {
            byte[] rocksKey = rocksKeys.get(i);
            out.write(rocksKey, userKeyAt, rocksKey.length - userKeyAt);
            out.write(rocksValues.get(i));
        }
    }
}
