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

import java.time.Duration;

/**
 * The n-th time that the file is read: its flights are those of other aircraft, in another year.
 */
public final class Repetition {
    /**
     * More than the file spans, so that event time never decreases from one repetition to the next;
     * and a multiple of a day, so that windows fall alike in each.
     */
    static final Duration SHIFT = Duration.ofDays(365);

    private final int number;

    public Repetition(int number) {
        this.number = number;
    }

    /** Changes {@code flight}, as it stands in the file, into the one of this repetition. */
    public Flight shift(Flight flight) {
        flight.scheduled += number * SHIFT.toMillis();
        flight.aircraft += "-" + number;
        return flight;
    }
}
