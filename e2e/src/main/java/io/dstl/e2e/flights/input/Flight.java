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
package io.dstl.e2e.flights.input;

/**
 * One scheduled flight out of New York City.
 *
 * <p>A Flink POJO: mutable, with public fields, so that it travels and is stored without Kryo. A
 * field that may be {@code null} is unknown in the data; {@link #departed()} and {@link #landed()}
 * say when it is known.
 */
public class Flight {
    /** Scheduled departure, milliseconds since the epoch: the event time. */
    public long scheduled;

    /** Tail number and repetition; unknown tail numbers are one aircraft, {@code NA}. */
    public String aircraft;

    public String carrier;
    public int number;
    public String origin;
    public String destination;

    /** Miles. */
    public int distance;

    /** Minutes, negative = early; {@code null} if the flight was cancelled. */
    public Integer departureDelay;

    /** Minutes, negative = early; {@code null} if the flight was cancelled or diverted. */
    public Integer arrivalDelay;

    /** Minutes; {@code null} if the flight was cancelled or diverted. */
    public Integer airTime;

    /** False for a cancelled flight. */
    public boolean departed() {
        return departureDelay != null;
    }

    /** False for a cancelled or diverted flight: it never landed at {@link #destination}. */
    public boolean landed() {
        return departed() && airTime != null;
    }

    /** Origin and destination, such as {@code JFK-BOS}. */
    public String route() {
        return origin + '-' + destination;
    }

    /** Carrier and number, such as {@code B6125}. */
    public String designator() {
        return carrier + number;
    }
}
