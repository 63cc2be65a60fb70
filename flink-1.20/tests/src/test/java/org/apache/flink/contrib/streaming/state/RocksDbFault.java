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

import org.apache.flink.api.common.state.State;
import org.rocksdb.RocksDBException;

/** Makes RocksDB fail. In this package for what Flink protects. */
public final class RocksDbFault {
    private RocksDbFault() {}

    /** From now on RocksDB takes no change of that state. */
    public static void refuseChanges(State state) throws RocksDBException {
        AbstractRocksDBState<?, ?, ?> rocksDbState = (AbstractRocksDBState<?, ?, ?>) state;
        rocksDbState.backend.db.dropColumnFamily(rocksDbState.columnFamily);
    }
}
