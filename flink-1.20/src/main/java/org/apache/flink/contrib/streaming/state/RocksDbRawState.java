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

import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.bulk.RawState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.RocksDBException;

/**
 * How a state of exactly one of Flink's RocksDB classes keeps its keys and values, or a queue its
 * elements.
 *
 * <p>In Flink's package, to reach the serializers, the column family and the database of these
 * states. Valid until the state is registered anew with other serializers.
 */
final class RocksDbRawState implements RawState {
    private static final Map<Class<?>, Form> FORMS =
            Map.of(
                    RocksDBValueState.class, Form.VALUE,
                    RocksDBReducingState.class, Form.ACCUMULATOR,
                    RocksDBAggregatingState.class, Form.ACCUMULATOR,
                    RocksDBListState.class, Form.LIST,
                    RocksDBMapState.class, Form.MAP);

    private final RocksDBKeyedStateBackend<?> backend;
    private final ColumnFamilyHandle columnFamily;
    private final Form form;
    private final TypeSerializer<?> namespaceSerializer;
    private final TypeSerializer<?> valueSerializer;

    private RocksDbRawState(
            RocksDBKeyedStateBackend<?> backend,
            ColumnFamilyHandle columnFamily,
            Form form,
            TypeSerializer<?> namespaceSerializer,
            TypeSerializer<?> valueSerializer) {
        this.backend = backend;
        this.columnFamily = columnFamily;
        this.form = form;
        this.namespaceSerializer = namespaceSerializer;
        this.valueSerializer = valueSerializer;
    }

    /** Whether the state is of exactly one of Flink's classes, not of a subclass. */
    static boolean isOfFlink(InternalKvState<?, ?, ?> state) {
        return FORMS.containsKey(state.getClass());
    }

    /** Empty for a state of any other class, subclasses included, or of any other backend. */
    static Optional<RawState> of(InternalKvState<?, ?, ?> state) {
        Form form = FORMS.get(state.getClass());
        if (form == null) {
            return Optional.empty();
        }
        AbstractRocksDBState<?, ?, ?> kept = (AbstractRocksDBState<?, ?, ?>) state;
        return Optional.of(
                new RocksDbRawState(
                        kept.backend,
                        kept.columnFamily,
                        form,
                        kept.namespaceSerializer,
                        kept.valueSerializer));
    }

    /** See {@link RocksDbSupport#rawQueue}. */
    static Optional<RawState> ofQueue(
            AbstractKeyedStateBackend<?> delegate,
            String name,
            TypeSerializer<?> elementSerializer) {
        if (!(delegate instanceof RocksDBKeyedStateBackend)) {
            return Optional.empty();
        }
        RocksDBKeyedStateBackend<?> backend = (RocksDBKeyedStateBackend<?>) delegate;
        if (!(backend.getPriorityQueueFactory() instanceof RocksDBPriorityQueueSetFactory)) {
            return Optional.empty();
        }
        return Optional.ofNullable(backend.getColumnFamilyHandle(name))
                .map(
                        family ->
                                new RocksDbRawState(
                                        backend,
                                        family,
                                        Form.QUEUE,
                                        VoidNamespaceSerializer.INSTANCE,
                                        elementSerializer));
    }

    @Override
    public Form form() {
        return form;
    }

    @Override
    public int keyGroupBytes() {
        return backend.getKeyGroupPrefixBytes();
    }

    @Override
    public int numberOfKeyGroups() {
        return backend.getNumberOfKeyGroups();
    }

    @Override
    public TypeSerializer<?> keySerializer() {
        return backend.getKeySerializer();
    }

    @Override
    public TypeSerializer<?> namespaceSerializer() {
        return namespaceSerializer;
    }

    @Override
    public TypeSerializer<?> valueSerializer() {
        return valueSerializer;
    }

    @Override
    public RawState.RawWriter newWriter(Cancellation cancellation) {
        return new RocksDbRawWriter(
                backend.db, backend.getWriteOptions(), backend.getReadOptions(), cancellation);
    }

    /**
     * Takes over a file of sorted keys, whose entries are newer than all in the column family.
     *
     * @throws IOException if RocksDB does not take the file
     */
    void ingest(Path file) throws IOException {
        try (IngestExternalFileOptions options =
                new IngestExternalFileOptions().setMoveFiles(true)) {
            backend.db.ingestExternalFile(columnFamily, List.of(file.toString()), options);
        } catch (RocksDBException e) {
            throw new IOException("RocksDB does not take " + file + ": " + e.getMessage(), e);
        }
    }

    ColumnFamilyHandle columnFamily() {
        return columnFamily;
    }

    @Override
    public String toString() {
        return form + " in RocksDB";
    }
}
