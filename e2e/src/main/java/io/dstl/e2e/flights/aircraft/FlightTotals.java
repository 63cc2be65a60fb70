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
import org.apache.flink.api.common.functions.ReduceFunction;

/** Sums over flights of one aircraft. A Flink POJO. */
public class FlightTotals {
    public long flights;
    public long departed;
    public long landed;

    /** Minutes, of the flights that departed. */
    public long departureDelay;

    /** Miles, of the flights that landed. */
    public long distance;

    static FlightTotals of(Flight flight) {
        FlightTotals totals = new FlightTotals();
        totals.flights = 1;
        if (flight.departed()) {
            totals.departed = 1;
            totals.departureDelay = flight.departureDelay;
        }
        if (flight.landed()) {
            totals.landed = 1;
            totals.distance = flight.distance;
        }
        return totals;
    }

    /** Adds two totals up; changes neither. */
    static final class Sum implements ReduceFunction<FlightTotals> {
        private static final long serialVersionUID = 1L;

        @Override
        public FlightTotals reduce(FlightTotals a, FlightTotals b) {
            FlightTotals sum = new FlightTotals();
            sum.flights = a.flights + b.flights;
            sum.departed = a.departed + b.departed;
            sum.landed = a.landed + b.landed;
            sum.departureDelay = a.departureDelay + b.departureDelay;
            sum.distance = a.distance + b.distance;
            return sum;
        }
    }
}
