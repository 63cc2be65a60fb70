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

import io.dstl.changelog.state.ScenarioTarget;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/** A state of each kind, registered with some backend: keys are ints, namespaces longs. */
final class EveryState {
    final InternalValueState<Integer, Long, String> value;
    final InternalValueState<Integer, Long, TtlValue<String>> timed;
    final InternalListState<Integer, Long, String> list;
    final InternalMapState<Integer, Long, String, Long> map;
    final InternalReducingState<Integer, Long, Long> reducing;
    final InternalAggregatingState<Integer, Long, Integer, Long, String> aggregating;
    final KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, Long>> timers;

    EveryState(ScenarioTarget target) throws Exception {
        LongSerializer longs = LongSerializer.INSTANCE;
        StringSerializer strings = StringSerializer.INSTANCE;
        value = target.state(longs, new ValueStateDescriptor<>("value", strings));
        timed = target.state(longs, timedDescriptor());
        list = target.state(longs, new ListStateDescriptor<>("list", strings));
        map = target.state(longs, new MapStateDescriptor<>("map", strings, longs));
        reducing = target.state(longs, new ReducingStateDescriptor<>("reducing", Long::sum, longs));
        aggregating =
                target.state(
                        longs,
                        new AggregatingStateDescriptor<>("aggregating", new SumAsText(), longs));
        timers = target.queue("timers", new TimerSerializer<>(IntSerializer.INSTANCE, longs));
    }

    /** As Flink wraps a state with time-to-live before it reaches the backend. */
    private static ValueStateDescriptor<TtlValue<String>> timedDescriptor() {
        ValueStateDescriptor<TtlValue<String>> descriptor =
                new ValueStateDescriptor<>(
                        "timed",
                        new TtlSerializer<>(LongSerializer.INSTANCE, StringSerializer.INSTANCE));
        enableTtl(descriptor);
        return descriptor;
    }

    private static void enableTtl(StateDescriptor<?, ?> descriptor) {
        descriptor.enableTimeToLive(
                StateTtlConfig.newBuilder(java.time.Duration.ofHours(1)).build());
    }
}
