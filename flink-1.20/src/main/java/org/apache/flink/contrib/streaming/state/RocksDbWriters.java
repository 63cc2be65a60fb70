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
import io.dstl.changelog.state.AccumulatorKind;
import io.dstl.changelog.state.DelegateWriters;
import io.dstl.changelog.state.ListKind;
import io.dstl.changelog.state.MapKind;
import io.dstl.changelog.state.ValueKind;
import java.io.IOException;
import java.util.Optional;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalMergingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.rocksdb.RocksDBException;

/**
 * Writers for the states of exactly Flink's RocksDB classes, and for no other class, subclasses
 * included. In Flink's package, to reach the buffers, serializers and database of these states.
 */
final class RocksDbWriters implements DelegateWriters {
    @Override
    public <V> TypeSerializer<V> logged(TypeSerializer<V> kept) {
        return RocksDbSerializers.plain(kept);
    }

    @Override
    public <V> TypeSerializerSnapshot<V> logged(TypeSerializerSnapshot<V> read) {
        return RocksDbSerializers.plain(read);
    }

    @Override
    public <N, V> Optional<ValueKind.Writer<V>> ofValue(
            InternalValueState<?, N, V> state, StateLog<?, N> log) {
        return RocksDbRawState.isOfFlink(state)
                ? Optional.of(new ValueWriter<>((RocksDBValueState<?, N, V>) state, log))
                : Optional.empty();
    }

    @Override
    public <N, E> Optional<ListKind.Writer<E>> ofList(
            InternalListState<?, N, E> state, StateLog<?, N> log) {
        return RocksDbRawState.isOfFlink(state)
                ? Optional.of(new RocksDbListWriter<>((RocksDBListState<?, N, E>) state, log))
                : Optional.empty();
    }

    @Override
    public <N, UK, UV> Optional<MapKind.Writer<UK, UV>> ofMap(
            InternalMapState<?, N, UK, UV> state, StateLog<?, N> log) {
        return RocksDbRawState.isOfFlink(state) && RocksDbMapEntry.isReadable()
                ? Optional.of(new RocksDbMapWriter<>((RocksDBMapState<?, N, UK, UV>) state, log))
                : Optional.empty();
    }

    /** Up to Flink 1.20.2 the state's own {@code put} serializes the null (FLINK-38137). */
    @Override
    public <UK> boolean putNull(InternalMapState<?, ?, UK, ?> state, UK mapKey)
            throws IOException, RocksDBException {
        if (!RocksDbRawState.isOfFlink(state)) {
            return false;
        }
        RocksDbMapWriter.putNull((RocksDBMapState<?, ?, UK, ?>) state, mapKey);
        return true;
    }

    @Override
    @SuppressWarnings("unchecked") // A reducing state's accumulator is its value.
    public <N, A> Optional<AccumulatorKind.Writer<N, A>> ofAccumulator(
            InternalMergingState<?, N, ?, A, ?> state, StateLog<?, N> log, boolean keepsAll) {
        if (!RocksDbRawState.isOfFlink(state)) {
            return Optional.empty();
        }
        if (state instanceof RocksDBReducingState) {
            return Optional.of(
                    new RocksDbAccumulatorWriter<>(
                            (RocksDBReducingState<?, N, A>) (InternalKvState<?, ?, ?>) state,
                            state,
                            log,
                            keepsAll));
        }
        return Optional.of(
                new RocksDbAccumulatorWriter<>(
                        (RocksDBAggregatingState<?, N, ?, A, ?>) state, state, log, keepsAll));
    }

    @Override
    @SuppressWarnings("unchecked") // The namespaces are the state's own.
    public <N> Optional<StateLog.DelegateKey<N>> keyOf(InternalKvState<?, N, ?> state) {
        return RocksDbRawState.isOfFlink(state)
                ? Optional.of(new RocksDbKey<>((AbstractRocksDBState<?, N, ?>) state))
                : Optional.empty();
    }

    /**
     * Sets the new serializer of a reducing state: Flink migrates its values to the new one, but
     * continues to read them with the old one. Does nothing for a state of another kind or backend.
     */
    @Override
    @SuppressWarnings("unchecked") // The serializer is of the state's own values.
    public <V> void adopt(State state, TypeSerializer<V> registered) {
        if (state instanceof RocksDBReducingState) {
            RocksDBReducingState<?, ?, V> reducing = (RocksDBReducingState<?, ?, V>) state;
            // Not by equals: Avro's serializers of all schemas of a class are equal.
            TypeSerializerSchemaCompatibility<V> compatibility =
                    registered
                            .snapshotConfiguration()
                            .resolveSchemaCompatibility(
                                    reducing.getValueSerializer().snapshotConfiguration());
            use(
                    state,
                    compatibility.isCompatibleWithReconfiguredSerializer()
                            ? compatibility.getReconfiguredSerializer()
                            : registered);
        }
    }

    @Override
    @SuppressWarnings("unchecked") // The serializer is of the state's own values.
    public <V> void use(State state, TypeSerializer<V> serializer) {
        if (state instanceof RocksDBReducingState) {
            ((RocksDBReducingState<?, ?, V>) state).setValueSerializer(serializer);
        }
    }

    /**
     * Does the same as {@link RocksDBValueState#update}, without copies, and logs the same bytes.
     */
    private static final class ValueWriter<N, V> implements ValueKind.Writer<V> {
        private final RocksDBValueState<?, N, V> state;
        private final StateLog<?, N> log;
        private final RocksDbKey<N> key;
        private final RocksDbValue written;

        ValueWriter(RocksDBValueState<?, N, V> state, StateLog<?, N> log) {
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
                key.put(written);
            } catch (RocksDBException e) {
                throw new IOException("Error while adding data to RocksDB", e);
            }
            log.record(key, ChangeOp.SET, written);
        }
    }
}
