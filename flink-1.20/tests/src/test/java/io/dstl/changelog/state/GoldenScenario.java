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
import static io.dstl.changelog.testing.Serializers.STRINGS;

import io.dstl.changelog.testing.StateTarget;
import io.dstl.changelog.testing.SumAsText;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/**
 * Every logged call of every kind of state, once, in a fixed order. Run against Flink 1.20.5's own
 * changelog backend it wrote {@code stock-1.20.5-records.txt}, against which ours is compared.
 */
public final class GoldenScenario {
    private static final StateTtlConfig TTL =
            StateTtlConfig.newBuilder(java.time.Duration.ofHours(1))
                    .setUpdateType(StateTtlConfig.UpdateType.OnReadAndWrite)
                    .cleanupInRocksdbCompactFilter(1000L)
                    .build();

    private final StateTarget<Integer> target;
    private final Consumer<String> marks;

    /**
     * @param marks is told the name of each call ahead of it
     */
    public GoldenScenario(StateTarget<Integer> target, Consumer<String> marks) {
        this.target = target;
        this.marks = marks;
    }

    public void run() throws Exception {
        target.setCurrentKey(7);
        value();
        valueWithDefault();
        valueWithTtl();
        list();
        map();
        reducing();
        aggregating();
        queue();
        namespaces();
    }

    private void value() throws Exception {
        InternalValueState<Integer, VoidNamespace, String> state =
                target.state(new ValueStateDescriptor<>("value", STRINGS));
        marks.accept("value update");
        state.update("first");
        marks.accept("value update of another key");
        target.setCurrentKey(8);
        state.update("second");
        target.setCurrentKey(7);
        marks.accept("value update to null");
        state.update(null);
        marks.accept("value clear");
        state.clear();
    }

    @SuppressWarnings("deprecation")
    private void valueWithDefault() throws Exception {
        InternalValueState<Integer, VoidNamespace, String> state =
                target.state(new ValueStateDescriptor<>("value-default", STRINGS, "none"));
        marks.accept("value with default update");
        state.update("first");
    }

    private void valueWithTtl() throws Exception {
        TypeSerializer<TtlValue<String>> serializer = new TtlSerializer<>(LONGS, STRINGS);
        ValueStateDescriptor<TtlValue<String>> descriptor =
                new ValueStateDescriptor<>("value-ttl", serializer);
        descriptor.enableTimeToLive(TTL);
        InternalValueState<Integer, VoidNamespace, TtlValue<String>> state =
                target.state(descriptor);
        marks.accept("value with time-to-live update");
        state.update(new TtlValue<>("first", 1234L));
    }

    private void list() throws Exception {
        InternalListState<Integer, Long, String> state =
                target.state(LONGS, 1L, new ListStateDescriptor<>("list", STRINGS));
        marks.accept("list add");
        state.add("a");
        marks.accept("list addAll");
        state.addAll(Arrays.asList("b", "c"));
        marks.accept("list update");
        state.update(Arrays.asList("d", "e"));
        marks.accept("list updateInternal");
        state.updateInternal(Collections.singletonList("f"));
        marks.accept("list mergeNamespaces");
        state.setCurrentNamespace(2L);
        state.mergeNamespaces(2L, Arrays.asList(1L, 3L));
        marks.accept("list clear");
        state.setCurrentNamespace(2L);
        state.clear();
    }

    private void map() throws Exception {
        InternalMapState<Integer, VoidNamespace, String, Long> state =
                target.state(new MapStateDescriptor<>("map", STRINGS, LONGS));
        marks.accept("map put");
        state.put("a", 1L);
        marks.accept("map put another");
        state.put("b", 2L);
        marks.accept("map putAll");
        state.putAll(new TreeMap<>(Map.of("c", 3L, "d", 4L)));
        marks.accept("map remove");
        state.remove("b");
        mapIterators(state);
        marks.accept("map clear");
        state.clear();
    }

    private void mapIterators(InternalMapState<Integer, VoidNamespace, String, Long> state)
            throws Exception {
        marks.accept("map entry setValue");
        state.iterator().next().setValue(11L);
        marks.accept("map entries setValue");
        state.entries().iterator().next().setValue(12L);
        marks.accept("map iterator remove");
        removeFirst(state.iterator());
        marks.accept("map keys remove");
        removeFirst(state.keys().iterator());
        marks.accept("map values remove");
        removeFirst(state.values().iterator());
    }

    private static void removeFirst(Iterator<?> iterator) {
        iterator.next();
        iterator.remove();
    }

    private void reducing() throws Exception {
        InternalReducingState<Integer, VoidNamespace, Long> state =
                target.state(new ReducingStateDescriptor<>("reducing", Long::sum, Long.class));
        marks.accept("reducing add");
        state.add(5L);
        marks.accept("reducing add again");
        state.add(6L);
        marks.accept("reducing updateInternal");
        state.updateInternal(3L);
        marks.accept("reducing clear");
        state.clear();
    }

    private void aggregating() throws Exception {
        InternalAggregatingState<Integer, VoidNamespace, Integer, Long, String> state =
                target.state(
                        new AggregatingStateDescriptor<>("aggregating", new SumAsText(), LONGS));
        marks.accept("aggregating add");
        state.add(5);
        marks.accept("aggregating updateInternal");
        state.updateInternal(3L);
        marks.accept("aggregating clear");
        state.clear();
    }

    private void queue() throws Exception {
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> queue =
                target.queue(
                        "timers", new TimerSerializer<>(INTS, VoidNamespaceSerializer.INSTANCE));
        marks.accept("queue add");
        queue.add(timer(10));
        marks.accept("queue addAll");
        queue.addAll(List.of(timer(20), timer(30)));
        marks.accept("queue poll");
        queue.poll();
        marks.accept("queue remove");
        queue.remove(timer(20));
    }

    private void namespaces() throws Exception {
        InternalValueState<Integer, Long, String> state =
                target.state(LONGS, 1L, new ValueStateDescriptor<>("windowed", STRINGS));
        marks.accept("windowed update");
        state.update("x");
        state.setCurrentNamespace(2L);
        marks.accept("windowed update of another namespace");
        state.update("y");
    }

    private static TimerHeapInternalTimer<Integer, VoidNamespace> timer(long time) {
        return new TimerHeapInternalTimer<>(time, 7, VoidNamespace.INSTANCE);
    }
}
