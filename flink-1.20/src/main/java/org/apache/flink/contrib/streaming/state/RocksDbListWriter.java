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

import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.StateLog;
import io.dstl.changelog.state.ListKind;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.util.Preconditions;
import org.rocksdb.RocksDBException;

/**
 * Does the same as {@link RocksDBListState} on a change, without its copies, and logs the same
 * bytes.
 */
final class RocksDbListWriter<N, E> implements ListKind.Writer<E> {
    private final RocksDBListState<?, N, E> state;
    private final StateLog<?, N> log;
    private final RocksDbKey<N> key;
    private final RocksDbValue written;
    private final Elements elements;

    RocksDbListWriter(RocksDBListState<?, N, E> state, StateLog<?, N> log) {
        this.state = state;
        this.log = log;
        this.key = new RocksDbKey<>(state);
        this.written = new RocksDbValue(state);
        this.elements = new Elements(state.dataOutputView);
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
        key.put(written);
        log.record(key, op, elements);
    }

    /** The state's own: the state takes it from there too, whenever the serializer changes. */
    private TypeSerializer<E> elementSerializer() {
        return ((ListSerializer<E>) state.valueSerializer).getElementSerializer();
    }

    /**
     * The elements of a list as RocksDB keeps them, with a delimiter between any two; and, from the
     * same bytes, as a {@code ListSerializer} writes them for the log: their number, then one after
     * the other.
     *
     * <p>Valid until the state that owns the buffer serializes something else. Threading: the task
     * thread.
     */
    private static final class Elements implements StateLog.Data {
        private static final int INITIAL_ELEMENTS = 8;

        /** An array that one long list has grown beyond this is not kept for the next list. */
        private static final int MAX_KEPT_ELEMENTS = 1 << 16;

        private final DataOutputSerializer buffer;
        private int[] ends = new int[INITIAL_ELEMENTS];
        private int count;

        Elements(DataOutputSerializer buffer) {
            this.buffer = buffer;
        }

        <E> void serialize(List<E> elements, TypeSerializer<E> serializer) throws IOException {
            if (ends.length > MAX_KEPT_ELEMENTS) {
                ends = new int[INITIAL_ELEMENTS];
            }
            buffer.clear();
            count = 0;
            for (E element : elements) {
                Preconditions.checkNotNull(element, "You cannot add null to a value list.");
                if (count > 0) {
                    buffer.write(RawState.LIST_DELIMITER);
                }
                serializer.serialize(element, buffer);
                if (count == ends.length) {
                    ends = Arrays.copyOf(ends, 2 * count);
                }
                ends[count++] = buffer.length();
            }
        }

        @Override
        public void writeTo(DataOutputView out) throws IOException {
            out.writeInt(count);
            int from = 0;
            for (int element = 0; element < count; element++) {
                out.write(buffer.getSharedBuffer(), from, ends[element] - from);
                from = ends[element] + 1;
            }
        }
    }
}
