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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.e2e.flights.FlightsCsv;
import io.dstl.e2e.flights.input.FlightCursor.FlightInput;
import io.dstl.e2e.flights.input.FlightCursor.Repetition;
import io.dstl.e2e.flights.input.FlightCursor.RowPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FlightCursorTest {
    private static final int ROWS = 5;
    private static final int REPETITIONS = 3;
    private static final FlightInput INPUT = FlightsCsv.real(ROWS).input();

    @Test
    void eachRepetitionIsOfOtherAircraftInAnotherYear() throws Exception {
        List<Flight> flights = flightsFrom(RowPosition.START);

        assertThat(flights).hasSize(ROWS * REPETITIONS);
        Flight first = flights.get(0);
        Flight again = flights.get(ROWS);
        assertThat(first.aircraft).isEqualTo("N14228-0");
        assertThat(again.aircraft).isEqualTo("N14228-1");
        assertThat(again.scheduled - first.scheduled).isEqualTo(Repetition.SHIFT.toMillis());
    }

    @Test
    void goesOnFromAnyPosition() throws Exception {
        List<String> all = names(flightsFrom(RowPosition.START));

        for (int passed = 0; passed <= all.size(); passed++) {
            RowPosition position = new RowPosition(passed / ROWS, passed % ROWS);
            assertThat(names(flightsFrom(position)))
                    .as("from %s", position)
                    .isEqualTo(all.subList(passed, all.size()));
        }
    }

    @Test
    void itsPositionIsThatOfTheNextFlight() throws Exception {
        try (FlightCursor cursor = new FlightCursor(INPUT, REPETITIONS, RowPosition.START)) {
            cursor.next();
            assertThat(cursor.position()).isEqualTo(new RowPosition(0, 1));
        }
    }

    @Test
    void refusesAFileThatGoesBackInTime() throws Exception {
        FlightInput unsorted =
                FlightsCsv.of(
                                "2013-01-01T11:00:00Z,600,600,0,0,B6,1,N1,JFK,FLL,60,1069",
                                "2013-01-01T10:00:00Z,500,500,0,0,B6,2,N2,JFK,FLL,60,1069")
                        .input();
        try (FlightCursor cursor = new FlightCursor(unsorted, 1, RowPosition.START)) {
            cursor.next();
            assertThatThrownBy(cursor::next)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("row 1 of repetition 0")
                    .hasMessageContaining("sort the file");
        }
    }

    private static List<Flight> flightsFrom(RowPosition start) throws IOException {
        List<Flight> flights = new ArrayList<>();
        try (FlightCursor cursor = new FlightCursor(INPUT, REPETITIONS, start)) {
            Optional<Flight> next = cursor.next();
            while (next.isPresent()) {
                flights.add(next.get());
                next = cursor.next();
            }
        }
        return flights;
    }

    private static List<String> names(List<Flight> flights) {
        List<String> names = new ArrayList<>();
        flights.forEach(flight -> names.add(flight.designator() + ' ' + flight.aircraft));
        return names;
    }
}
