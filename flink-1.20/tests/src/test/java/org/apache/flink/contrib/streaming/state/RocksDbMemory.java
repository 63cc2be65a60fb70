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
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;

/** What RocksDB has not written to its files. In this package for what Flink protects. */
public final class RocksDbMemory {
    private RocksDbMemory() {}

    /** Entries of the state, those that replace others included. */
    public static long entries(State state) throws RocksDBException {
        AbstractRocksDBState<?, ?, ?> rocksDbState = (AbstractRocksDBState<?, ?, ?>) state;
        return entries(rocksDbState.backend, rocksDbState.columnFamily);
    }

    /** From now on a memtable that is full waits for its flush. */
    public static void holdFlushes(State state) throws RocksDBException {
        ((AbstractRocksDBState<?, ?, ?>) state).backend.db.pauseBackgroundWork();
    }

    public static void releaseFlushes(State state) throws RocksDBException {
        ((AbstractRocksDBState<?, ?, ?>) state).backend.db.continueBackgroundWork();
    }

    /** All of the state, into one level. */
    public static void compact(State state) throws RocksDBException {
        AbstractRocksDBState<?, ?, ?> rocksDbState = (AbstractRocksDBState<?, ?, ?>) state;
        rocksDbState.backend.db.compactRange(rocksDbState.columnFamily);
    }

    /** The same of the state with this name. */
    public static long entries(RocksDBKeyedStateBackend<?> backend, String state)
            throws RocksDBException {
        return entries(backend, backend.getColumnFamilyHandle(state));
    }

    private static long entries(RocksDBKeyedStateBackend<?> backend, ColumnFamilyHandle state)
            throws RocksDBException {
        return backend.db.getLongProperty(state, "rocksdb.num-entries-active-mem-table");
    }
}
