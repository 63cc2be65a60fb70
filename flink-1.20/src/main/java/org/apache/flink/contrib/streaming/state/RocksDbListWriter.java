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
import io.dstl.changelog.write.ListWriter;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.util.Preconditions;
import org.rocksdb.RocksDBException;

/**
 * Does what {@link RocksDBListState} does when it is changed, without its copies, and logs the same
 * bytes.
 */
final class RocksDbListWriter<N, E> implements ListWriter<E> {
    private final RocksDBListState<?, N, E> state;
    private final StateLog<?, N> log;
    private final RocksDbKey<N> key;
    private final RocksDbValue written;
    private final DelimitedElements elements;

    RocksDbListWriter(RocksDBListState<?, N, E> state, StateLog<?, N> log) {
        this.state = state;
        this.log = log;
        this.key = new RocksDbKey<>(state);
        this.written = new RocksDbValue(state);
        this.elements = new DelimitedElements(state.dataOutputView);
    }

    @Override
    public void add(E element) throws IOException, RocksDBException {
        Preconditions.checkNotNull(element, "You cannot add null to a ListState.");
        written.serialize(element, elementSerializer());
        merge();
        log.record(key, ChangeOp.ADD_ELEMENT, written);
    }

    @Override
    public void addAll(List<E> added) throws IOException, RocksDBException {
        elements.serialize(added, elementSerializer());
        merge();
        log.record(key, ChangeOp.ADD, elements);
    }

    private void merge() throws RocksDBException {
        key.at(log.namespace());
        state.backend.db.merge(
                state.columnFamily,
                state.writeOptions,
                key.buffer().getSharedBuffer(),
                0,
                key.afterNamespace(),
                written.bytes(),
                0,
                written.length());
    }

    @Override
    public void set(List<E> replacement, ChangeOp op) throws IOException, RocksDBException {
        elements.serialize(replacement, elementSerializer());
        key.at(log.namespace());
        state.backend.db.put(
                state.columnFamily,
                state.writeOptions,
                key.buffer().getSharedBuffer(),
                0,
                key.afterNamespace(),
                written.bytes(),
                0,
                written.length());
        log.record(key, op, elements);
    }

    /** The one that the state uses: it takes it from there too, each time there is another. */
    private TypeSerializer<E> elementSerializer() {
        return ((ListSerializer<E>) state.valueSerializer).getElementSerializer();
    }
}
