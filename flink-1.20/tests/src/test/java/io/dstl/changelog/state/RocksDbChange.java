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

import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;

import io.dstl.changelog.testing.StateTarget;
import io.dstl.changelog.testing.SumAsText;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
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
    VALUE_LONG(backend -> update(backend, LONGS, 5_000L)),
    VALUE_BYTES(backend -> update(backend, BytePrimitiveArraySerializer.INSTANCE, new byte[100])),
    VALUE_STRING(backend -> update(backend, STRINGS, "N14228 UA 1545 EWR IAH")),
    VALUE_KRYO(
            backend ->
                    update(
                            backend,
                            new KryoSerializer<>(
                                    LogGarbageTest.Flight.class, new SerializerConfigImpl()),
                            new LogGarbageTest.Flight("N14228", 11))),
    VALUE_WITH_TTL(
            backend ->
                    update(
                            backend,
                            new TtlSerializer<>(LONGS, STRINGS),
                            new TtlValue<>("N14228", 1_795_000_000_000L))),
    VALUE_CLEAR(backend -> update(backend, LONGS, null)),
    LIST_ADD(
            backend -> {
                InternalListState<Long, VoidNamespace, String> state = list(backend);
                return () -> state.add("N14228");
            }),
    LIST_UPDATE(
            backend -> {
                InternalListState<Long, VoidNamespace, String> state = list(backend);
                List<String> elements = List.of("N14228", "N24211", "N619AA");
                return () -> state.update(elements);
            }),
    MAP_PUT(
            backend -> {
                InternalMapState<Long, VoidNamespace, String, Long> state = map(backend);
                return () -> state.put("N14228", 5_000L);
            }),
    MAP_REMOVE(
            backend -> {
                InternalMapState<Long, VoidNamespace, String, Long> state = map(backend);
                return () -> state.remove("N14228");
            }),
    REDUCING(
            backend -> {
                InternalReducingState<Long, VoidNamespace, Long> state =
                        backend.state(new ReducingStateDescriptor<>("reducing", Long::sum, LONGS));
                Long input = 5_000L;
                return () -> state.add(input);
            }),
    AGGREGATING(
            backend -> {
                InternalAggregatingState<Long, VoidNamespace, Integer, Long, String> state =
                        backend.state(
                                new AggregatingStateDescriptor<>(
                                        "aggregating", new SumAsText(), LONGS));
                Integer input = 5_000;
                return () -> state.add(input);
            });

    private interface Registration {
        ThrowingRunnable<Exception> on(StateTarget<Long> backend) throws Exception;
    }

    private final Registration registration;

    RocksDbChange(Registration registration) {
        this.registration = registration;
    }

    /** The change, of a state that is registered for it. */
    ThrowingRunnable<Exception> on(StateTarget<Long> backend) throws Exception {
        return registration.on(backend);
    }

    private static <V> ThrowingRunnable<Exception> update(
            StateTarget<Long> backend, TypeSerializer<V> serializer, V value) throws Exception {
        InternalValueState<Long, VoidNamespace, V> state =
                backend.state(new ValueStateDescriptor<>("value", serializer));
        return () -> state.update(value);
    }

    private static InternalListState<Long, VoidNamespace, String> list(StateTarget<Long> backend)
            throws Exception {
        return backend.state(new ListStateDescriptor<>("list", STRINGS));
    }

    private static InternalMapState<Long, VoidNamespace, String, Long> map(
            StateTarget<Long> backend) throws Exception {
        return backend.state(new MapStateDescriptor<>("map", STRINGS, LONGS));
    }
}
