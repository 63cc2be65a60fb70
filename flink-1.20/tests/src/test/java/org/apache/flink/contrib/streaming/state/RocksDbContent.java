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

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.util.StringUtils;
import org.rocksdb.RocksIterator;

/** All that a backend's RocksDB holds, byte by byte. In this package for the database. */
public final class RocksDbContent {
    private RocksDbContent() {}

    /**
     * A line for each key: the state, the key, the value.
     *
     * @param states those that there may be
     */
    public static List<String> of(AbstractKeyedStateBackend<?> backend, List<String> states) {
        RocksDBKeyedStateBackend<?> rocksDb = (RocksDBKeyedStateBackend<?>) backend;
        List<String> lines = new ArrayList<>();
        for (String state : states) {
            try (RocksIterator keys =
                    rocksDb.db.newIterator(
                            rocksDb.getColumnFamilyHandle(state), rocksDb.getReadOptions())) {
                for (keys.seekToFirst(); keys.isValid(); keys.next()) {
                    lines.add(
                            state
                                    + " "
                                    + StringUtils.byteToHexString(keys.key())
                                    + " "
                                    + StringUtils.byteToHexString(keys.value()));
                }
            }
        }
        return lines;
    }
}
