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
package io.dstl.changelog.serializer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.serializer.type.Departure;
import io.dstl.changelog.serializer.type.StateType;
import io.dstl.changelog.testing.KeyedTask;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;

/** A state of each kind, with values of one type and keys of another, changed at random. */
public final class TypedStates<K, V> {
    private static final int KEYS = 4;
    private static final int KINDS = 19;
    private static final int ENTRIES = 6;
    private static final int NUMBERS = 400;

    private final AbstractKeyedStateBackend<K> backend;
    private final StateType<K> keys;
    private final StateType<V> values;
    private final ValueState<V> value;
    private final ListState<V> list;
    private final MapState<K, V> map;
    private final ReducingState<V> reducing;
    private final AggregatingState<V, Integer> aggregating;
    private final List<StateDescriptor<?, ?>> descriptors = new ArrayList<>();
    private final List<ExpectedState> expected;
    private final boolean timed;

    /**
     * @param ttl null for none
     * @param expected what the states hold already
     */
    TypedStates(
            AbstractKeyedStateBackend<K> backend,
            StateType<K> keys,
            StateType<V> values,
            StateTtlConfig ttl,
            List<ExpectedState> expected)
            throws Exception {
        this.backend = backend;
        this.keys = keys;
        this.values = values;
        this.expected = expected;
        this.timed = ttl != null;
        value = state(new ValueStateDescriptor<>("value", values.serializer()), ttl);
        list = state(new ListStateDescriptor<>("list", values.serializer()), ttl);
        map = state(new MapStateDescriptor<>("map", keys.serializer(), values.serializer()), ttl);
        reducing =
                state(
                        new ReducingStateDescriptor<>(
                                "reducing",
                                (before, added) -> new Mixed<>(values).add(added, before),
                                values.serializer()),
                        ttl);
        aggregating =
                state(
                        new AggregatingStateDescriptor<>(
                                "aggregating", new Mixed<>(values), values.serializer()),
                        ttl);
    }

    static List<ExpectedState> nothing() {
        return IntStream.range(0, KEYS)
                .mapToObj(key -> new ExpectedState())
                .collect(Collectors.toList());
    }

    private <S extends State> S state(StateDescriptor<S, ?> descriptor, StateTtlConfig ttl)
            throws Exception {
        if (ttl != null) {
            descriptor.enableTimeToLive(ttl);
        }
        descriptors.add(descriptor);
        return KeyedTask.state(backend, descriptor);
    }

    /** Back to what a checkpoint has: copies of what was expected. */
    List<ExpectedState> expected() {
        return expected.stream().map(ExpectedState::copy).collect(Collectors.toList());
    }

    /**
     * One random operation on one random key.
     *
     * @param from the numbers of its values start here
     */
    void change(Random random, int from) throws Exception {
        int key = random.nextInt(KEYS);
        int first = from + random.nextInt(NUMBERS);
        int second = from + random.nextInt(NUMBERS);
        int kind = random.nextInt(KINDS);
        backend.setCurrentKey(keys.value(key));
        if (kind < 3) {
            changeValue(kind, first, expected.get(key));
        } else if (kind < 8) {
            changeList(kind, List.of(first, second), expected.get(key));
        } else if (kind < 14) {
            changeMap(kind, random.nextInt(ENTRIES), first, expected.get(key));
        } else {
            fold(kind, first, expected.get(key));
        }
    }

    private void changeValue(int kind, int number, ExpectedState now) throws Exception {
        if (kind == 0) {
            value.clear();
            now.value = null;
        } else {
            value.update(values.value(number));
            now.value = number;
        }
    }

    private void changeList(int kind, List<Integer> numbers, ExpectedState now) throws Exception {
        switch (kind) {
            case 3:
                list.clear();
                now.list.clear();
                break;
            case 4:
                list.addAll(values(numbers));
                now.list.addAll(numbers);
                break;
            case 5:
                list.update(values(numbers));
                now.replaceList(numbers);
                break;
            default:
                list.add(values.value(numbers.get(0)));
                now.list.add(numbers.get(0));
        }
    }

    /** It stays the user's: whoever keeps it cannot change it. */
    private List<V> values(List<Integer> numbers) {
        return numbers.stream().map(values::value).collect(Collectors.toUnmodifiableList());
    }

    private void changeMap(int kind, int entry, int number, ExpectedState now) throws Exception {
        switch (kind) {
            case 8:
                map.putAll(
                        Map.of(
                                keys.value(entry), values.value(number),
                                keys.value(entry + 1), values.value(number + 1)));
                now.map.putAll(Map.of(entry, number, entry + 1, number + 1));
                break;
            case 9:
                map.remove(keys.value(entry));
                now.map.remove(entry);
                break;
            case 10:
                for (Map.Entry<K, V> each : map.entries()) {
                    replace(each, values.value(number));
                }
                now.map.replaceAll((each, before) -> number);
                break;
            case 11:
                removeByIterator(entry);
                now.map.remove(entry);
                break;
            default:
                map.put(keys.value(entry), values.value(number));
                now.map.put(entry, number);
        }
    }

    /** An entry of Flink's map with a time-to-live is a copy. */
    private void replace(Map.Entry<K, V> entry, V replacement) throws Exception {
        if (timed) {
            map.put(entry.getKey(), replacement);
        } else {
            entry.setValue(replacement);
        }
    }

    private void removeByIterator(int entry) throws Exception {
        for (Iterator<K> keysLeft = map.keys().iterator(); keysLeft.hasNext(); ) {
            if (keys.number(keysLeft.next()) == entry) {
                keysLeft.remove();
            }
        }
    }

    private void fold(int kind, int number, ExpectedState now) throws Exception {
        if (kind == 14) {
            reducing.clear();
            aggregating.clear();
            now.reduced = null;
            now.aggregated = null;
        } else if (kind < 17) {
            reducing.add(values.value(number));
            now.reduced = now.reduced == null ? number : Mixed.mix(now.reduced, number);
        } else {
            aggregating.add(values.value(number));
            now.aggregated = Mixed.mix(now.aggregated == null ? 0 : now.aggregated, number);
        }
    }

    void assertHoldExpected() throws Exception {
        for (int key = 0; key < KEYS; key++) {
            assertThat(read(key))
                    .as("state of key " + key)
                    .hasToString(expected.get(key).toString());
        }
    }

    List<String> held() throws Exception {
        List<String> held = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            held.add(read(key).toString());
        }
        return held;
    }

    /** Of RocksDB only. */
    void compact() throws Exception {
        RocksDBKeyedStateBackend<?> rocksDb =
                (RocksDBKeyedStateBackend<?>) backend.getDelegatedKeyedStateBackend(true);
        for (StateDescriptor<?, ?> descriptor : descriptors) {
            rocksDb.compactState(descriptor);
        }
    }

    private ExpectedState read(int key) throws Exception {
        backend.setCurrentKey(keys.value(key));
        ExpectedState read = new ExpectedState();
        read.value = values.number(value.value());
        if (list.get() != null) {
            list.get().forEach(element -> read.list.add(values.number(element)));
        }
        for (Map.Entry<K, V> entry : map.entries()) {
            read.map.put(keys.number(entry.getKey()), values.number(entry.getValue()));
        }
        read.reduced = values.number(reducing.get());
        read.aggregated = aggregating.get();
        return read;
    }

    /** What the states of one key must hold, by the numbers of the values. */
    static final class ExpectedState {
        Integer value;
        final List<Integer> list = new ArrayList<>();
        final Map<Integer, Integer> map = new TreeMap<>();
        Integer reduced;
        Integer aggregated;

        ExpectedState copy() {
            ExpectedState copy = new ExpectedState();
            copy.value = value;
            copy.list.addAll(list);
            copy.map.putAll(map);
            copy.reduced = reduced;
            copy.aggregated = aggregated;
            return copy;
        }

        void replaceList(Collection<Integer> numbers) {
            list.clear();
            list.addAll(numbers);
        }

        @Override
        public String toString() {
            return String.format(
                    "value %s, list %s, map %s, reduced %s, aggregated %s",
                    value, list, map, reduced, aggregated);
        }
    }

    /** A value that tells, by its number, which ones went into it and in which order. */
    public static final class Mixed<V> implements AggregateFunction<V, V, Integer> {
        private static final int RANGE = 9_973;

        private final transient StateType<V> values;

        public Mixed(StateType<V> values) {
            this.values = values;
        }

        /** What has a later one in it is a later one, see {@link Departure#LATER}. */
        public static int mix(int before, int number) {
            int generation = Math.max(before, number) / Departure.LATER;
            return generation * Departure.LATER + (before % RANGE * 31 + number % RANGE) % RANGE;
        }

        @Override
        public V createAccumulator() {
            return values.value(0);
        }

        @Override
        public V add(V value, V accumulator) {
            return values.value(mix(values.number(accumulator), values.number(value)));
        }

        @Override
        public Integer getResult(V accumulator) {
            return values.number(accumulator);
        }

        @Override
        public V merge(V one, V other) {
            return add(other, one);
        }
    }
}
