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
import io.dstl.parity.model.Windows;
import io.dstl.parity.model.Windows.Kind;
import io.dstl.parity.state.Mean;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.datastream.WindowedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** A job with every kind of state that Flink has, which checks its own state against a model. */
public final class ParityJob {

    static final List<String> AUDITED = List.of(EveryState.NAME, TimerOperator.NAME);

    static final Map<String, Kind> WINDOWED =
            Map.of(
                    "sliding-reduce", Kind.SLIDING,
                    "sliding-list", Kind.SLIDING,
                    "session-reduce", Kind.SESSION,
                    "session-aggregate", Kind.SESSION,
                    "session-list", Kind.SESSION);

    private ParityJob() {}

    /** What the keys' audits must find once all rounds before the given one are over. */
    public static Map<String, String> expectedContent(Cast cast, int endRound) {
        Map<String, String> expected = new TreeMap<>();
        expected.putAll(EveryState.expectedAudits(cast, endRound));
        expected.putAll(TimerOperator.expectedAudits(cast.keys(), endRound));
        return expected;
    }

    @SuppressWarnings("deprecation") // See LaneSource.
    public static void build(StreamExecutionEnvironment env, Cast cast) {
        KeyedStream<Event, String> events = lanes(env);
        DataStream<Integer> rules =
                env.addSource(new RuleSource(), "rules", Types.INT).uid("rules").setParallelism(1);
        named(
                EveryState.NAME,
                events.connect(rules.broadcast(EveryState.RULES))
                        .process(new EveryState(cast), Types.VOID));
        named(
                TimerOperator.NAME,
                events.transform(TimerOperator.NAME, Types.VOID, new TimerOperator()));
        windows(events.filter(event -> !event.pulse).uid("filter").keyBy(Event::key));
    }

    private static void windows(KeyedStream<Event, String> events) {
        WindowedStream<Event, String, TimeWindow> sliding =
                events.window(
                        SlidingEventTimeWindows.of(
                                Duration.ofMillis(Windows.SIZE), Duration.ofMillis(Windows.SLIDE)));
        WindowedStream<Event, String, TimeWindow> sessions =
                events.window(EventTimeSessionWindows.withGap(Duration.ofMillis(Windows.GAP)));
        named(
                "sliding-reduce",
                sliding.reduce(
                        ParityJob::sum, new WindowReport<>("sliding-reduce", ParityJob::ordinal)));
        named(
                "sliding-list",
                sliding.process(new WindowReport<>("sliding-list", ParityJob::ordinals)));
        named(
                "session-reduce",
                sessions.reduce(
                        ParityJob::sum, new WindowReport<>("session-reduce", ParityJob::ordinal)));
        named(
                "session-aggregate",
                sessions.aggregate(
                        new Mean.Of<Event>(event -> event.ordinal),
                        new WindowReport<>("session-aggregate", ParityJob::mean),
                        TypeInformation.of(Mean.class),
                        Types.STRING,
                        Types.VOID));
        named(
                "session-list",
                sessions.process(new WindowReport<>("session-list", ParityJob::ordinals)));
    }

    private static Event sum(Event one, Event other) {
        Event sum = new Event();
        sum.key = one.key;
        sum.timestamp = Math.max(one.timestamp, other.timestamp);
        sum.ordinal = one.ordinal + other.ordinal;
        return sum;
    }

    private static String ordinal(Iterable<Event> sum) {
        return String.valueOf(sum.iterator().next().ordinal);
    }

    private static String ordinals(Iterable<Event> events) {
        List<Long> ordinals = new ArrayList<>();
        events.forEach(event -> ordinals.add(event.ordinal));
        return sorted(ordinals);
    }

    private static String mean(Iterable<String> mean) {
        return mean.iterator().next();
    }

    /** What the window's operator makes of its events, as text. */
    static String windowContent(String operator, List<Long> ordinals) {
        long sum = ordinals.stream().mapToLong(Long::longValue).sum();
        if (operator.endsWith("reduce")) {
            return String.valueOf(sum);
        }
        return operator.endsWith("aggregate") ? sum + "/" + ordinals.size() : sorted(ordinals);
    }

    private static String sorted(List<Long> ordinals) {
        return ordinals.stream().sorted().collect(Collectors.toList()).toString();
    }

    /** All events of the lanes, by key. */
    @SuppressWarnings("deprecation") // See LaneSource.
    static KeyedStream<Event, String> lanes(StreamExecutionEnvironment env) {
        return env.addSource(new LaneSource(), "lanes", TypeInformation.of(Event.class))
                .uid("lanes")
                .keyBy(Event::key);
    }

    /** Gives the operator its name in the checkpoints and the audits, and an end. */
    static void named(String name, SingleOutputStreamOperator<Void> operator) {
        operator.uid(name).name(name).sinkTo(new DiscardingSink<>()).uid(name + "-end");
    }

    /** Tells the stage what a window contained when it fired. */
    private static final class WindowReport<T>
            extends ProcessWindowFunction<T, Void, String, TimeWindow> {

        private static final long serialVersionUID = 1L;

        private final String operator;
        private final Text<T> text;

        WindowReport(String operator, Text<T> text) {
            this.operator = operator;
            this.text = text;
        }

        @Override
        public void process(String key, Context context, Iterable<T> content, Collector<Void> out) {
            TimeWindow window = context.window();
            String name = Windows.name(key, window.getStart(), window.getEnd());
            Stage.current().fired(operator, name, text.apply(content));
        }

        /** What a window holds, as text. */
        interface Text<T> extends Function<Iterable<T>, String>, Serializable {}
    }
}
