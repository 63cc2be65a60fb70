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
package io.dstl.e2e.scenario;

/** A number of flights. */
final class FlightCount {
    static final FlightCount NONE = new FlightCount(0);

    private final long flights;

    FlightCount(long flights) {
        this.flights = flights;
    }

    long flights() {
        return flights;
    }

    FlightCount plus(long more) {
        return new FlightCount(flights + more);
    }

    FlightCount max(FlightCount other) {
        return flights >= other.flights ? this : other;
    }

    FlightCount min(FlightCount other) {
        return flights <= other.flights ? this : other;
    }

    /** From 0 to 1. */
    double shareOf(FlightCount total) {
        return Math.min(1, (double) flights / total.flights);
    }
}
