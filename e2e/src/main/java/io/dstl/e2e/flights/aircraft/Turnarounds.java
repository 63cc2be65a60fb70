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
import java.time.Duration;

/**
 * Whether an aircraft leaves New York again soon after it has landed elsewhere. A Flink POJO.
 *
 * <p>A landing sets a deadline. A departure up to and including the deadline is in time; without
 * one the deadline is missed. Scheduled times count for departures, actual ones for landings.
 */
public class Turnarounds {
    /** Half of all landings are followed by a departure within it: timers fire and are removed. */
    static final Duration LIMIT = Duration.ofHours(24);

    private static final long MILLIS_PER_MINUTE = 60_000L;

    public long inTime;
    public long missed;

    /** Event time; {@code null} while none is pending. */
    public Long deadline;

    /** Where the aircraft landed; {@code null} while no deadline is pending. */
    public String airport;

    boolean isPending() {
        return deadline != null;
    }

    boolean isMissedAt(long time) {
        return isPending() && deadline < time;
    }

    void countMissed() {
        missed++;
        forget();
    }

    void countInTime() {
        inTime++;
        forget();
    }

    void expect(Flight landed) {
        long landing =
                landed.scheduled + (landed.departureDelay + landed.airTime) * MILLIS_PER_MINUTE;
        deadline = landing + LIMIT.toMillis();
        airport = landed.destination;
    }

    private void forget() {
        deadline = null;
        airport = null;
    }
}
