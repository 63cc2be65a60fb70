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

import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.StateLog;
import io.dstl.changelog.write.ValueWriter;
import java.io.IOException;
import org.rocksdb.RocksDBException;

/** Does what {@link RocksDBValueState#update} does, without its copies, and logs the same bytes. */
final class RocksDbValueWriter<N, V> implements ValueWriter<V> {
    private final RocksDBValueState<?, N, V> state;
    private final StateLog<?, N> log;
    private final RocksDbKey<N> key;
    private final RocksDbValue written;

    RocksDbValueWriter(RocksDBValueState<?, N, V> state, StateLog<?, N> log) {
        this.state = state;
        this.log = log;
        this.key = new RocksDbKey<>(state);
        this.written = new RocksDbValue(state);
    }

    @Override
    public void set(V value) throws IOException {
        written.serialize(value, state.valueSerializer);
        key.at(log.namespace());
        try {
            state.backend.db.put(
                    state.columnFamily,
                    state.writeOptions,
                    key.buffer().getSharedBuffer(),
                    0,
                    key.afterNamespace(),
                    written.bytes(),
                    0,
                    written.length());
        } catch (RocksDBException e) {
            throw new IOException("Error while adding data to RocksDB", e);
        }
        log.record(key, ChangeOp.SET, written);
    }
}
