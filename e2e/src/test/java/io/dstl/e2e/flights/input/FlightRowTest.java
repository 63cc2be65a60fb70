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

import io.dstl.e2e.flights.input.FlightRow.MalformedFlightException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlightRowTest {
    private static final String FLOWN =
            "2013-01-01T10:00:00Z,515,517,2,-11,UA,1545,N14228,EWR,IAH,227,1400";

    @Test
    void readsAFlightThatLanded() throws Exception {
        Flight flight = flight(FLOWN);

        assertThat(Instant.ofEpochMilli(flight.scheduled)).isEqualTo("2013-01-01T10:15:00Z");
        assertThat(flight.departureDelay).isEqualTo(2);
        assertThat(flight.arrivalDelay).isEqualTo(-11);
        assertThat(flight.designator()).isEqualTo("UA1545");
        assertThat(flight.aircraft).isEqualTo("N14228");
        assertThat(flight.route()).isEqualTo("EWR-IAH");
        assertThat(flight.airTime).isEqualTo(227);
        assertThat(flight.distance).isEqualTo(1400);
        assertThat(flight.departed()).isTrue();
        assertThat(flight.landed()).isTrue();
    }

    @Test
    void aCancelledFlightHasNeitherDelayNorAirTime() throws Exception {
        Flight flight = flight("2013-01-01T11:00:00Z,600,NA,NA,NA,B6,125,N618JB,JFK,FLL,NA,1069");

        assertThat(flight.departureDelay).isNull();
        assertThat(flight.arrivalDelay).isNull();
        assertThat(flight.airTime).isNull();
        assertThat(flight.departed()).isFalse();
        assertThat(flight.landed()).isFalse();
    }

    @Test
    void aDivertedFlightHasDepartedButNotLanded() throws Exception {
        Flight flight = flight("2013-01-01T11:00:00Z,600,605,5,,B6,125,N618JB,JFK,FLL,,1069");

        assertThat(flight.departed()).isTrue();
        assertThat(flight.landed()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"NA", "''"})
    void unknownTailNumbersAreOneAircraft(String tailNumber) throws Exception {
        assertThat(flight(FLOWN.replace("N14228", tailNumber)).aircraft).isEqualTo("NA");
    }

    @Test
    void theMinuteOfAScheduleBeforeOneOClockCounts() throws Exception {
        Flight flight = flight(FLOWN.replace(",515,", ",59,"));

        assertThat(Instant.ofEpochMilli(flight.scheduled)).isEqualTo("2013-01-01T10:59:00Z");
    }

    @ParameterizedTest
    @CsvSource({
        "1400, far, distance is 'far'",
        "1400, NA, distance is 'NA'",
        ":00:00Z, h, time_hour is '2013-01-01T10h'",
        "UA, '', carrier is ''",
        "'517,2', '517,2.5', dep_delay is '2.5'",
        "'515,517', ',517', sched_dep_time is ''",
    })
    void namesWhatItCannotUse(String good, String bad, String complaint) {
        assertThatThrownBy(() -> flight(FLOWN.replace(good, bad)))
                .isInstanceOf(MalformedFlightException.class)
                .hasMessageContaining("some.csv.gz, line 17: " + complaint)
                .hasMessageContaining("; give ");
    }

    @Test
    void aRowThatIsCutShortIsAnError() {
        assertThatThrownBy(() -> flight("2013-01-01T10:00:00Z,515,517"))
                .isInstanceOf(MalformedFlightException.class)
                .hasMessageContaining("some.csv.gz, line 17: 3 fields in");
    }

    private static Flight flight(String text) throws MalformedFlightException {
        return new FlightRow("some.csv.gz", 17, text).flight();
    }
}
