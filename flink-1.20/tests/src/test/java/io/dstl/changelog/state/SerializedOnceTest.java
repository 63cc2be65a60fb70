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

import static io.dstl.changelog.record.ProbeSerializer.POISON;
import static io.dstl.changelog.record.ProbeSerializer.UNREADABLE;
import static io.dstl.changelog.record.ProbeSerializer.text;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.ProbeSerializer;
import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.LoggedBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How often keys and values are serialized for RocksDB and log together. */
class SerializedOnceTest {
    private final ProbeSerializer keys = new ProbeSerializer();
    private final ProbeSerializer values = new ProbeSerializer();
    private LoggedBackend<StringBuilder> backend;

    @BeforeEach
    void open(@TempDir Path directory) throws Exception {
        backend = new LoggedBackend<>(Delegate.ROCKSDB, directory, keys);
        backend.setCurrentKey(text("a key"));
    }

    @AfterEach
    void close() throws Exception {
        backend.close();
    }

    @Test
    void value() throws Exception {
        InternalValueState<StringBuilder, Long, StringBuilder> state = valueState();
        state.update(text("a"));
        assertThat(writes(state.getValueSerializer())).isEqualTo(1);
        state.update(null);
        state.clear();
        assertThat(changes()).containsExactly(ChangeOp.SET, ChangeOp.CLEAR, ChangeOp.CLEAR);
        assertSerializedOnce(state, 1);
    }

    /** What Flink puts around the values of a state with a time to live. */
    @Test
    void valueWithTimeToLive() throws Exception {
        InternalValueState<StringBuilder, Long, TtlValue<StringBuilder>> state =
                backend.state(
                        LONGS,
                        1L,
                        new ValueStateDescriptor<>("value", new TtlSerializer<>(LONGS, values)));
        state.update(new TtlValue<>(text("a"), 5L));
        assertThat(backend.recorder.serialized().getCount()).isZero();
        assertThat(backend.changes().get(0).describe(keys, LONGS, LONGS, values))
                .isEqualTo("SET key=a key ns=1 5 a");
    }

    @Test
    void list() throws Exception {
        InternalListState<StringBuilder, Long, StringBuilder> state =
                backend.state(LONGS, 1L, new ListStateDescriptor<>("list", values));
        state.update(List.of(text("1"), text("2")));
        state.addAll(List.of(text("3"), text("4"), text("5")));
        state.add(text("6"));
        state.setCurrentNamespace(2L);
        state.updateInternal(List.of(text("7")));
        state.mergeNamespaces(1L, List.of(2L));
        state.setCurrentNamespace(1L);
        assertThat(state.get()).asString().isEqualTo("[1, 2, 3, 4, 5, 6, 7]");
        assertThat(changes())
                .containsExactly(
                        ChangeOp.SET,
                        ChangeOp.ADD,
                        ChangeOp.ADD_ELEMENT,
                        ChangeOp.SET_INTERNAL,
                        ChangeOp.MERGE_NS);
        assertSerializedOnce(state, 7);
    }

    @Test
    void map() throws Exception {
        ProbeSerializer userKeys = new ProbeSerializer();
        InternalMapState<StringBuilder, Long, StringBuilder, StringBuilder> state =
                mapState(userKeys);
        state.put(text("1"), text("a"));
        state.put(text("2"), null);
        state.putAll(Map.of(text("3"), text("c"), text("4"), text("d")));
        state.remove(text("1"));
        assertThat(writes(((MapSerializer<?, ?>) state.getValueSerializer()).getKeySerializer()))
                .as("the user's keys")
                .isEqualTo(5);
        assertSerializedOnce(state, 3);
        for (Map.Entry<StringBuilder, StringBuilder> entry : state.entries()) {
            entry.setValue(entry.getKey().toString().equals("2") ? null : text("new"));
        }
        assertThat(writes(valuesOf(state))).as("values").isEqualTo(5);
        assertThat(changes())
                .containsExactly(
                        ChangeOp.ADD_OR_UPDATE_ELEMENT,
                        ChangeOp.ADD,
                        ChangeOp.ADD,
                        ChangeOp.REMOVE_ELEMENT,
                        ChangeOp.ADD,
                        ChangeOp.ADD_OR_UPDATE_ELEMENT,
                        ChangeOp.ADD_OR_UPDATE_ELEMENT);
        Iterator<?> entries = state.iterator();
        entries.next();
        entries.remove();
        assertThat(changes()).containsExactly(ChangeOp.REMOVE_ELEMENT);
        assertThat(backend.recorder.serialized().getCount()).as("for the log").isZero();
    }

    @Test
    void reducing() throws Exception {
        InternalReducingState<StringBuilder, Long, StringBuilder> state =
                backend.state(
                        LONGS,
                        1L,
                        new ReducingStateDescriptor<>("reducing", JoinedText::join, values));
        state.add(text("1"));
        state.add(text("2"));
        state.setCurrentNamespace(2L);
        state.updateInternal(text("3"));
        assertSerializedOnce(state, 3);
        state.mergeNamespaces(1L, List.of(2L));
        assertSerializedOnce(state, 4);
        state.setCurrentNamespace(1L);
        assertThat(state.get()).asString().isEqualTo("312");
    }

    @Test
    void aggregating() throws Exception {
        InternalAggregatingState<StringBuilder, Long, String, StringBuilder, Integer> state =
                backend.state(
                        LONGS,
                        1L,
                        new AggregatingStateDescriptor<>("aggregating", new JoinedText(), values));
        state.add("1");
        state.add("2");
        state.setCurrentNamespace(2L);
        state.add("3");
        assertSerializedOnce(state, 3);
        state.mergeNamespaces(1L, List.of(2L));
        assertSerializedOnce(state, 4);
        state.setCurrentNamespace(1L);
        assertThat(state.getInternal()).asString().isEqualTo("312");
    }

    @Test
    void theKeyAgainWhenItIsAnotherOne() throws Exception {
        InternalValueState<StringBuilder, Long, StringBuilder> state = valueState();
        state.update(text("a"));
        backend.setCurrentKey(text("another key"));
        state.update(text("b"));
        state.setCurrentNamespace(2L);
        state.update(text("c"));
        assertThat(writes(backend.delegate.getKeySerializer())).isEqualTo(2);
        assertThat(texts())
                .containsExactly(
                        "SET key=a key ns=1 a",
                        "SET key=another key ns=1 b",
                        "SET key=another key ns=2 c");
    }

    /** As a proxy of a state is, or a state of another backend than Flink's. */
    @Test
    void twiceWhereTheDelegateIsNotOfFlinksOwnClass() throws Exception {
        InternalValueState<StringBuilder, Long, StringBuilder> delegate =
                ((ValueKind.LoggedValueState<StringBuilder, Long, StringBuilder>) valueState())
                        .delegate();
        InternalValueState<StringBuilder, Long, StringBuilder> state =
                new LoggedStates<>(backend.recorder, DelegateSupport.get().writers())
                        .keyValue(new ValueStateDescriptor<>("value", values), proxyOf(delegate));
        state.setCurrentNamespace(1L);
        state.update(text("a"));
        assertThat(writes(state.getValueSerializer())).isEqualTo(2);
        assertThat(backend.recorder.serialized().getCount()).isEqualTo(1);
        assertThat(texts()).containsExactly("SET key=a key ns=1 a");
    }

    @Test
    void logsNoEntryAndWritesNoneIfOneCannotBeSerialized() throws Exception {
        ProbeSerializer userKeys = new ProbeSerializer();
        InternalMapState<StringBuilder, Long, StringBuilder, StringBuilder> state =
                mapState(userKeys);
        TreeMap<StringBuilder, StringBuilder> entries = new TreeMap<>();
        entries.put(text("1"), text("a"));
        entries.put(text("2"), text(POISON));
        assertThatThrownBy(() -> state.putAll(entries)).hasMessageContaining("cannot serialize");
        assertThat(state.isEmpty()).isTrue();
        assertThat(backend.changes()).isEmpty();
        backend.recorder.checkComplete();
    }

    /** No replay could take it in: RocksDB's entries read their keys when they are asked for. */
    @Test
    void anEntryWhoseKeyCannotBeReadIsNotSet() throws Exception {
        InternalMapState<StringBuilder, Long, StringBuilder, StringBuilder> state =
                mapState(new ProbeSerializer());
        state.put(text(UNREADABLE), text("a"));
        backend.changes();
        Map.Entry<StringBuilder, StringBuilder> entry = state.iterator().next();
        assertThatThrownBy(() -> entry.setValue(text("b")))
                .hasRootCauseMessage("cannot read unreadable");
        assertThat(state.get(text(UNREADABLE))).asString().isEqualTo("a");
        assertThat(backend.changes()).isEmpty();
        backend.recorder.checkComplete();
    }

    /** Other states build their keys in the buffer of this one's. */
    @Test
    void aFunctionMayUseOtherStates() throws Exception {
        InternalValueState<StringBuilder, Long, StringBuilder> other = valueState();
        InternalReducingState<StringBuilder, Long, StringBuilder> state =
                backend.state(
                        LONGS,
                        new ReducingStateDescriptor<>(
                                "reducing",
                                (a, b) -> {
                                    other.setCurrentNamespace(999L);
                                    other.update(text("side effect"));
                                    return JoinedText.join(a, b);
                                },
                                values));
        state.setCurrentNamespace(1L);
        state.add(text("1"));
        state.add(text("2"));
        assertThat(state.get()).asString().isEqualTo("12");
        assertThat(texts())
                .containsExactly(
                        "SET_INTERNAL key=a key ns=1 1",
                        "SET key=a key ns=999 side effect",
                        "SET_INTERNAL key=a key ns=1 12");
    }

    private InternalValueState<StringBuilder, Long, StringBuilder> valueState() throws Exception {
        InternalValueState<StringBuilder, Long, StringBuilder> state =
                backend.state(LONGS, 1L, new ValueStateDescriptor<>("value", values));
        return state;
    }

    private InternalMapState<StringBuilder, Long, StringBuilder, StringBuilder> mapState(
            ProbeSerializer userKeys) throws Exception {
        InternalMapState<StringBuilder, Long, StringBuilder, StringBuilder> state =
                backend.state(LONGS, 1L, new MapStateDescriptor<>("map", userKeys, values));
        return state;
    }

    @SuppressWarnings("unchecked") // The proxy has this one interface.
    private static <K, N, V> InternalValueState<K, N, V> proxyOf(
            InternalValueState<K, N, V> state) {
        return (InternalValueState<K, N, V>)
                Proxy.newProxyInstance(
                        SerializedOnceTest.class.getClassLoader(),
                        new Class<?>[] {InternalValueState.class},
                        (proxy, method, arguments) -> {
                            try {
                                return method.invoke(state, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private void assertSerializedOnce(InternalKvState<?, ?, ?> state, int writtenValues) {
        assertThat(writes(valuesOf(state))).as("values").isEqualTo(writtenValues);
        assertThat(writes(backend.delegate.getKeySerializer())).as("keys").isEqualTo(1);
        assertThat(backend.recorder.serialized().getCount()).as("for the log").isZero();
    }

    private static TypeSerializer<?> valuesOf(InternalKvState<?, ?, ?> state) {
        TypeSerializer<?> serializer = state.getValueSerializer();
        if (serializer instanceof ListSerializer) {
            return ((ListSerializer<?>) serializer).getElementSerializer();
        }
        return serializer instanceof MapSerializer
                ? ((MapSerializer<?, ?>) serializer).getValueSerializer()
                : serializer;
    }

    /** Of the instance that the delegate has: descriptors copy theirs, with its count. */
    private static int writes(TypeSerializer<?> probe) {
        return ((ProbeSerializer) probe).writes();
    }

    private List<ChangeOp> changes() throws Exception {
        List<ChangeOp> ops = new ArrayList<>();
        for (RecordedChange change : backend.changes()) {
            ops.add(change.op());
        }
        return ops;
    }

    private List<String> texts() throws Exception {
        List<String> texts = new ArrayList<>();
        for (RecordedChange change : backend.changes()) {
            texts.add(change.describe(keys, LONGS, values));
        }
        return texts;
    }

    /** Joins texts, the accumulator first. */
    private static final class JoinedText
            implements AggregateFunction<String, StringBuilder, Integer> {
        static StringBuilder join(StringBuilder first, StringBuilder second) {
            return new StringBuilder().append(first).append(second);
        }

        @Override
        public StringBuilder createAccumulator() {
            return new StringBuilder();
        }

        @Override
        public StringBuilder add(String value, StringBuilder accumulator) {
            return new StringBuilder().append(accumulator).append(value);
        }

        @Override
        public Integer getResult(StringBuilder accumulator) {
            return accumulator.length();
        }

        @Override
        public StringBuilder merge(StringBuilder a, StringBuilder b) {
            return join(a, b);
        }
    }
}
