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

import io.dstl.e2e.flights.input.Flight;
import io.dstl.e2e.flights.oracle.Oracle.ExpectedRows;
import io.dstl.e2e.flights.result.ResultRow;
import io.dstl.e2e.flights.result.ResultRow.RowKind;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** All flights of one aircraft, in order, and the rows that follow from them. */
final class AircraftHistory {
    private static final int RECENT = 10;
    private static final long MINUTES_PER_HOUR = 60;
    private static final long MINUTE = 60_000L;
    private static final long TURNAROUND_LIMIT = 24 * 60 * MINUTE;

    private final String aircraft;
    private final List<Flight> all;
    private final List<Flight> departed;
    private final List<Flight> landed;

    /** There is at least one flight. */
    AircraftHistory(String aircraft, List<Flight> flights) {
        this.aircraft = aircraft;
        this.all = flights;
        this.departed = flights.stream().filter(Flight::departed).collect(Collectors.toList());
        this.landed = flights.stream().filter(Flight::landed).collect(Collectors.toList());
    }

    void writeTo(ExpectedRows rows) {
        int missed = writeMissed(rows);
        Flight last = all.get(all.size() - 1);
        rows.add(
                ResultRow.about(RowKind.AIRCRAFT, aircraft)
                        .with("flights", all.size())
                        .with("departed", departed.size())
                        .with("landed", landed.size())
                        .with("delay", departed.stream().mapToInt(f -> f.departureDelay).sum())
                        .with("miles", miles())
                        .with("mph", milesPerHour())
                        .with("in-time", landed.size() - missed)
                        .with("missed", missed)
                        .with("last", last.designator())
                        .with("last-route", last.route())
                        .withTime("last-scheduled", last.scheduled)
                        .with("last-delay", last.departureDelay)
                        .with("recent", recent())
                        .with("routes", routes()));
    }

    /** A landing is missed unless the next flight that departs does so within the limit. */
    private int writeMissed(ExpectedRows rows) {
        int missed = 0;
        for (int i = 0; i < departed.size(); i++) {
            Flight flight = departed.get(i);
            boolean isLast = i + 1 == departed.size();
            if (flight.landed()
                    && (isLast || departed.get(i + 1).scheduled > deadlineAfter(flight))) {
                missed++;
                rows.add(
                        ResultRow.about(RowKind.MISSED, aircraft, deadlineAfter(flight))
                                .with("landed", flight.destination));
            }
        }
        return missed;
    }

    private static long deadlineAfter(Flight flight) {
        long takeOff = flight.scheduled + flight.departureDelay * MINUTE;
        return takeOff + flight.airTime * MINUTE + TURNAROUND_LIMIT;
    }

    private long miles() {
        return landed.stream().mapToLong(flight -> flight.distance).sum();
    }

    private Long milesPerHour() {
        long minutes = landed.stream().mapToLong(flight -> flight.airTime).sum();
        return minutes == 0 ? null : miles() * MINUTES_PER_HOUR / minutes;
    }

    private List<Integer> recent() {
        return departed.stream()
                .skip(Math.max(0, departed.size() - RECENT))
                .map(flight -> flight.departureDelay)
                .collect(Collectors.toList());
    }

    private String routes() {
        TreeMap<String, LongSummaryStatistics> delays =
                departed.stream()
                        .collect(
                                Collectors.groupingBy(
                                        Flight::route,
                                        TreeMap::new,
                                        Collectors.summarizingLong(f -> f.departureDelay)));
        return delays.entrySet().stream()
                .map(route -> route.getKey() + ':' + text(route.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String text(LongSummaryStatistics delays) {
        return delays.getCount() + "/" + delays.getSum() + '/' + delays.getMax();
    }
}
