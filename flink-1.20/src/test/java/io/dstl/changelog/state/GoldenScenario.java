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

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
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

    private final ScenarioTarget target;

    public GoldenScenario(ScenarioTarget target) {
        this.target = target;
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
                target.state(
                        VoidNamespaceSerializer.INSTANCE,
                        new ValueStateDescriptor<>("value", StringSerializer.INSTANCE));
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        target.mark("value update");
        state.update("first");
        target.mark("value update of another key");
        target.setCurrentKey(8);
        state.update("second");
        target.setCurrentKey(7);
        target.mark("value update to null");
        state.update(null);
        target.mark("value clear");
        state.clear();
    }

    @SuppressWarnings("deprecation")
    private void valueWithDefault() throws Exception {
        InternalValueState<Integer, VoidNamespace, String> state =
                target.state(
                        VoidNamespaceSerializer.INSTANCE,
                        new ValueStateDescriptor<>(
                                "value-default", StringSerializer.INSTANCE, "none"));
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        target.mark("value with default update");
        state.update("first");
    }

    private void valueWithTtl() throws Exception {
        TypeSerializer<TtlValue<String>> serializer =
                new TtlSerializer<>(LongSerializer.INSTANCE, StringSerializer.INSTANCE);
        ValueStateDescriptor<TtlValue<String>> descriptor =
                new ValueStateDescriptor<>("value-ttl", serializer);
        descriptor.enableTimeToLive(TTL);
        InternalValueState<Integer, VoidNamespace, TtlValue<String>> state =
                target.state(VoidNamespaceSerializer.INSTANCE, descriptor);
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        target.mark("value with time-to-live update");
        state.update(new TtlValue<>("first", 1234L));
    }

    private void list() throws Exception {
        InternalListState<Integer, Long, String> state =
                target.state(
                        LongSerializer.INSTANCE,
                        new ListStateDescriptor<>("list", StringSerializer.INSTANCE));
        state.setCurrentNamespace(1L);
        target.mark("list add");
        state.add("a");
        target.mark("list addAll");
        state.addAll(Arrays.asList("b", "c"));
        target.mark("list update");
        state.update(Arrays.asList("d", "e"));
        target.mark("list updateInternal");
        state.updateInternal(Collections.singletonList("f"));
        target.mark("list mergeNamespaces");
        state.setCurrentNamespace(2L);
        state.mergeNamespaces(2L, Arrays.asList(1L, 3L));
        target.mark("list clear");
        state.setCurrentNamespace(2L);
        state.clear();
    }

    private void map() throws Exception {
        InternalMapState<Integer, VoidNamespace, String, Long> state =
                target.state(
                        VoidNamespaceSerializer.INSTANCE,
                        new MapStateDescriptor<>(
                                "map", StringSerializer.INSTANCE, LongSerializer.INSTANCE));
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        target.mark("map put");
        state.put("a", 1L);
        target.mark("map put another");
        state.put("b", 2L);
        target.mark("map putAll");
        state.putAll(new TreeMap<>(Map.of("c", 3L, "d", 4L)));
        target.mark("map remove");
        state.remove("b");
        mapIterators(state);
        target.mark("map clear");
        state.clear();
    }

    private void mapIterators(InternalMapState<Integer, VoidNamespace, String, Long> state)
            throws Exception {
        target.mark("map entry setValue");
        state.iterator().next().setValue(11L);
        target.mark("map entries setValue");
        state.entries().iterator().next().setValue(12L);
        target.mark("map iterator remove");
        removeFirst(state.iterator());
        target.mark("map keys remove");
        removeFirst(state.keys().iterator());
        target.mark("map values remove");
        removeFirst(state.values().iterator());
    }

    private static void removeFirst(Iterator<?> iterator) {
        iterator.next();
        iterator.remove();
    }

    private void reducing() throws Exception {
        InternalReducingState<Integer, VoidNamespace, Long> state =
                target.state(
                        VoidNamespaceSerializer.INSTANCE,
                        new ReducingStateDescriptor<>("reducing", Long::sum, Long.class));
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        target.mark("reducing add");
        state.add(5L);
        target.mark("reducing add again");
        state.add(6L);
        target.mark("reducing updateInternal");
        state.updateInternal(3L);
        target.mark("reducing clear");
        state.clear();
    }

    private void aggregating() throws Exception {
        InternalAggregatingState<Integer, VoidNamespace, Integer, Long, String> state =
                target.state(
                        VoidNamespaceSerializer.INSTANCE,
                        new AggregatingStateDescriptor<>(
                                "aggregating", new SumToText(), LongSerializer.INSTANCE));
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        target.mark("aggregating add");
        state.add(5);
        target.mark("aggregating updateInternal");
        state.updateInternal(3L);
        target.mark("aggregating clear");
        state.clear();
    }

    private void queue() throws Exception {
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> queue =
                target.queue(
                        "timers",
                        new TimerSerializer<>(
                                IntSerializer.INSTANCE, VoidNamespaceSerializer.INSTANCE));
        target.mark("queue add");
        queue.add(timer(10));
        target.mark("queue addAll");
        queue.addAll(List.of(timer(20), timer(30)));
        target.mark("queue poll");
        queue.poll();
        target.mark("queue remove");
        queue.remove(timer(20));
    }

    private void namespaces() throws Exception {
        InternalValueState<Integer, Long, String> state =
                target.state(
                        LongSerializer.INSTANCE,
                        new ValueStateDescriptor<>("windowed", StringSerializer.INSTANCE));
        state.setCurrentNamespace(1L);
        target.mark("windowed update");
        state.update("x");
        state.setCurrentNamespace(2L);
        target.mark("windowed update of another namespace");
        state.update("y");
    }

    private static TimerHeapInternalTimer<Integer, VoidNamespace> timer(long time) {
        return new TimerHeapInternalTimer<>(time, 7, VoidNamespace.INSTANCE);
    }

    /** Sums what it is given; the result is the sum as text. */
    static final class SumToText implements AggregateFunction<Integer, Long, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public Long createAccumulator() {
            return 0L;
        }

        @Override
        public Long add(Integer value, Long accumulator) {
            return accumulator + value;
        }

        @Override
        public String getResult(Long accumulator) {
            return accumulator.toString();
        }

        @Override
        public Long merge(Long a, Long b) {
            return a + b;
        }
    }
}
