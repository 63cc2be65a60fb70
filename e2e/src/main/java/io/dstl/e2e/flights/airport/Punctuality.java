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

import io.dstl.e2e.flights.airport.Punctuality.Movement;
import io.dstl.e2e.flights.input.Flight;
import io.dstl.e2e.flights.result.ResultRow;
import io.dstl.e2e.flights.result.ResultRow.RowKind;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** How many movements were how late. A Flink POJO. */
public class Punctuality {
    private static final int LATE_MINUTES = 15;
    private static final int VERY_LATE_MINUTES = 60;

    public long early;
    public long onTime;
    public long late;
    public long veryLate;
    public long absent;

    private void count(Integer delay) {
        if (delay == null) {
            absent++;
        } else if (delay < 0) {
            early++;
        } else if (delay < LATE_MINUTES) {
            onTime++;
        } else if (delay < VERY_LATE_MINUTES) {
            late++;
        } else {
            veryLate++;
        }
    }

    private Punctuality plus(Punctuality other) {
        Punctuality sum = new Punctuality();
        sum.early = early + other.early;
        sum.onTime = onTime + other.onTime;
        sum.late = late + other.late;
        sum.veryLate = veryLate + other.veryLate;
        sum.absent = absent + other.absent;
        return sum;
    }

    /** Counts movements. */
    static final class Count implements AggregateFunction<Movement, Punctuality, Punctuality> {
        @Override
        public Punctuality createAccumulator() {
            return new Punctuality();
        }

        @Override
        public Punctuality add(Movement movement, Punctuality counts) {
            counts.count(movement.delay);
            return counts;
        }

        @Override
        public Punctuality getResult(Punctuality counts) {
            return counts;
        }

        @Override
        public Punctuality merge(Punctuality a, Punctuality b) {
            return a.plus(b);
        }
    }

    /**
     * A flight as one of its two airports sees it: a departure at its origin, an arrival at its
     * destination. A Flink POJO.
     */
    public static class Movement {
        public String airport;

        /** Minutes, negative = early; {@code null} if it did not take place. */
        public Integer delay;

        static Movement departure(Flight flight) {
            return of(flight.origin, flight.departureDelay);
        }

        static Movement arrival(Flight flight) {
            return of(flight.destination, flight.arrivalDelay);
        }

        private static Movement of(String airport, Integer delay) {
            Movement movement = new Movement();
            movement.airport = airport;
            movement.delay = delay;
            return movement;
        }
    }

    /** Turns a flight into its two movements, both at its scheduled departure in event time. */
    public static final class Movements implements FlatMapFunction<Flight, Movement> {
        @Override
        public void flatMap(Flight flight, Collector<Movement> out) {
            out.collect(Movement.departure(flight));
            out.collect(Movement.arrival(flight));
        }
    }

    /** Writes the row of a sliding window that has fired. */
    static final class SlidingRow
            extends ProcessWindowFunction<Punctuality, String, String, TimeWindow> {
        @Override
        public void process(
                String airport,
                Context context,
                Iterable<Punctuality> counts,
                Collector<String> out) {
            for (Punctuality count : counts) {
                out.collect(
                        ResultRow.about(RowKind.SLIDING, airport, context.window().getStart())
                                .with("early", count.early)
                                .with("on-time", count.onTime)
                                .with("late", count.late)
                                .with("very-late", count.veryLate)
                                .with("absent", count.absent)
                                .line());
            }
        }
    }
}
