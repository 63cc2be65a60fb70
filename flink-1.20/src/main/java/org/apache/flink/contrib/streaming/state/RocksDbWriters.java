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

import io.dstl.changelog.delegate.DelegateWriters;
import io.dstl.changelog.record.DelegateKey;
import io.dstl.changelog.record.StateLog;
import io.dstl.changelog.write.AccumulatorWriter;
import io.dstl.changelog.write.ListWriter;
import io.dstl.changelog.write.MapWriter;
import io.dstl.changelog.write.ValueWriter;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalMergingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.rocksdb.RocksDBException;

/**
 * For the states of exactly Flink's RocksDB classes, none for any other, subclasses included. In
 * this package for the buffers, serializers and the database of these states.
 */
final class RocksDbWriters implements DelegateWriters {

    private static final Set<Class<?>> OF_FLINK =
            Set.of(
                    RocksDBValueState.class,
                    RocksDBListState.class,
                    RocksDBMapState.class,
                    RocksDBReducingState.class,
                    RocksDBAggregatingState.class);

    private static boolean isOfFlink(InternalKvState<?, ?, ?> state) {
        return OF_FLINK.contains(state.getClass());
    }

    @Override
    public <N, V> Optional<ValueWriter<V>> ofValue(
            InternalValueState<?, N, V> state, StateLog<?, N> log) {
        return isOfFlink(state)
                ? Optional.of(new RocksDbValueWriter<>((RocksDBValueState<?, N, V>) state, log))
                : Optional.empty();
    }

    @Override
    public <N, E> Optional<ListWriter<E>> ofList(
            InternalListState<?, N, E> state, StateLog<?, N> log) {
        return isOfFlink(state)
                ? Optional.of(new RocksDbListWriter<>((RocksDBListState<?, N, E>) state, log))
                : Optional.empty();
    }

    @Override
    public <N, UK, UV> Optional<MapWriter<UK, UV>> ofMap(
            InternalMapState<?, N, UK, UV> state, StateLog<?, N> log) {
        return isOfFlink(state)
                ? Optional.of(new RocksDbMapWriter<>((RocksDBMapState<?, N, UK, UV>) state, log))
                : Optional.empty();
    }

    /** Up to Flink 1.20.2 the state's own {@code put} does not (FLINK-38137). */
    @Override
    public <UK> boolean putNull(InternalMapState<?, ?, UK, ?> state, UK mapKey)
            throws IOException, RocksDBException {
        if (!isOfFlink(state)) {
            return false;
        }
        RocksDbMapWriter.putNull((RocksDBMapState<?, ?, UK, ?>) state, mapKey);
        return true;
    }

    @Override
    @SuppressWarnings("unchecked") // A reducing state's accumulator is its value.
    public <N, A> Optional<AccumulatorWriter<N, A>> ofAccumulator(
            InternalMergingState<?, N, ?, A, ?> state, StateLog<?, N> log, boolean keepsAll) {
        if (!isOfFlink(state)) {
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
    public <N> Optional<DelegateKey<N>> keyOf(InternalKvState<?, N, ?> state) {
        return isOfFlink(state)
                ? Optional.of(new RocksDbKey<>((AbstractRocksDBState<?, N, ?>) state))
                : Optional.empty();
    }

    @Override
    public <V> void adopt(State state, TypeSerializer<V> registered) {
        RocksDbReducing.adopt(state, registered);
    }

    @Override
    public <V> void use(State state, TypeSerializer<V> serializer) {
        RocksDbReducing.use(state, serializer);
    }
}
