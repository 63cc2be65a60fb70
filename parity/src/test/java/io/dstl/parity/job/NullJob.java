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
import io.dstl.parity.model.Script;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * A job with null values in its map states, put one by one, with others, and through entries.
 *
 * <p>Numbers are written in the rounds of the first leg only, so that Flink's own backend, which
 * can't write nulls of them (FLINK-38144), can be the one that reads them.
 */
public final class NullJob {

    static final String NAME = "nulls";

    private static final int ROUNDS_WITH_NUMBERS = 4;

    private NullJob() {}

    public static void build(StreamExecutionEnvironment env, Cast cast) {
        ParityJob.named(NAME, ParityJob.lanes(env).process(new Nulls(cast), Types.VOID));
    }

    /** What the keys' audits must find once all rounds before the given one are over. */
    public static Map<String, String> expectedContent(Cast cast, int endRound) {
        Map<String, String> expected = new TreeMap<>();
        for (String key : Script.keys()) {
            Map<String, String> texts = new TreeMap<>();
            Map<String, Integer> numbers = new TreeMap<>();
            for (long ordinal = 0; ordinal < Script.ordinalBefore(key, endRound); ordinal++) {
                change(texts, ordinal, "text " + ordinal);
            }
            long numbered = Script.ordinalBefore(key, Math.min(endRound, ROUNDS_WITH_NUMBERS));
            for (long ordinal = 0; ordinal < numbered && cast == Cast.NULL_NUMBERS; ordinal++) {
                change(numbers, ordinal, (int) ordinal);
            }
            expected.put(NAME + " " + key, texts + " " + numbers);
        }
        return expected;
    }

    private static <V> void change(Map<String, V> map, long ordinal, V value) {
        switch ((int) ordinal % 4) {
            case 0:
                map.put("a", null);
                map.put("b", value);
                break;
            case 1:
                map.put("b", null);
                map.put("c", value);
                break;
            case 2:
                map.replaceAll((key, old) -> key.equals("c") ? null : old);
                break;
            default:
                map.remove("a");
                map.put("d", value);
        }
    }

    /** The same on a state. */
    private static <V> void change(MapState<String, V> map, long ordinal, V value)
            throws Exception {
        switch ((int) ordinal % 4) {
            case 0:
                map.put("a", null);
                map.put("b", value);
                break;
            case 1:
                Map<String, V> both = new TreeMap<>();
                both.put("b", null);
                both.put("c", value);
                map.putAll(both);
                break;
            case 2:
                for (Map.Entry<String, V> entry : map.entries()) {
                    if (entry.getKey().equals("c")) {
                        entry.setValue(null);
                    }
                }
                break;
            default:
                map.remove("a");
                map.put("d", value);
        }
    }

    private static final class Nulls extends KeyedProcessFunction<String, Event, Void> {

        private static final long serialVersionUID = 1L;

        private final Cast cast;
        private transient MapState<String, String> texts;
        private transient MapState<String, Integer> numbers;

        Nulls(Cast cast) {
            this.cast = cast;
        }

        @Override
        public void open(OpenContext openContext) {
            texts =
                    getRuntimeContext()
                            .getMapState(
                                    new MapStateDescriptor<>("texts", Types.STRING, Types.STRING));
            numbers =
                    getRuntimeContext()
                            .getMapState(
                                    new MapStateDescriptor<>("numbers", Types.STRING, Types.INT));
        }

        @Override
        public void processElement(Event event, Context context, Collector<Void> out)
                throws Exception {
            Stage.current().failIfDue();
            context.timerService().registerEventTimeTimer(Script.auditTimeOf(event.round()));
            if (!event.pulse) {
                change(texts, event.ordinal, "text " + event.ordinal);
                if (cast == Cast.NULL_NUMBERS && event.round() < ROUNDS_WITH_NUMBERS) {
                    change(numbers, event.ordinal, (int) event.ordinal);
                }
            }
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<Void> out)
                throws Exception {
            Stage.current()
                    .audited(
                            getRuntimeContext().getTaskInfo(),
                            NAME,
                            context.getCurrentKey(),
                            Script.roundOf(time),
                            content(texts) + " " + content(numbers));
        }

        private static <V> Map<String, V> content(MapState<String, V> state) throws Exception {
            Map<String, V> content = new TreeMap<>();
            for (Map.Entry<String, V> entry : state.entries()) {
                content.put(entry.getKey(), entry.getValue());
            }
            return content;
        }
    }
}
