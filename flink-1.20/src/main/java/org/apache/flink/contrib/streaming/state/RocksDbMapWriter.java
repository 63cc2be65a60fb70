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
import io.dstl.changelog.state.MapKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;

/**
 * Does the same as {@link RocksDBMapState} on a change, without its copies, and logs the same
 * bytes. The user's key is the end of RocksDB's key, and the user's value is RocksDB's value after
 * the mark for null.
 */
final class RocksDbMapWriter<N, UK, UV> implements MapKind.Writer<UK, UV> {
    private static final int NULL_MARK_BYTES = 1;

    /** The mark alone. */
    private static final byte[] NULL_VALUE = {1};

    private final RocksDBMapState<?, N, UK, UV> state;
    private final StateLog<?, N> log;
    private final RocksDbKey<N> key;
    private final RocksDbValue written;

    /** Of an entry that an iterator has returned: RocksDB's key, and where the user's begins. */
    private byte[] keyOfEntry = {};

    private int userKeyOfEntry;

    // Fields, so that they are made once and not per change.
    private final StateLog.Data userKey = this::writeUserKey;
    private final StateLog.Data userValue = this::writeUserValue;
    private final StateLog.Data nullEntry = this::writeNullEntry;
    private final StateLog.Data iteratedKey = this::writeIteratedKey;
    private final StateLog.Data iteratedNullEntry = this::writeIteratedNullEntry;

    RocksDbMapWriter(RocksDBMapState<?, N, UK, UV> state, StateLog<?, N> log) {
        this.state = state;
        this.log = log;
        this.key = new RocksDbKey<>(state);
        this.written = new RocksDbValue(state);
    }

    @Override
    public void put(UK mapKey, @Nullable UV value) throws IOException, RocksDBException {
        serialize(value);
        serializeKey(mapKey);
        key.put(written);
        if (value == null) {
            log.record(key, ChangeOp.ADD, nullEntry);
        } else {
            log.recordEntry(key, ChangeOp.ADD_OR_UPDATE_ELEMENT, userKey, userValue);
        }
    }

    @Override
    public void remove(UK mapKey) throws IOException, RocksDBException {
        serializeKey(mapKey);
        state.backend.db.delete(
                state.columnFamily,
                state.writeOptions,
                key.buffer().getSharedBuffer(),
                0,
                key.buffer().length());
        log.record(key, ChangeOp.REMOVE_ELEMENT, userKey);
    }

    /** See {@link RocksDbWriters#putNull}. */
    static <UK> void putNull(RocksDBMapState<?, ?, UK, ?> state, UK mapKey)
            throws IOException, RocksDBException {
        TypeSerializer<UK> keys =
                ((MapSerializer<UK, ?>) (TypeSerializer<?>) state.valueSerializer)
                        .getKeySerializer();
        state.backend.db.put(
                state.columnFamily,
                state.writeOptions,
                state.serializeCurrentKeyWithGroupAndNamespacePlusUserKey(mapKey, keys),
                NULL_VALUE);
    }

    /**
     * Serializes all entries before it writes the first, so that one that cannot be serialized
     * leaves RocksDB and the log as they are. (Flink's own writes the entries before that one.)
     */
    @Override
    public void putAll(Map<UK, UV> added) throws IOException, RocksDBException {
        Entries entries = new Entries();
        for (Map.Entry<UK, UV> entry : added.entrySet()) {
            UK mapKey = entry.getKey();
            serialize(entry.getValue());
            serializeKey(mapKey);
            entries.add(
                    key.buffer().getCopyOfBuffer(),
                    key.afterNamespace(),
                    state.dataOutputView.getCopyOfBuffer());
        }
        if (entries.isEmpty()) {
            return;
        }
        StateLog.Scope scope = key.at(log.namespace());
        try (RocksDBWriteBatchWrapper batch =
                new RocksDBWriteBatchWrapper(
                        state.backend.db, state.writeOptions, state.backend.getWriteBatchSize())) {
            entries.addTo(batch, state.columnFamily);
        } catch (Throwable t) {
            // Of several batches, the first may have been written.
            log.lose(t);
            throw t;
        }
        log.record(scope, ChangeOp.ADD, entries);
    }

    /** The delegate's entry has left its value in the state's buffer, but its key in no buffer. */
    @Override
    public void logEntrySet(StateLog.Scope scope, Map.Entry<UK, UV> entry, @Nullable UV value)
            throws IOException {
        take(entry);
        if (value == null) {
            log.record(scope, ChangeOp.ADD, iteratedNullEntry);
        } else {
            log.recordEntry(scope, ChangeOp.ADD_OR_UPDATE_ELEMENT, iteratedKey, userValue);
        }
    }

    @Override
    public void logEntryRemoved(StateLog.Scope scope, Map.Entry<UK, UV> entry) throws IOException {
        take(entry);
        log.record(scope, ChangeOp.REMOVE_ELEMENT, iteratedKey);
    }

    private void take(Map.Entry<UK, UV> entry) {
        keyOfEntry = RocksDbMapEntry.key(entry);
        userKeyOfEntry = RocksDbMapEntry.userKeyAt(entry);
    }

    private void serialize(@Nullable UV value) throws IOException {
        DataOutputSerializer buffer = state.dataOutputView;
        buffer.clear();
        buffer.writeBoolean(value == null);
        if (value != null) {
            serializer().getValueSerializer().serialize(value, buffer);
        }
    }

    private void serializeKey(UK mapKey) throws IOException {
        key.at(log.namespace());
        keySerializer().serialize(mapKey, key.buffer());
    }

    private void writeUserKey(DataOutputView out) throws IOException {
        DataOutputSerializer buffer = key.buffer();
        int from = key.afterNamespace();
        out.write(buffer.getSharedBuffer(), from, buffer.length() - from);
    }

    private void writeUserValue(DataOutputView out) throws IOException {
        DataOutputSerializer buffer = state.dataOutputView;
        out.write(buffer.getSharedBuffer(), NULL_MARK_BYTES, buffer.length() - NULL_MARK_BYTES);
    }

    private void writeNullEntry(DataOutputView out) throws IOException {
        out.writeInt(1);
        writeUserKey(out);
        out.writeBoolean(true);
    }

    private void writeIteratedKey(DataOutputView out) throws IOException {
        out.write(keyOfEntry, userKeyOfEntry, keyOfEntry.length - userKeyOfEntry);
    }

    private void writeIteratedNullEntry(DataOutputView out) throws IOException {
        out.writeInt(1);
        writeIteratedKey(out);
        out.writeBoolean(true);
    }

    private TypeSerializer<UK> keySerializer() {
        return serializer().getKeySerializer();
    }

    /** The state's own serializer, from which the state takes its parts too. */
    private MapSerializer<UK, UV> serializer() {
        return (MapSerializer<UK, UV>) state.valueSerializer;
    }

    /**
     * Entries for RocksDB, and for the log as a {@code MapSerializer} writes them: their number,
     * then the user's key, a mark of null values and the value of each. All are of one key and
     * namespace.
     *
     * <p>Threading: the task thread.
     */
    private static final class Entries implements StateLog.Data {
        private final List<byte[]> rocksKeys = new ArrayList<>();
        private final List<byte[]> rocksValues = new ArrayList<>();
        private int userKeyAt;

        boolean isEmpty() {
            return rocksKeys.isEmpty();
        }

        /**
         * @param userKeyAt where the user's key begins in RocksDB's key
         */
        void add(byte[] rocksKey, int userKeyAt, byte[] rocksValue) {
            this.userKeyAt = userKeyAt;
            rocksKeys.add(rocksKey);
            rocksValues.add(rocksValue);
        }

        /** Whenever the batch is full, it is written and filled again. */
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
}
