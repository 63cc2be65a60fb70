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

import io.dstl.e2e.flights.result.ResultRow;
import io.dstl.e2e.flights.result.RowKind;
import java.util.Map;
import java.util.TreeMap;

/** Counts the movements of each airport in windows of 12 hours that start every 6 hours, UTC. */
final class SlidingLedger {
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
                        windows.forEach((start, counts) -> rows.add(counts.row(airport, start))));
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
