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

import io.dstl.parity.model.Event;
import io.dstl.parity.model.Script;
import io.dstl.parity.state.Mean;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.v2.AggregatingState;
import org.apache.flink.api.common.state.v2.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.v2.ListState;
import org.apache.flink.api.common.state.v2.ListStateDescriptor;
import org.apache.flink.api.common.state.v2.MapState;
import org.apache.flink.api.common.state.v2.MapStateDescriptor;
import org.apache.flink.api.common.state.v2.ReducingState;
import org.apache.flink.api.common.state.v2.ReducingStateDescriptor;
import org.apache.flink.api.common.state.v2.StateFuture;
import org.apache.flink.api.common.state.v2.ValueState;
import org.apache.flink.api.common.state.v2.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** The operator of {@link AsyncJob}. */
final class AsyncStates extends KeyedProcessFunction<String, Event, Void> {

    private static final long serialVersionUID = 1L;

    private transient ValueState<Long> value;
    private transient MapState<String, Long> map;
    private transient ListState<Long> list;
    private transient ReducingState<Long> sum;
    private transient AggregatingState<Long, String> mean;
    private transient ReducingState<Long> fired;

    private AsyncStates() {}

    static SingleOutputStreamOperator<Void> of(KeyedStream<Event, String> events) {
        return events.enableAsyncState().process(new AsyncStates(), Types.VOID);
    }

    @Override
    public void open(OpenContext context) {
        value = getRuntimeContext().getState(new ValueStateDescriptor<>("value", Types.LONG));
        map =
                getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>("map", Types.STRING, Types.LONG));
        list = getRuntimeContext().getListState(new ListStateDescriptor<>("list", Types.LONG));
        sum = getRuntimeContext().getReducingState(sum("sum"));
        fired = getRuntimeContext().getReducingState(sum("fired"));
        mean =
                getRuntimeContext()
                        .getAggregatingState(
                                new AggregatingStateDescriptor<>(
                                        "mean", AsyncJob.mean(), TypeInformation.of(Mean.class)));
    }

    private static ReducingStateDescriptor<Long> sum(String name) {
        return new ReducingStateDescriptor<>(name, Long::sum, Types.LONG);
    }

    @Override
    public void processElement(Event event, Context context, Collector<Void> out) {
        Stage.current().failIfDue();
        context.timerService().registerEventTimeTimer(Script.auditTimeOf(event.round()));
        // Of the next round: a checkpoint between the two has this timer.
        context.timerService().registerEventTimeTimer(Script.startOf(event.round() + 1));
        if (!event.pulse) {
            change(event.ordinal);
        }
    }

    private void change(long ordinal) {
        value.asyncValue()
                .thenAccept(
                        before -> {
                            if (AsyncJob.clearsValue(ordinal)) {
                                value.asyncClear();
                            } else {
                                value.asyncUpdate(ordinal);
                            }
                        });
        String key = AsyncJob.keyOfMap(ordinal);
        if (AsyncJob.removesFromMap(ordinal)) {
            map.asyncRemove(key);
        } else {
            map.asyncPut(key, ordinal);
        }
        if (AsyncJob.clearsList(ordinal)) {
            list.asyncClear();
        } else if (AsyncJob.replacesList(ordinal)) {
            list.asyncUpdate(List.of(ordinal));
        } else {
            list.asyncAdd(ordinal);
        }
        if (AsyncJob.clearsSum(ordinal)) {
            sum.asyncClear();
        } else {
            sum.asyncAdd(ordinal);
        }
        if (AsyncJob.clearsMean(ordinal)) {
            mean.asyncClear();
        } else {
            mean.asyncAdd(ordinal);
        }
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<Void> out) {
        int round = Script.roundOf(time);
        if (time != Script.auditTimeOf(round)) {
            fired.asyncAdd(1L);
            return;
        }
        String key = context.getCurrentKey();
        Map<String, Long> entries = new TreeMap<>();
        List<Long> elements = new ArrayList<>();
        map.asyncEntries()
                .thenCompose(
                        found ->
                                found.onNext(
                                        entry -> {
                                            entries.put(entry.getKey(), entry.getValue());
                                        }))
                .thenCompose(all -> list.asyncGet())
                .thenCompose(
                        found ->
                                found.onNext(
                                        element -> {
                                            elements.add(element);
                                        }))
                .thenCompose(all -> numbers())
                .thenAccept(
                        numbers ->
                                Stage.current()
                                        .audited(
                                                getRuntimeContext().getTaskInfo(),
                                                AsyncJob.NAME,
                                                key,
                                                round,
                                                AsyncJob.content(numbers, entries, elements)));
    }

    private StateFuture<String> numbers() {
        return value.asyncValue()
                .thenCombine(sum.asyncGet(), (one, other) -> one + " " + other)
                .thenCombine(mean.asyncGet(), (one, other) -> one + " " + other)
                .thenCombine(fired.asyncGet(), (one, other) -> one + " " + other);
    }
}
