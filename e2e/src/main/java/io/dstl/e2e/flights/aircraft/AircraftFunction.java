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
package io.dstl.e2e.flights.aircraft;

import io.dstl.e2e.flights.input.Flight;
import io.dstl.e2e.flights.result.ResultRow;
import io.dstl.e2e.flights.result.ResultRow.RowKind;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Follows each aircraft: a row whenever it misses a turnaround, and one of everything known about
 * it when the input ends.
 *
 * <p>The flights of an aircraft arrive in event order (see {@code Lane}), but how far the watermark
 * is behind them depends on timing. A deadline that a flight finds passed is therefore settled
 * there and then, with the same row that its timer would have written.
 */
public final class AircraftFunction extends KeyedProcessFunction<String, Flight, String> {
    /** Reached by the watermark only when the input has ended. */
    private static final long END_OF_INPUT = Long.MAX_VALUE;

    private transient AircraftState state;

    @Override
    public void open(OpenContext context) {
        state = new AircraftState(getRuntimeContext());
    }

    @Override
    public void processElement(Flight flight, Context context, Collector<String> out)
            throws Exception {
        TimerService timers = context.timerService();
        if (state.isNew()) {
            timers.registerEventTimeTimer(END_OF_INPUT);
        }
        turnAround(flight, context.getCurrentKey(), timers, out);
        state.add(flight);
    }

    private void turnAround(
            Flight flight, String aircraft, TimerService timers, Collector<String> out)
            throws Exception {
        Turnarounds turnarounds = state.turnarounds();
        if (turnarounds.isMissedAt(flight.scheduled)) {
            timers.deleteEventTimeTimer(turnarounds.deadline);
            miss(turnarounds, aircraft, out);
        }
        if (flight.departed() && turnarounds.isPending()) {
            timers.deleteEventTimeTimer(turnarounds.deadline);
            turnarounds.countInTime();
        }
        if (flight.landed()) {
            turnarounds.expect(flight);
            timers.registerEventTimeTimer(turnarounds.deadline);
        }
        state.update(turnarounds);
    }

    private static void miss(Turnarounds turnarounds, String aircraft, Collector<String> out) {
        out.collect(
                ResultRow.about(RowKind.MISSED, aircraft, turnarounds.deadline)
                        .with("landed", turnarounds.airport)
                        .line());
        turnarounds.countMissed();
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<String> out) throws Exception {
        String aircraft = context.getCurrentKey();
        if (time == END_OF_INPUT) {
            out.collect(state.row(aircraft));
            return;
        }
        Turnarounds turnarounds = state.turnarounds();
        if (!turnarounds.isPending() || turnarounds.deadline != time) {
            out.collect(ResultRow.about(RowKind.STRAY, aircraft, time).line());
            return;
        }
        miss(turnarounds, aircraft, out);
        state.update(turnarounds);
    }
}
