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

/** What is kept of the latest flight of an aircraft. A Flink POJO. */
public class LastFlight {
    public long scheduled;
    public String designator;
    public String route;

    /** {@code null} if it was cancelled. */
    public Integer departureDelay;

    static LastFlight of(Flight flight) {
        LastFlight last = new LastFlight();
        last.scheduled = flight.scheduled;
        last.designator = flight.designator();
        last.route = flight.route();
        last.departureDelay = flight.departureDelay;
        return last;
    }
}
