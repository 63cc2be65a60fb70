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

import static org.apache.flink.runtime.state.CompositeKeySerializationUtils.isAmbiguousKeyPossible;

import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.bulk.RawWriter;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.rocksdb.ColumnFamilyHandle;

/**
 * How a state of exactly one of Flink's RocksDB classes keeps its keys and values.
 *
 * <p>In this package for the serializers, the column family and the database of these states. Good
 * until the state is registered anew with other serializers.
 */
public final class RocksDbRawState implements RawState {
    private static final byte DELIMITER = ',';

    private static final Map<Class<?>, Kind> KINDS =
            Map.of(
                    RocksDBValueState.class, Kind.VALUE,
                    RocksDBReducingState.class, Kind.ACCUMULATOR,
                    RocksDBAggregatingState.class, Kind.ACCUMULATOR,
                    RocksDBListState.class, Kind.LIST,
                    RocksDBMapState.class, Kind.MAP);

    private final AbstractRocksDBState<?, ?, ?> state;
    private final Kind kind;

    private RocksDbRawState(AbstractRocksDBState<?, ?, ?> state, Kind kind) {
        this.state = state;
        this.kind = kind;
    }

    /** Empty for a state of any other class, subclasses included, or of any other backend. */
    public static Optional<RawState> of(InternalKvState<?, ?, ?> state) {
        Kind kind = KINDS.get(state.getClass());
        return kind == null
                ? Optional.empty()
                : Optional.of(new RocksDbRawState((AbstractRocksDBState<?, ?, ?>) state, kind));
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public int keyGroupBytes() {
        return state.backend.getKeyGroupPrefixBytes();
    }

    @Override
    public int numberOfKeyGroups() {
        return state.backend.getNumberOfKeyGroups();
    }

    @Override
    public TypeSerializer<?> keySerializer() {
        return state.backend.getKeySerializer();
    }

    @Override
    public TypeSerializer<?> namespaceSerializer() {
        return state.namespaceSerializer;
    }

    @Override
    public TypeSerializer<?> elementSerializer() {
        return kind == Kind.MAP
                ? ((MapSerializer<?, ?>) state.valueSerializer).getKeySerializer()
                : ((ListSerializer<?>) state.valueSerializer).getElementSerializer();
    }

    @Override
    public TypeSerializer<?> entryValueSerializer() {
        return ((MapSerializer<?, ?>) state.valueSerializer).getValueSerializer();
    }

    @Override
    public boolean hasLengths() {
        return isAmbiguousKeyPossible(keySerializer(), namespaceSerializer());
    }

    @Override
    public byte delimiter() {
        return DELIMITER;
    }

    @Override
    public RawWriter newWriter(Cancellation cancellation) {
        return new RocksDbRawWriter(
                state.backend.db, state.writeOptions, state.backend.getReadOptions(), cancellation);
    }

    ColumnFamilyHandle columnFamily() {
        return state.columnFamily;
    }

    @Override
    public String toString() {
        return kind + " in " + state.getClass().getSimpleName();
    }
}
