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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.state.ScenarioTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;

/**
 * All that a backend holds, as sorted lines of text. Taking it empties the timers.
 *
 * <p>An empty map is left out: it stays behind on the heap when an iterator has removed the last
 * entry, and is as good as none.
 */
final class StateContent {
    private final KeyedStateBackend<Integer> backend;
    private final ScenarioTarget target;
    private final TreeSet<String> lines = new TreeSet<>();

    private StateContent(KeyedStateBackend<Integer> backend, ScenarioTarget target) {
        this.backend = backend;
        this.target = target;
    }

    /**
     * @param target sets the key of the backend
     */
    static List<String> of(
            KeyedStateBackend<Integer> backend, ScenarioTarget target, EveryState states)
            throws Exception {
        StateContent content = new StateContent(backend, target);
        content.add("value", states.value, states.value::value);
        content.add("timed", states.timed, () -> timed(states.timed.value()));
        content.add("list", states.list, states.list::getInternal);
        content.add("map", states.map, () -> entries(states));
        content.add("reducing", states.reducing, states.reducing::getInternal);
        content.add("aggregating", states.aggregating, states.aggregating::getInternal);
        content.addTimers(states);
        return new ArrayList<>(content.lines);
    }

    private interface Reading {
        Object read() throws Exception;
    }

    private void add(String name, InternalKvState<Integer, Long, ?> state, Reading reading)
            throws Exception {
        for (Tuple2<Integer, Long> scope : scopes(name)) {
            target.setCurrentKey(scope.f0);
            state.setCurrentNamespace(scope.f1);
            String content = String.valueOf(reading.read());
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

    private static String timed(TtlValue<String> value) {
        return value.getUserValue() + " at " + value.getLastAccessTimestamp();
    }

    private static TreeMap<String, Long> entries(EveryState states) throws Exception {
        TreeMap<String, Long> entries = new TreeMap<>();
        states.map.entries().forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
        return entries;
    }

    /** Polls, since Flink's RocksDB queue iterates from its last position, not from its head. */
    private void addTimers(EveryState states) {
        long previous = Long.MIN_VALUE;
        while (!states.timers.isEmpty()) {
            TimerHeapInternalTimer<Integer, Long> timer = states.timers.poll();
            assertThat(timer.getTimestamp()).as("order of timers").isGreaterThanOrEqualTo(previous);
            previous = timer.getTimestamp();
            lines.add(
                    "timer "
                            + timer.getKey()
                            + " "
                            + timer.getNamespace()
                            + " at "
                            + timer.getTimestamp());
        }
    }
}
