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
package io.dstl.bench.micro;

import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;

/** A kind of keyed state, and the one operation of it that is measured. */
public enum StateKind implements Labelled {
    /** update. */
    VALUE,
    /** put, to one of eight entries of a key. */
    MAP,
    /** add. */
    LIST,
    /** add; the function keeps the newer value. */
    REDUCING,
    /** add; the function keeps the newer value. */
    AGGREGATING;

    public static StateKind of(String label) {
        return Labelled.of(values(), "state kind", label);
    }

    /** One operation on the state of the current key. */
    interface Update<T> {
        void apply(T value) throws Exception;

        /** Makes the state. */
        static <T> Update<T> of(
                StateKind kind, KeyedStateBackend<Long> backend, TypeSerializer<T> serializer)
                throws Exception {
            String name = kind.label();
            switch (kind) {
                case VALUE:
                    ValueState<T> value =
                            state(backend, new ValueStateDescriptor<>(name, serializer));
                    return value::update;
                case MAP:
                    return new MapPut<>(
                            state(
                                    backend,
                                    new MapStateDescriptor<>(
                                            name, LongSerializer.INSTANCE, serializer)));
                case LIST:
                    ListState<T> list = state(backend, new ListStateDescriptor<>(name, serializer));
                    return list::add;
                case REDUCING:
                    ReducingState<T> reducing =
                            state(
                                    backend,
                                    new ReducingStateDescriptor<>(
                                            name, (older, newer) -> newer, serializer));
                    return reducing::add;
                case AGGREGATING:
                    AggregatingState<T, T> aggregating =
                            state(
                                    backend,
                                    new AggregatingStateDescriptor<>(
                                            name, new Newest<>(), serializer));
                    return aggregating::add;
            }
            throw new IllegalArgumentException("no operation is known for " + kind);
        }

        private static <S extends State> S state(
                KeyedStateBackend<Long> backend, StateDescriptor<S, ?> descriptor)
                throws Exception {
            return backend.getPartitionedState(
                    VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
        }

        /** Goes around a few entries of each key. */
        final class MapPut<T> implements Update<T> {
            /** A power of two. */
            private static final int ENTRIES = 8;

            private final Long[] entries = new Long[ENTRIES];
            private final MapState<Long, T> map;
            private int next;

            MapPut(MapState<Long, T> map) {
                this.map = map;
                for (int i = 0; i < ENTRIES; i++) {
                    entries[i] = (long) i;
                }
            }

            @Override
            public void apply(T value) throws Exception {
                map.put(entries[next++ & (ENTRIES - 1)], value);
            }
        }

        /** Its accumulator is the last value. */
        final class Newest<T> implements AggregateFunction<T, T, T> {
            @Override
            public T createAccumulator() {
                return null;
            }

            @Override
            public T add(T value, T accumulator) {
                return value;
            }

            @Override
            public T getResult(T accumulator) {
                return accumulator;
            }

            @Override
            public T merge(T one, T other) {
                return other;
            }
        }
    }
}
