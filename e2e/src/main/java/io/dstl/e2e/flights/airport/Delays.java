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

import io.dstl.e2e.flights.input.Flight;
import io.dstl.e2e.flights.result.ResultRow;
import io.dstl.e2e.flights.result.ResultRow.RowKind;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** Delays of arrivals at one airport, summed up. A Flink POJO. */
public class Delays {
    public String airport;
    public long arrivals;

    /** Minutes; arrivals that did not take place count as 0. */
    public long total;

    /** Minutes; {@code null} while none took place. */
    public Integer worst;

    private static Integer worse(Integer a, Integer b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return Math.max(a, b);
    }

    /** The delay of one flight, at its scheduled departure in event time. */
    static final class OfArrival implements MapFunction<Flight, Delays> {
        @Override
        public Delays map(Flight flight) {
            Delays delays = new Delays();
            delays.airport = flight.destination;
            delays.arrivals = 1;
            delays.total = flight.arrivalDelay == null ? 0 : flight.arrivalDelay;
            delays.worst = flight.arrivalDelay;
            return delays;
        }
    }

    /** Adds delays of one airport up; changes neither. */
    static final class Sum implements ReduceFunction<Delays> {
        @Override
        public Delays reduce(Delays a, Delays b) {
            Delays sum = new Delays();
            sum.airport = a.airport;
            sum.arrivals = a.arrivals + b.arrivals;
            sum.total = a.total + b.total;
            sum.worst = worse(a.worst, b.worst);
            return sum;
        }
    }

    /** Writes the row of a session that has ended. */
    static final class SessionRow
            extends ProcessWindowFunction<Delays, String, String, TimeWindow> {
        @Override
        public void process(
                String airport, Context context, Iterable<Delays> sums, Collector<String> out) {
            for (Delays sum : sums) {
                out.collect(
                        ResultRow.about(RowKind.SESSION, airport, context.window().getStart())
                                .withTime("end", context.window().getEnd())
                                .with("arrivals", sum.arrivals)
                                .with("delay", sum.total)
                                .with("worst", sum.worst)
                                .line());
            }
        }
    }
}
