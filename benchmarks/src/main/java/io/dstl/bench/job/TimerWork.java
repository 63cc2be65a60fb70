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
package io.dstl.bench.job;

import java.nio.ByteBuffer;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.util.Collector;

/**
 * Sets an event-time timer for each update, and reads and writes the value only as it fires: all of
 * them at once, where the watermark makes a leap. Some keys write each second in processing time,
 * whatever becomes of the input.
 */
final class TimerWork extends KeyedWork<ValueState<byte[]>> {
    private static final long serialVersionUID = 1L;

    private static final int TICKS_ONE_IN = 16;
    private static final long TICK_MILLIS = 1000;

    private final int valueBytes;
    private transient ValueState<byte[]> ticks;

    TimerWork(int valueBytes) {
        this.valueBytes = valueBytes;
    }

    @Override
    ValueState<byte[]> bind() {
        ticks =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "ticks", BytePrimitiveArraySerializer.INSTANCE));
        return getRuntimeContext().getState(descriptor());
    }

    @Override
    ValueStateDescriptor<byte[]> descriptor() {
        return new ValueStateDescriptor<>("chain", BytePrimitiveArraySerializer.INSTANCE);
    }

    @Override
    void arrive(long update, Context context) throws Exception {
        context.timerService().registerEventTimeTimer(Updates.sequence(update));
        if (context.getCurrentKey() / Updates.SPLITS % TICKS_ONE_IN == 0 && ticks.value() == null) {
            tick(context);
        }
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<Long> out) throws Exception {
        if (context.timeDomain() == TimeDomain.PROCESSING_TIME) {
            Payload.update(ticks.value());
            tick(context);
        } else {
            int split = (int) (context.getCurrentKey() % Updates.SPLITS);
            apply(Updates.number(split, time), state());
        }
    }

    private void tick(Context context) throws Exception {
        long next =
                (context.timerService().currentProcessingTime() / TICK_MILLIS + 1) * TICK_MILLIS;
        ticks.update(Payload.of(next, valueBytes));
        context.timerService().registerProcessingTimeTimer(next);
    }

    @Override
    void apply(long update, ValueState<byte[]> to) throws Exception {
        byte[] before = to.value();
        long chain = before == null ? 0 : ByteBuffer.wrap(before).getLong();
        to.update(Payload.of(StateModel.chain(chain, update), valueBytes));
    }

    @Override
    long digest(long key, ValueState<byte[]> of) throws Exception {
        return StateModel.digest(key, Payload.update(of.value()));
    }
}
