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

/**
 * A flight as one of its two airports sees it: a departure at its origin, an arrival at its
 * destination. A Flink POJO.
 */
public class Movement {
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
