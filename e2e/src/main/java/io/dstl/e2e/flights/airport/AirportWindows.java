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
package io.dstl.e2e.flights.airport;

import io.dstl.e2e.flights.airport.Delays.SessionRow;
import io.dstl.e2e.flights.airport.Punctuality.Movement;
import io.dstl.e2e.flights.airport.Punctuality.Movements;
import io.dstl.e2e.flights.airport.Punctuality.SlidingRow;
import io.dstl.e2e.flights.input.Flight;
import io.dstl.e2e.flights.result.ResultRow;
import io.dstl.e2e.flights.result.ResultRow.RowKind;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.util.OutputTag;

/**
 * The windows over the movements of each airport. What they compute is independent of the order in
 * which movements arrive, and a movement that came too late would show as a row of its own.
 */
public final class AirportWindows {
    static final Duration SIZE = Duration.ofHours(12);
    static final Duration SLIDE = Duration.ofHours(6);

    /**
     * Longer than most pauses of a day, shorter than the night, so that sessions merge and end. The
     * half minute matters: schedules are in whole minutes, and an arrival exactly one gap after
     * another would join its session or not depending on whether the watermark has fired it.
     */
    static final Duration GAP = Duration.ofHours(2).plusSeconds(30);

    private static final OutputTag<Movement> LATE_MOVEMENT =
            new OutputTag<>("late-movement", TypeInformation.of(Movement.class));
    private static final OutputTag<Delays> LATE_DELAYS =
            new OutputTag<>("late-delays", TypeInformation.of(Delays.class));

    private AirportWindows() {}

    /** Rows of {@link #SIZE} windows, one every {@link #SLIDE}. */
    public static DataStream<String> sliding(DataStream<Flight> flights) {
        SingleOutputStreamOperator<String> rows =
                flights.flatMap(new Movements())
                        .uid("movements")
                        .keyBy(movement -> movement.airport)
                        .window(SlidingEventTimeWindows.of(SIZE, SLIDE))
                        .sideOutputLateData(LATE_MOVEMENT)
                        .aggregate(new Punctuality.Count(), new SlidingRow())
                        .uid("sliding")
                        .name("sliding");
        return rows.union(
                rows.getSideOutput(LATE_MOVEMENT)
                        .map(late -> lateRow("sliding " + late.airport))
                        .uid("late-for-sliding"));
    }

    /** Rows of sessions of arrivals, which end after a pause of {@link #GAP}. */
    public static DataStream<String> sessions(DataStream<Flight> flights) {
        SingleOutputStreamOperator<String> rows =
                flights.map(new Delays.OfArrival())
                        .uid("delays")
                        .keyBy(delays -> delays.airport)
                        .window(EventTimeSessionWindows.withGap(GAP))
                        .sideOutputLateData(LATE_DELAYS)
                        .reduce(new Delays.Sum(), new SessionRow())
                        .uid("sessions")
                        .name("sessions");
        return rows.union(
                rows.getSideOutput(LATE_DELAYS)
                        .map(late -> lateRow("session " + late.airport))
                        .uid("late-for-sessions"));
    }

    private static String lateRow(String what) {
        return ResultRow.about(RowKind.LATE, what).line();
    }
}
