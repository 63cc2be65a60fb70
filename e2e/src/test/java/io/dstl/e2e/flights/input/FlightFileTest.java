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
import io.dstl.e2e.flights.input.FlightRow.MalformedFlightException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class FlightFileTest {
    @Test
    void theRealFileHoldsEveryFlightOfTheYear() throws Exception {
        try (FlightFile file = FlightFile.open("real", Files.newInputStream(FlightsCsv.REAL))) {
            long flights = 0;
            long lastScheduled = Long.MIN_VALUE;
            for (var next = file.next(); next.isPresent(); next = file.next()) {
                assertThat(next.get().scheduled).isGreaterThanOrEqualTo(lastScheduled);
                lastScheduled = next.get().scheduled;
                flights++;
            }
            assertThat(flights).isEqualTo(336_776);
        }
    }

    @Test
    void namesTheLineOfABadRow() throws Exception {
        FlightInput input = FlightsCsv.of("no,flight").input();
        try (FlightFile file = input.open()) {
            assertThatThrownBy(file::next)
                    .isInstanceOf(MalformedFlightException.class)
                    .hasMessageContaining("test.csv.gz, line 2: 2 fields in 'no,flight'");
        }
    }

    @Test
    void refusesToResumeBehindTheEnd() throws Exception {
        try (FlightFile file = FlightsCsv.real(3).input().open()) {
            assertThatThrownBy(() -> file.skip(4))
                    .isInstanceOf(EOFException.class)
                    .hasMessageContaining("has only 3 rows")
                    .hasMessageContaining("is row 4");
        }
    }

    @Test
    void closesAStreamThatIsNoFlightsFile() {
        AtomicBoolean closed = new AtomicBoolean();
        InputStream plain =
                new ByteArrayInputStream("not gzip".getBytes(StandardCharsets.UTF_8)) {
                    @Override
                    public void close() {
                        closed.set(true);
                    }
                };

        assertThatThrownBy(() -> FlightFile.open("plain", plain)).isInstanceOf(IOException.class);
        assertThat(closed).isTrue();
    }
}
