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
package io.dstl.e2e.flights.oracle;

import io.dstl.e2e.flights.oracle.Oracle.ExpectedRows;
import io.dstl.e2e.flights.result.ResultRow;
import io.dstl.e2e.flights.result.ResultRow.RowKind;
import java.util.Map;
import java.util.TreeMap;

/** Follows the sessions of each airport; one ends 2 hours and 30 seconds after its last arrival. */
final class SessionLedger {
    private static final long GAP = 7_230_000L;

    private final Map<String, Session> open = new TreeMap<>();

    /** Arrivals come in order of time; a session that has ended is written to {@code rows}. */
    void add(String airport, long time, Integer delay, ExpectedRows rows) {
        Session session = open.get(airport);
        if (session != null && session.endsBefore(time)) {
            rows.add(session.row(airport));
            session = null;
        }
        if (session == null) {
            session = new Session(time);
            open.put(airport, session);
        }
        session.add(time, delay);
    }

    /** Writes the sessions that the end of the input has ended. */
    void writeTo(ExpectedRows rows) {
        open.forEach((airport, session) -> rows.add(session.row(airport)));
        open.clear();
    }

    private static final class Session {
        private final long start;
        private long end;
        private long arrivals;
        private long delay;
        private Integer worst;

        Session(long start) {
            this.start = start;
        }

        boolean endsBefore(long time) {
            return end < time;
        }

        void add(long time, Integer minutes) {
            end = time + GAP;
            arrivals++;
            if (minutes != null) {
                delay += minutes;
                worst = worst == null ? minutes : Integer.valueOf(Math.max(worst, minutes));
            }
        }

        ResultRow.Builder row(String airport) {
            return ResultRow.about(RowKind.SESSION, airport, start)
                    .withTime("end", end)
                    .with("arrivals", arrivals)
                    .with("delay", delay)
                    .with("worst", worst);
        }
    }

    /**
     * Counts the movements of each airport in windows of 12 hours that start every 6 hours, UTC.
     */
    static final class SlidingLedger {
        private static final long HOUR = 3_600_000L;
        private static final long SLIDE = 6 * HOUR;
        private static final int WINDOWS_PER_MOVEMENT = 2;

        private static final int LATE = 15;
        private static final int VERY_LATE = 60;

        private final Map<String, Map<Long, Counts>> airports = new TreeMap<>();

        void add(String airport, long time, Integer delay) {
            Map<Long, Counts> windows = airports.computeIfAbsent(airport, name -> new TreeMap<>());
            long latestStart = time - Math.floorMod(time, SLIDE);
            for (int back = 0; back < WINDOWS_PER_MOVEMENT; back++) {
                long start = latestStart - back * SLIDE;
                windows.computeIfAbsent(start, at -> new Counts()).count(delay);
            }
        }

        void writeTo(ExpectedRows rows) {
            airports.forEach(
                    (airport, windows) ->
                            windows.forEach(
                                    (start, counts) -> rows.add(counts.row(airport, start))));
        }

        private static final class Counts {
            private int early;
            private int onTime;
            private int late;
            private int veryLate;
            private int absent;

            void count(Integer delay) {
                if (delay == null) {
                    absent++;
                    return;
                }
                int minutes = delay;
                early += minutes < 0 ? 1 : 0;
                onTime += minutes >= 0 && minutes < LATE ? 1 : 0;
                late += minutes >= LATE && minutes < VERY_LATE ? 1 : 0;
                veryLate += minutes >= VERY_LATE ? 1 : 0;
            }

            ResultRow.Builder row(String airport, long start) {
                return ResultRow.about(RowKind.SLIDING, airport, start)
                        .with("early", early)
                        .with("on-time", onTime)
                        .with("late", late)
                        .with("very-late", veryLate)
                        .with("absent", absent);
            }
        }
    }
}
