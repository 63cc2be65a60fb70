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
package io.dstl.changelog.serializer.job;

import static io.dstl.changelog.testing.Serializers.LONGS;

import io.dstl.changelog.serializer.TypedStates;
import io.dstl.changelog.serializer.type.StateType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;

/** States of a job with values of one type, which change in rounds, each in the same way. */
final class TypedRounds<V> {
    private static final int LIST_ROUNDS = 6;
    private static final long ENTRIES = 4;

    private final StateType<V> type;
    private final ValueState<V> value;
    private final ListState<V> list;
    private final MapState<Long, V> map;
    private final ReducingState<V> reducing;
    private final AggregatingState<V, Integer> aggregating;

    TypedRounds(StateType<V> type, RuntimeContext context) {
        this.type = type;
        TypedStates.Mixed<V> mixed = new TypedStates.Mixed<>(type);
        value = context.getState(new ValueStateDescriptor<>(type + " value", type.serializer()));
        list = context.getListState(new ListStateDescriptor<>(type + " list", type.serializer()));
        map =
                context.getMapState(
                        new MapStateDescriptor<>(type + " map", LONGS, type.serializer()));
        reducing =
                context.getReducingState(
                        new ReducingStateDescriptor<>(
                                type + " reducing",
                                (before, added) -> mixed.add(added, before),
                                type.serializer()));
        aggregating =
                context.getAggregatingState(
                        new AggregatingStateDescriptor<>(
                                type + " aggregating", mixed, type.serializer()));
    }

    /** What the rounds before have left, exactly; then the next one. */
    void next(int round) throws Exception {
        String expected = afterRounds(round);
        String actual = held();
        if (!actual.equals(expected)) {
            throw new IllegalStateException(
                    type + " before round " + round + " holds " + actual + ", not " + expected);
        }
        value.update(type.value(round));
        if (round % LIST_ROUNDS == 0) {
            list.update(List.of(type.value(round)));
        } else {
            list.add(type.value(round));
        }
        map.put(round % ENTRIES, type.value(round));
        reducing.add(type.value(round));
        aggregating.add(type.value(round));
    }

    private static String afterRounds(int rounds) {
        Integer value = rounds == 0 ? null : (Integer) (rounds - 1);
        List<Integer> list = new ArrayList<>();
        Map<Long, Integer> map = new TreeMap<>();
        Integer reduced = null;
        Integer aggregated = null;
        for (int round = 0; round < rounds; round++) {
            if (round % LIST_ROUNDS == 0) {
                list.clear();
            }
            list.add(round);
            map.put(round % ENTRIES, round);
            reduced =
                    reduced == null
                            ? (Integer) round
                            : (Integer) TypedStates.Mixed.mix(reduced, round);
            aggregated = TypedStates.Mixed.mix(round == 0 ? 0 : aggregated, round);
        }
        return value + " " + list + " " + map + " " + reduced + " " + aggregated;
    }

    private String held() throws Exception {
        List<Integer> elements = new ArrayList<>();
        for (V element : list.get()) {
            elements.add(type.number(element));
        }
        Map<Long, Integer> entries = new TreeMap<>();
        for (Map.Entry<Long, V> entry : map.entries()) {
            entries.put(entry.getKey(), type.number(entry.getValue()));
        }
        return type.number(value.value())
                + " "
                + elements
                + " "
                + entries
                + " "
                + type.number(reducing.get())
                + " "
                + aggregating.get();
    }
}
