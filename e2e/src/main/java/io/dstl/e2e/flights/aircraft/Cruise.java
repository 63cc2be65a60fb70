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
import org.apache.flink.api.common.functions.AggregateFunction;

/** How far and how long an aircraft has flown. A Flink POJO. */
public class Cruise {
    private static final long MINUTES_PER_HOUR = 60;

    public long miles;
    public long minutes;

    private Cruise plus(long moreMiles, long moreMinutes) {
        Cruise sum = new Cruise();
        sum.miles = miles + moreMiles;
        sum.minutes = minutes + moreMinutes;
        return sum;
    }

    /** Miles per hour, rounded down, of flights that landed; {@code null} without any flying. */
    static final class Speed implements AggregateFunction<Flight, Cruise, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public Cruise createAccumulator() {
            return new Cruise();
        }

        @Override
        public Cruise add(Flight flight, Cruise sum) {
            return sum.plus(flight.distance, flight.airTime);
        }

        @Override
        public Long getResult(Cruise sum) {
            return sum.minutes == 0 ? null : sum.miles * MINUTES_PER_HOUR / sum.minutes;
        }

        @Override
        public Cruise merge(Cruise a, Cruise b) {
            return a.plus(b.miles, b.minutes);
        }
    }
}
