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
package io.dstl.changelog.testing;

import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/** A state of each kind, registered with some backend: keys are ints, namespaces longs. */
public final class EveryState {
    /** Their names. */
    public static final List<String> NAMES =
            List.of("value", "timed", "list", "map", "reducing", "aggregating", "timers");

    private final StateTarget<Integer> target;
    public final InternalValueState<Integer, Long, String> value;
    public final InternalValueState<Integer, Long, TtlValue<String>> timed;
    public final InternalListState<Integer, Long, String> list;
    public final InternalMapState<Integer, Long, String, Long> map;
    public final InternalReducingState<Integer, Long, Long> reducing;
    public final InternalAggregatingState<Integer, Long, Integer, Long, String> aggregating;
    public final KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, Long>> timers;

    public EveryState(StateTarget<Integer> target) throws Exception {
        this.target = target;
        LongSerializer longs = LONGS;
        StringSerializer strings = STRINGS;
        value = target.state(longs, new ValueStateDescriptor<>("value", strings));
        timed = target.state(longs, timedDescriptor());
        list = target.state(longs, new ListStateDescriptor<>("list", strings));
        map = target.state(longs, new MapStateDescriptor<>("map", strings, longs));
        reducing = target.state(longs, new ReducingStateDescriptor<>("reducing", Long::sum, longs));
        aggregating =
                target.state(
                        longs,
                        new AggregatingStateDescriptor<>("aggregating", new SumAsText(), longs));
        timers = target.queue("timers", new TimerSerializer<>(INTS, longs));
    }

    /** As Flink wraps a state with time-to-live before it reaches the backend. */
    private static ValueStateDescriptor<TtlValue<String>> timedDescriptor() {
        ValueStateDescriptor<TtlValue<String>> descriptor =
                new ValueStateDescriptor<>("timed", new TtlSerializer<>(LONGS, STRINGS));
        enableTtl(descriptor);
        return descriptor;
    }

    private static void enableTtl(StateDescriptor<?, ?> descriptor) {
        descriptor.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(1)).build());
    }

    /** Enters a key and, in each state, a namespace. */
    public void enter(int key, long namespace) {
        target.setCurrentKey(key);
        List<InternalKvState<Integer, Long, ?>> all =
                List.of(value, timed, list, map, reducing, aggregating);
        all.forEach(state -> state.setCurrentNamespace(namespace));
    }

    /**
     * All that a backend holds, as sorted lines of text. Taking it empties the timers.
     *
     * <p>An empty map is left out: it stays behind on the heap when an iterator has removed the
     * last entry, and is as good as none.
     *
     * @param backend that the states are of
     */
    public List<String> content(KeyedStateBackend<Integer> backend) throws Exception {
        Content content = new Content(backend);
        content.add("value", value, value::value);
        content.add("timed", timed, () -> timed(timed.value()));
        content.add("list", list, list::getInternal);
        content.add("map", map, () -> entries());
        content.add("reducing", reducing, reducing::getInternal);
        content.add("aggregating", aggregating, aggregating::getInternal);
        content.addTimers();
        return new ArrayList<>(content.lines);
    }

    private static String timed(TtlValue<String> value) {
        return value.getUserValue() + " at " + value.getLastAccessTimestamp();
    }

    private TreeMap<String, Long> entries() throws Exception {
        TreeMap<String, Long> entries = new TreeMap<>();
        map.entries().forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
        return entries;
    }

    private final class Content {
        private final KeyedStateBackend<Integer> backend;
        private final TreeSet<String> lines = new TreeSet<>();

        Content(KeyedStateBackend<Integer> backend) {
            this.backend = backend;
        }

        void add(String name, InternalKvState<Integer, Long, ?> state, Callable<?> reading)
                throws Exception {
            for (Tuple2<Integer, Long> scope : scopes(name)) {
                target.setCurrentKey(scope.f0);
                state.setCurrentNamespace(scope.f1);
                String content = String.valueOf(reading.call());
                if (!content.equals("{}")) {
                    lines.add(name + " " + scope.f0 + " " + scope.f1 + " = " + content);
                }
            }
        }

        /** RocksDB has an entry per map entry, so the same scope comes more than once. */
        private List<Tuple2<Integer, Long>> scopes(String name) {
            try (Stream<Tuple2<Integer, Long>> scopes = backend.getKeysAndNamespaces(name)) {
                return scopes.distinct().collect(Collectors.toList());
            }
        }

        /** Polls, since Flink's RocksDB queue iterates from its last position, not its head. */
        void addTimers() {
            long previous = Long.MIN_VALUE;
            for (TimerHeapInternalTimer<Integer, Long> timer = timers.poll();
                    timer != null;
                    timer = timers.poll()) {
                assertThat(timer.getTimestamp()).as("order").isGreaterThanOrEqualTo(previous);
                previous = timer.getTimestamp();
                lines.add(
                        String.format(
                                "timer %s %s at %s",
                                timer.getKey(), timer.getNamespace(), previous));
            }
        }
    }
}
