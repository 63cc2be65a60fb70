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
package io.dstl.changelog.replay;

import static io.dstl.changelog.replay.HandWrittenLog.ADD;
import static io.dstl.changelog.replay.HandWrittenLog.ADD_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.ADD_OR_UPDATE_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.CLEAR;
import static io.dstl.changelog.replay.HandWrittenLog.MERGE_NS;
import static io.dstl.changelog.replay.HandWrittenLog.NOTHING;
import static io.dstl.changelog.replay.HandWrittenLog.REMOVE_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.SET;
import static io.dstl.changelog.replay.HandWrittenLog.SET_INTERNAL;
import static io.dstl.changelog.replay.HandWrittenLog.entries;
import static io.dstl.changelog.replay.HandWrittenLog.entry;
import static io.dstl.changelog.replay.HandWrittenLog.keyGroup;
import static io.dstl.changelog.replay.HandWrittenLog.longs;
import static io.dstl.changelog.replay.HandWrittenLog.merge;
import static io.dstl.changelog.replay.HandWrittenLog.nullEntry;
import static io.dstl.changelog.replay.HandWrittenLog.number;
import static io.dstl.changelog.replay.HandWrittenLog.text;
import static io.dstl.changelog.replay.HandWrittenLog.timer;
import static io.dstl.changelog.replay.HandWrittenLog.timers;
import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.testing.ForEachValue;
import io.dstl.changelog.testing.SumAsText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.util.CloseableIterator;

/** Each operation of each state kind, from bytes written by hand. */
class ReplayByKindTest extends ReplayTest {
    @ForEachValue
    void value(DelegateKind kind) throws Exception {
        HandWrittenLog log =
                new HandWrittenLog()
                        .state(0, "v", Type.VALUE, LONGS, STRINGS)
                        .change(SET, 0, 1, 10, text("old"))
                        .change(SET, 0, 1, 10, text("new"))
                        .change(SET, 0, 1, 11, text("other namespace"))
                        .change(SET, 0, 2, 10, text("cleared"))
                        .change(CLEAR, 0, 2, 10, NOTHING);
        ValueStateDescriptor<String> descriptor = new ValueStateDescriptor<>("v", STRINGS);

        open(kind);
        fixture.replay(log);

        assertThat(fixture.state(descriptor, 1, 10).value()).isEqualTo("new");
        assertThat(fixture.state(descriptor, 1, 11).value()).isEqualTo("other namespace");
        assertThat(fixture.state(descriptor, 2, 10).value()).isNull();
        assertThat(fixture.delegate.getKeys("v", 10L)).containsExactly(1);
    }

    @ForEachValue
    void list(DelegateKind kind) throws Exception {
        HandWrittenLog log =
                lists().change(SET, 0, 1, 10, longs(1, 2))
                        .change(ADD_ELEMENT, 0, 1, 10, number(3))
                        .change(ADD, 0, 1, 10, longs(4, 5))
                        .change(SET, 0, 2, 10, longs(1))
                        .change(SET_INTERNAL, 0, 2, 10, longs(7, 8))
                        .change(ADD, 0, 3, 10, longs(1))
                        .change(CLEAR, 0, 3, 10, NOTHING);

        open(kind);
        fixture.replay(log);

        assertThat(listAt(1, 10)).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(listAt(2, 10)).containsExactly(7L, 8L);
        assertThat(listAt(3, 10)).isEmpty();
    }

    @ForEachValue
    void mergedLists(DelegateKind kind) throws Exception {
        HandWrittenLog log =
                lists().change(SET, 0, 1, 10, longs(1))
                        .change(SET, 0, 1, 11, longs(2))
                        .change(SET, 0, 1, 12, longs(3))
                        .change(MERGE_NS, 0, 1, 10, merge(10, 11, 12))
                        .change(ADD_ELEMENT, 0, 1, 10, number(4));

        open(kind);
        fixture.replay(log);

        assertThat(listAt(1, 10)).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
        assertThat(listAt(1, 11)).isEmpty();
        assertThat(listAt(1, 12)).isEmpty();
    }

    @ForEachValue
    void map(DelegateKind kind) throws Exception {
        HandWrittenLog log =
                new HandWrittenLog()
                        .state(0, "m", Type.MAP, LONGS, maps())
                        .change(ADD_OR_UPDATE_ELEMENT, 0, 1, 10, entry("a", 1))
                        .change(ADD_OR_UPDATE_ELEMENT, 0, 1, 10, entry("a", 2))
                        .change(ADD, 0, 1, 10, entries("b", 3, "c", 4))
                        .change(REMOVE_ELEMENT, 0, 1, 10, text("c"))
                        .change(ADD, 0, 2, 10, entries("a", 1, "b", 2))
                        .change(CLEAR, 0, 2, 10, NOTHING);
        MapStateDescriptor<String, Long> descriptor = new MapStateDescriptor<>("m", STRINGS, LONGS);

        open(kind);
        fixture.replay(log);

        MapState<String, Long> state = fixture.state(descriptor, 1, 10);
        assertThat(state.get("a")).isEqualTo(2L);
        assertThat(state.get("b")).isEqualTo(3L);
        assertThat(state.contains("c")).isFalse();
        assertThat(fixture.state(descriptor, 2, 10).isEmpty()).isTrue();
    }

    /** Of a type whose serializer takes no null. */
    @ForEachValue
    void mapWithNullValues(DelegateKind kind) throws Exception {
        HandWrittenLog log =
                new HandWrittenLog()
                        .state(0, "m", Type.MAP, LONGS, maps())
                        .change(ADD, 0, 1, 10, nullEntry("a"))
                        .change(ADD, 0, 1, 10, entries("b", 1, "c", 2))
                        .change(ADD, 0, 1, 10, nullEntry("b"))
                        .change(ADD, 0, 1, 10, nullEntry("d"))
                        .change(ADD_OR_UPDATE_ELEMENT, 0, 1, 10, entry("d", 3));
        MapStateDescriptor<String, Long> descriptor = new MapStateDescriptor<>("m", STRINGS, LONGS);

        open(kind);
        fixture.replay(log);

        MapState<String, Long> state = fixture.state(descriptor, 1, 10);
        Map<String, Long> content = new HashMap<>();
        state.entries().forEach(each -> content.put(each.getKey(), each.getValue()));
        assertThat(content).containsOnlyKeys("a", "b", "c", "d");
        assertThat(content).containsEntry("a", null).containsEntry("b", null);
        assertThat(content).containsEntry("c", 2L).containsEntry("d", 3L);
        assertThat(state.contains("a")).isTrue();
        assertThat(state.get("a")).isNull();
    }

    @ForEachValue
    void reducing(DelegateKind kind) throws Exception {
        HandWrittenLog log =
                sums().change(SET_INTERNAL, 0, 1, 10, number(5))
                        .change(SET_INTERNAL, 0, 1, 10, number(6))
                        .change(SET_INTERNAL, 0, 2, 10, number(7))
                        .change(CLEAR, 0, 2, 10, NOTHING);
        ReducingStateDescriptor<Long> descriptor =
                new ReducingStateDescriptor<>("r", Long::sum, LONGS);

        open(kind);
        fixture.replay(log);

        ReducingState<Long> state = fixture.state(descriptor, 1, 10);
        assertThat(state.get()).isEqualTo(6L);
        state.add(4L);
        assertThat(state.get()).isEqualTo(10L);
        assertThat(fixture.state(descriptor, 2, 10).get()).isNull();
    }

    @ForEachValue
    void aggregating(DelegateKind kind) throws Exception {
        HandWrittenLog log =
                new HandWrittenLog()
                        .state(0, "a", Type.AGGREGATING, LONGS, LONGS)
                        .change(SET_INTERNAL, 0, 1, 10, number(5))
                        .change(SET_INTERNAL, 0, 2, 10, number(7))
                        .change(CLEAR, 0, 2, 10, NOTHING);
        AggregatingStateDescriptor<Integer, Long, String> descriptor =
                new AggregatingStateDescriptor<>("a", new SumAsText(), LONGS);

        open(kind);
        fixture.replay(log);

        assertThat(fixture.state(descriptor, 1, 10).get()).isEqualTo("sum 5");
        fixture.state(descriptor, 1, 10).add(3);
        assertThat(fixture.state(descriptor, 1, 10).get()).isEqualTo("sum 8");
        assertThat(fixture.state(descriptor, 2, 10).get()).isNull();
    }

    @ForEachValue
    void priorityQueue(DelegateKind kind) throws Exception {
        TimerSerializer<Integer, Long> serializer = new TimerSerializer<>(INTS, LONGS);
        HandWrittenLog log =
                new HandWrittenLog()
                        .queue(0, "timers", serializer)
                        .queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1, 300, 100, 200))
                        .queueChange(ADD_ELEMENT, 0, keyGroup(2), timers(2, 150))
                        .queueChange(REMOVE_ELEMENT, 0, keyGroup(1), timer(1, 200));

        open(kind);
        fixture.replay(log);

        assertThat(fixture.target.leftovers().queues()).containsOnlyKeys("timers");
        assertThat(times(fixture.delegate.create("timers", serializer)))
                .containsExactly(100L, 150L, 300L);
    }

    @ForEachValue
    void handsOutTheRestoredQueues(DelegateKind kind) throws Exception {
        HandWrittenLog log =
                new HandWrittenLog()
                        .queue(0, "timers", new TimerSerializer<>(INTS, LONGS))
                        .queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1, 300, 100));

        open(kind);
        fixture.replay(log);

        KeyGroupedInternalPriorityQueue<?> queue =
                fixture.target.leftovers().queues().get("timers").content();
        try (CloseableIterator<?> elements = queue.iterator()) {
            List<Long> times = new ArrayList<>();
            elements.forEachRemaining(
                    timer -> times.add(((TimerHeapInternalTimer<?, ?>) timer).getTimestamp()));
            assertThat(times).containsExactlyInAnyOrder(100L, 300L);
        }
    }

    private static MapSerializer<String, Long> maps() {
        return new MapSerializer<>(STRINGS, LONGS);
    }
}
