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
import io.dstl.e2e.flights.input.FlightCursor.Repetition;
import io.dstl.e2e.flights.input.FlightFile;
import io.dstl.e2e.flights.oracle.SessionLedger.SlidingLedger;
import io.dstl.e2e.flights.result.ResultRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Says what the job's rows should be, computed plainly, in one thread and without Flink.
 *
 * <p>Shares with the job how a flight is read and how a row is spelled. All rules and constants are
 * stated here a second time, on purpose: whatever the two disagree on shows as a difference.
 */
public final class Oracle {
    private final ExpectedRows rows = new ExpectedRows();
    private final SlidingLedger sliding = new SlidingLedger();
    private final SessionLedger sessions = new SessionLedger();

    private Oracle() {}

    /** The rows for {@code scale} repetitions of {@code file}; holds one repetition in memory. */
    public static ExpectedRows rows(Path file, int scale) throws IOException {
        Oracle oracle = new Oracle();
        for (int number = 0; number < scale; number++) {
            oracle.add(read(file, new Repetition(number)));
        }
        oracle.sliding.writeTo(oracle.rows);
        oracle.sessions.writeTo(oracle.rows);
        return oracle.rows;
    }

    private static List<Flight> read(Path file, Repetition repetition) throws IOException {
        List<Flight> flights = new ArrayList<>();
        try (FlightFile open = FlightFile.open(file.toString(), Files.newInputStream(file))) {
            Optional<Flight> next = open.next();
            while (next.isPresent()) {
                flights.add(repetition.shift(next.get()));
                next = open.next();
            }
        }
        return flights;
    }

    private void add(List<Flight> repetition) {
        Map<String, List<Flight>> byAircraft =
                repetition.stream()
                        .collect(
                                Collectors.groupingBy(
                                        flight -> flight.aircraft,
                                        TreeMap::new,
                                        Collectors.toList()));
        byAircraft.forEach((name, flights) -> new AircraftHistory(name, flights).writeTo(rows));
        for (Flight flight : repetition) {
            rows.countFlight();
            sliding.add(flight.origin, flight.scheduled, flight.departureDelay);
            sliding.add(flight.destination, flight.scheduled, flight.arrivalDelay);
            sessions.add(flight.destination, flight.scheduled, flight.arrivalDelay, rows);
        }
    }

    /** The rows that a right result consists of, one per subject. For one thread. */
    public static final class ExpectedRows {
        private final Map<String, ResultRow> bySubject = new HashMap<>();
        private long flights;

        void countFlight() {
            flights++;
        }

        void add(ResultRow.Builder row) {
            ResultRow added = ResultRow.parse(row.line());
            ResultRow present = bySubject.putIfAbsent(added.subject(), added);
            if (present != null) {
                throw new IllegalStateException(
                        "two rows about the same: " + present.line() + " and " + added.line());
            }
        }

        /** How many flights the input holds. */
        public long flights() {
            return flights;
        }

        /** The row about {@code subject}, empty if there should be none. */
        public Optional<ResultRow> about(String subject) {
            return Optional.ofNullable(bySubject.get(subject));
        }

        /** All rows, in no particular order. */
        public Collection<ResultRow> all() {
            return Collections.unmodifiableCollection(bySubject.values());
        }
    }
}
