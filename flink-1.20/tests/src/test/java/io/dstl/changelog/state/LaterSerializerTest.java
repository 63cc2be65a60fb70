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

import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.ForEachValue;
import java.util.List;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.testutils.statemigration.TestType;
import org.junit.jupiter.api.BeforeEach;

/**
 * A RocksDB state that is registered again, with a serializer that its values are migrated to or
 * that is reconfigured: what is logged from then on can be read by the serializer of the METADATA
 * ahead of it.
 */
class LaterSerializerTest extends LoggedStateTest {
    private static final TypeSerializer<TestType> FIRST = new TestType.V1TestTypeSerializer();
    private static final TestType BEFORE = new TestType("before", 1);
    private static final TestType AFTER = new TestType("after", 2);

    enum Later {
        MIGRATED(new TestType.V2TestTypeSerializer()),
        RECONFIGURED(new TestType.ReconfigurationRequiringTestTypeSerializer());

        private final TypeSerializer<TestType> serializer;

        Later(TypeSerializer<TestType> serializer) {
            this.serializer = serializer;
        }
    }

    @BeforeEach
    void open() throws Exception {
        open(Delegate.ROCKSDB);
    }

    @ForEachValue
    void value(Later later) throws Exception {
        InternalValueState<Integer, Long, TestType> state =
                register(new ValueStateDescriptor<>("state", FIRST));
        state.update(BEFORE);
        register(new ValueStateDescriptor<>("state", later.serializer));
        assertThat(state.value()).isEqualTo(BEFORE);
        state.update(AFTER);
        assertLogged(state, later, AFTER);
        assertThat(state.value()).isEqualTo(AFTER);
    }

    @ForEachValue
    void list(Later later) throws Exception {
        InternalListState<Integer, Long, TestType> state =
                register(new ListStateDescriptor<>("state", FIRST));
        state.add(BEFORE);
        register(new ListStateDescriptor<>("state", later.serializer));
        state.add(AFTER);
        assertLogged(state, later, AFTER);
        state.addAll(List.of(AFTER));
        assertThat(state.get()).containsExactly(BEFORE, AFTER, AFTER);
    }

    @ForEachValue
    void map(Later later) throws Exception {
        InternalMapState<Integer, Long, Integer, TestType> state =
                register(new MapStateDescriptor<>("state", INTS, FIRST));
        state.put(1, BEFORE);
        register(new MapStateDescriptor<>("state", INTS, later.serializer));
        state.put(2, AFTER);
        assertLogged(state, later, AFTER);
        assertThat(state.get(1)).isEqualTo(BEFORE);
        assertThat(state.get(2)).isEqualTo(AFTER);
    }

    @ForEachValue
    void reducing(Later later) throws Exception {
        InternalReducingState<Integer, Long, TestType> state =
                register(new ReducingStateDescriptor<>("state", (a, b) -> b, FIRST));
        state.add(BEFORE);
        register(new ReducingStateDescriptor<>("state", (a, b) -> b, later.serializer));
        // As the keyed backend does after a registration.
        DelegateSupport.get()
                .writers()
                .adopt(
                        ((LoggedMergingState.Reducing<Integer, Long, TestType>) state).delegate(),
                        later.serializer);
        assertThat(state.get()).isEqualTo(BEFORE);
        state.add(AFTER);
        assertLogged(state, later, AFTER);
        assertThat(state.get()).isEqualTo(AFTER);
    }

    @ForEachValue
    void aggregating(Later later) throws Exception {
        InternalAggregatingState<Integer, Long, TestType, TestType, TestType> state =
                register(new AggregatingStateDescriptor<>("state", new Last(), FIRST));
        state.add(BEFORE);
        register(new AggregatingStateDescriptor<>("state", new Last(), later.serializer));
        assertThat(state.get()).isEqualTo(BEFORE);
        state.add(AFTER);
        assertLogged(state, later, AFTER);
        assertThat(state.get()).isEqualTo(AFTER);
    }

    private <S extends State, T, I extends S> I register(StateDescriptor<S, T> descriptor)
            throws Exception {
        I state = backend.state(LONGS, descriptor);
        ((InternalKvState<?, Long, ?>) (State) state).setCurrentNamespace(1L);
        return state;
    }

    /** The last two records: METADATA, and a change that ends with the value. */
    private void assertLogged(InternalKvState<?, ?, ?> state, Later later, TestType value)
            throws Exception {
        List<RecordedChange> records = backend.log.take();
        assertThat(records).extracting(RecordedChange::isMetadata).endsWith(true, false);
        StateMetadata metadata = records.get(records.size() - 2).metadata();
        TypeSerializer<?> described = metadata.valueSerializer();
        assertThat(elements(described))
                .isInstanceOf(
                        later == Later.MIGRATED
                                ? TestType.V2TestTypeSerializer.class
                                : TestType.V1TestTypeSerializer.class);
        assertThat(elements(described)).hasSameClassAs(elements(state.getValueSerializer()));

        DataInputDeserializer in = records.get(records.size() - 1).body();
        assertThat(INTS.deserialize(in)).isEqualTo(7);
        assertThat(LONGS.deserialize(in)).isEqualTo(1L);
        if (described instanceof MapSerializer) {
            assertThat(INTS.deserialize(in)).isEqualTo(2);
        }
        assertThat(elements(described).deserialize(in)).isEqualTo(value);
        assertThat(in.available()).isZero();
    }

    private static TypeSerializer<?> elements(TypeSerializer<?> serializer) {
        if (serializer instanceof ListSerializer) {
            return ((ListSerializer<?>) serializer).getElementSerializer();
        }
        return serializer instanceof MapSerializer
                ? ((MapSerializer<?, ?>) serializer).getValueSerializer()
                : serializer;
    }

    /** Keeps the last input. */
    private static final class Last implements AggregateFunction<TestType, TestType, TestType> {
        @Override
        public TestType createAccumulator() {
            return BEFORE;
        }

        @Override
        public TestType add(TestType value, TestType accumulator) {
            return value;
        }

        @Override
        public TestType getResult(TestType accumulator) {
            return accumulator;
        }

        @Override
        public TestType merge(TestType a, TestType b) {
            return b;
        }
    }
}
