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
package io.dstl.parity.job;

import io.dstl.parity.model.Cast;
import io.dstl.parity.model.Event;
import io.dstl.parity.model.EventTimers;
import io.dstl.parity.model.Script;
import io.dstl.parity.state.KeyModel;
import io.dstl.parity.state.StateCase;
import io.dstl.parity.state.StateCase.Cell;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Keeps every kind of state per key, event-time timers, and broadcast state. Compares all of a
 * key's state with the model before each event and in the audit at the end of each round.
 */
final class EveryState extends KeyedBroadcastProcessFunction<String, Event, Integer, Void> {

    private static final long serialVersionUID = 1L;

    static final String NAME = "states";

    static final MapStateDescriptor<Integer, String> RULES =
            new MapStateDescriptor<>("rules", Types.INT, Types.STRING);

    private final Cast cast;
    private transient Kept kept;
    private transient Map<String, KeyModel> models;

    EveryState(Cast cast) {
        this.cast = cast;
    }

    @Override
    public void open(OpenContext openContext) {
        kept = new Kept(getRuntimeContext(), cast);
        models = new HashMap<>();
    }

    @Override
    public void processElement(Event event, ReadOnlyContext context, Collector<Void> out)
            throws Exception {
        Stage.current().awaitPassage();
        Stage.current().failIfDue();
        long counted = counted();
        if (counted != event.ordinal) {
            throw new IllegalStateException(event + " comes after " + counted + " events");
        }
        checkContent(event.key, event.ordinal);
        context.timerService().registerEventTimeTimer(Script.auditTimeOf(event.round()));
        if (!event.pulse) {
            for (Map.Entry<String, Cell> cell : kept.cells.entrySet()) {
                int choice = KeyModel.choice(cell.getKey(), event.key, event.ordinal);
                cell.getValue().apply(event.ordinal, choice);
            }
            kept.count.update(event.ordinal + 1);
            EventTimers.deletedBy(event).ifPresent(context.timerService()::deleteEventTimeTimer);
            context.timerService().registerEventTimeTimer(EventTimers.timeOf(event));
        }
    }

    @Override
    public void processBroadcastElement(Integer round, Context context, Collector<Void> out)
            throws Exception {
        BroadcastState<Integer, String> rules = context.getBroadcastState(RULES);
        if (rules.contains(round) || (round > 0 && !rules.contains(round - 1))) {
            throw new IllegalStateException("Rule " + round + " comes after " + rules.entries());
        }
        rules.put(round, "rule " + round);
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<Void> out) throws Exception {
        if (time == Script.auditTimeOf(Script.roundOf(time))) {
            audit(context.getCurrentKey(), time, context);
        } else {
            Integer before = kept.fired.get(time);
            kept.fired.put(time, before == null ? 1 : before + 1);
        }
    }

    private void audit(String key, long time, OnTimerContext context) throws Exception {
        int round = Script.roundOf(time);
        long counted = counted();
        Map<String, String> content = checkContent(key, counted);
        TreeSet<Long> expected = EventTimers.fired(key, counted, time);
        expect(key, "fired timers", firedOnce(key), expected);
        for (int rule = 0; rule <= round; rule++) {
            String text = context.getBroadcastState(RULES).get(rule);
            expect(key, "broadcast state", text, "rule " + rule);
        }
        String found = counted + " " + content + " " + expected;
        Stage.current().audited(getRuntimeContext().getTaskInfo(), NAME, key, round, found);
    }

    private TreeSet<Long> firedOnce(String key) throws Exception {
        TreeSet<Long> times = new TreeSet<>();
        for (Map.Entry<Long, Integer> entry : kept.fired.entries()) {
            expect(key, "timer " + entry.getKey(), entry.getValue(), 1);
            times.add(entry.getKey());
        }
        return times;
    }

    private long counted() throws Exception {
        Long counted = kept.count.value();
        return counted == null ? 0 : counted;
    }

    private Map<String, String> checkContent(String key, long ordinal) throws Exception {
        Map<String, String> expected =
                models.computeIfAbsent(key, k -> new KeyModel(k, StateCase.of(cast)))
                        .before(ordinal);
        for (Map.Entry<String, Cell> cell : kept.cells.entrySet()) {
            String state = cell.getKey();
            String where = state + " before event " + ordinal;
            expect(key, where, cell.getValue().show(), expected.get(state));
        }
        return expected;
    }

    private static void expect(String key, String what, Object found, Object expected) {
        if (!expected.equals(found)) {
            throw new IllegalStateException(
                    key + ": " + what + " is " + found + ", and should be " + expected);
        }
    }

    /** What each key's audit must find once all rounds before the given one are over. */
    static Map<String, String> expectedAudits(Cast cast, int endRound) {
        Map<String, String> expected = new LinkedHashMap<>();
        for (String key : cast.keys()) {
            long ordinal = Script.ordinalBefore(key, endRound);
            expected.put(
                    NAME + " " + key,
                    ordinal
                            + " "
                            + new KeyModel(key, StateCase.of(cast)).before(ordinal)
                            + " "
                            + EventTimers.fired(key, ordinal, Script.auditTimeOf(endRound - 1)));
        }
        return expected;
    }

    /** All state of the current key. */
    static final class Kept {
        final Map<String, Cell> cells = new LinkedHashMap<>();
        final ValueState<Long> count;
        final MapState<Long, Integer> fired;

        Kept(RuntimeContext context, Cast cast) {
            StateCase.of(cast).forEach(each -> cells.put(each.name(), each.inFlink(context)));
            count = context.getState(new ValueStateDescriptor<>("count", Types.LONG));
            fired = context.getMapState(new MapStateDescriptor<>("fired", Types.LONG, Types.INT));
        }
    }
}
