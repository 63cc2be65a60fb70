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
package io.dstl.changelog.state;

import io.dstl.changelog.state.EveryState.Registrar;
import java.util.List;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.util.function.ThrowingRunnable;

/** One way to change a state, again and again in the same way. */
enum RocksDbChange {
    VALUE_LONG {
        @Override
        ThrowingRunnable<Exception> on(Registrar backend) throws Exception {
            return update(backend, LongSerializer.INSTANCE, 5_000L);
        }
    },
    VALUE_BYTES {
        @Override
        ThrowingRunnable<Exception> on(Registrar backend) throws Exception {
            return update(backend, BytePrimitiveArraySerializer.INSTANCE, new byte[100]);
        }
    },
    VALUE_STRING {
        @Override
        ThrowingRunnable<Exception> on(Registrar backend) throws Exception {
            return update(backend, StringSerializer.INSTANCE, "N14228 UA 1545 EWR IAH");
        }
    },
    VALUE_KRYO {
        @Override
        ThrowingRunnable<Exception> on(Registrar backend) throws Exception {
            return update(
                    backend,
                    new KryoSerializer<>(LogGarbageTest.Flight.class, new SerializerConfigImpl()),
                    new LogGarbageTest.Flight("N14228", 11));
        }
    },
    VALUE_WITH_TTL {
        @Override
        ThrowingRunnable<Exception> on(Registrar backend) throws Exception {
            return update(
                    backend,
                    new TtlSerializer<>(LongSerializer.INSTANCE, StringSerializer.INSTANCE),
                    new TtlValue<>("N14228", 1_795_000_000_000L));
        }
    },
    VALUE_CLEAR {
        @Override
        ThrowingRunnable<Exception> on(Registrar backend) throws Exception {
            return update(backend, LongSerializer.INSTANCE, null);
        }
    },
    LIST_ADD {
        @Override
        ThrowingRunnable<Exception> on(Registrar backend) throws Exception {
            InternalListState<Long, VoidNamespace, String> state = list(backend);
            return () -> state.add("N14228");
        }
    },
    LIST_UPDATE {
        @Override
        ThrowingRunnable<Exception> on(Registrar backend) throws Exception {
            InternalListState<Long, VoidNamespace, String> state = list(backend);
            List<String> elements = List.of("N14228", "N24211", "N619AA");
            return () -> state.update(elements);
        }
    },
    MAP_PUT {
        @Override
        ThrowingRunnable<Exception> on(Registrar backend) throws Exception {
            InternalMapState<Long, VoidNamespace, String, Long> state = map(backend);
            return () -> state.put("N14228", 5_000L);
        }
    },
    MAP_REMOVE {
        @Override
        ThrowingRunnable<Exception> on(Registrar backend) throws Exception {
            InternalMapState<Long, VoidNamespace, String, Long> state = map(backend);
            return () -> state.remove("N14228");
        }
    },
    REDUCING {
        @Override
        ThrowingRunnable<Exception> on(Registrar backend) throws Exception {
            InternalReducingState<Long, VoidNamespace, Long> state =
                    backend.register(
                            new ReducingStateDescriptor<>(
                                    "reducing", Long::sum, LongSerializer.INSTANCE));
            state.setCurrentNamespace(VoidNamespace.INSTANCE);
            Long input = 5_000L;
            return () -> state.add(input);
        }
    },
    AGGREGATING {
        @Override
        ThrowingRunnable<Exception> on(Registrar backend) throws Exception {
            InternalAggregatingState<Long, VoidNamespace, Integer, Long, String> state =
                    backend.register(
                            new AggregatingStateDescriptor<>(
                                    "aggregating", SUM, LongSerializer.INSTANCE));
            state.setCurrentNamespace(VoidNamespace.INSTANCE);
            Integer input = 5_000;
            return () -> state.add(input);
        }
    };

    private static final AggregateFunction<Integer, Long, String> SUM =
            new GoldenScenario.SumToText();

    /** The change, of a state that is registered for it. */
    abstract ThrowingRunnable<Exception> on(Registrar backend) throws Exception;

    private static <V> ThrowingRunnable<Exception> update(
            Registrar backend, TypeSerializer<V> serializer, V value) throws Exception {
        InternalValueState<Long, VoidNamespace, V> state =
                backend.register(new ValueStateDescriptor<>("value", serializer));
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        return () -> state.update(value);
    }

    private static InternalListState<Long, VoidNamespace, String> list(Registrar backend)
            throws Exception {
        InternalListState<Long, VoidNamespace, String> state =
                backend.register(new ListStateDescriptor<>("list", StringSerializer.INSTANCE));
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        return state;
    }

    private static InternalMapState<Long, VoidNamespace, String, Long> map(Registrar backend)
            throws Exception {
        InternalMapState<Long, VoidNamespace, String, Long> state =
                backend.register(
                        new MapStateDescriptor<>(
                                "map", StringSerializer.INSTANCE, LongSerializer.INSTANCE));
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        return state;
    }
}
