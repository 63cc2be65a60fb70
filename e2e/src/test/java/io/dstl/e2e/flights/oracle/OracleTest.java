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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.e2e.flights.FlightsCsv;
import io.dstl.e2e.flights.oracle.Oracle.ExpectedRows;
import io.dstl.e2e.flights.result.ResultRow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Expected rows worked out by hand. */
class OracleTest {
    @TempDir private Path directory;

    @Test
    void oneFlightMakesARowOfEachKind() throws Exception {
        ExpectedRows rows =
                rows(1, "2013-01-01T10:00:00Z,515,517,2,11,UA,1545,N14228,EWR,IAH,227,1400");

        assertThat(rows.flights()).isEqualTo(1);
        assertThat(lines(rows, ""))
                .containsExactlyInAnyOrder(
                        "aircraft\tN14228-0\tflights=1 departed=1 landed=1 delay=2 miles=1400 mph=370"
                                + " in-time=0 missed=1 last=UA1545 last-route=EWR-IAH"
                                + " last-scheduled=2013-01-01T10:15:00Z last-delay=2 recent=[2]"
                                + " routes={EWR-IAH:1/2/2}",
                        "missed\tN14228-0@2013-01-02T14:04:00Z\tlanded=IAH",
                        "sliding\tEWR@2013-01-01T00:00:00Z\t" + counts(0, 1, 0, 0, 0),
                        "sliding\tEWR@2013-01-01T06:00:00Z\t" + counts(0, 1, 0, 0, 0),
                        "sliding\tIAH@2013-01-01T00:00:00Z\t" + counts(0, 1, 0, 0, 0),
                        "sliding\tIAH@2013-01-01T06:00:00Z\t" + counts(0, 1, 0, 0, 0),
                        "session\tIAH@2013-01-01T10:15:00Z\tend=2013-01-01T12:15:30Z arrivals=1"
                                + " delay=11 worst=11");
    }

    @Test
    void aCancelledFlightCountsWithoutADelay() throws Exception {
        ExpectedRows rows = rows(1, "2013-01-01T10:00:00Z,500,NA,NA,NA,UA,1,NA,EWR,IAH,NA,1400");

        assertThat(lines(rows, "aircraft"))
                .containsExactly(
                        "aircraft\tNA-0\tflights=1 departed=0 landed=0 delay=0 miles=0 mph=NA"
                                + " in-time=0 missed=0 last=UA1 last-route=EWR-IAH"
                                + " last-scheduled=2013-01-01T10:00:00Z last-delay=NA recent=[]"
                                + " routes={}");
        assertThat(lines(rows, "missed")).isEmpty();
        assertThat(lines(rows, "session"))
                .containsExactly(
                        "session\tIAH@2013-01-01T10:00:00Z\tend=2013-01-01T12:00:30Z arrivals=1"
                                + " delay=0 worst=NA");
    }

    @Test
    void theNextDepartureDecidesWhetherATurnaroundIsMissed() throws Exception {
        ExpectedRows rows =
                rows(
                        1,
                        // Lands 10:30; a cancelled flight in between does not count.
                        "2013-01-01T10:00:00Z,0,0,0,0,UA,1,N1,EWR,BOS,30,200",
                        "2013-01-01T11:00:00Z,0,NA,NA,NA,UA,2,N1,EWR,BOS,NA,200",
                        // Exactly at the deadline, 10:30 the next day; lands 11:00.
                        "2013-01-02T10:00:00Z,30,30,0,0,UA,3,N1,EWR,BOS,30,200",
                        // A minute after the deadline, 11:00 the day after.
                        "2013-01-03T11:00:00Z,1,1,0,NA,UA,4,N1,EWR,BOS,NA,200");

        assertThat(lines(rows, "missed"))
                .containsExactly("missed\tN1-0@2013-01-03T11:00:00Z\tlanded=BOS");
        assertThat(lines(rows, "aircraft").get(0))
                .contains("flights=4 departed=3 landed=2 delay=0 miles=400 mph=400")
                .contains("in-time=1 missed=1");
    }

    @Test
    void onlyTheLastTenDelaysAreRecent() throws Exception {
        String[] flights = new String[12];
        for (int i = 0; i < flights.length; i++) {
            flights[i] = "2013-01-01T10:00:00Z," + i + ",0," + i + ",0,UA,1,N1,EWR,BOS,NA,200";
        }

        assertThat(lines(rows(1, flights), "aircraft").get(0))
                .contains("recent=[2, 3, 4, 5, 6, 7, 8, 9, 10, 11]")
                .contains("routes={EWR-BOS:12/66/11}");
    }

    @Test
    void aPauseOfTwoHoursKeepsASessionTogetherAndOneMoreMinuteEndsIt() throws Exception {
        ExpectedRows rows =
                rows(
                        1,
                        "2013-01-01T10:00:00Z,0,0,-5,20,UA,1,N1,EWR,BOS,30,200",
                        "2013-01-01T12:00:00Z,0,0,7,70,UA,2,N2,EWR,BOS,30,200",
                        "2013-01-01T14:00:00Z,1,1,1,0,UA,3,N3,EWR,BOS,30,200");

        assertThat(lines(rows, "session"))
                .containsExactly(
                        "session\tBOS@2013-01-01T10:00:00Z\tend=2013-01-01T14:00:30Z arrivals=2"
                                + " delay=90 worst=70",
                        "session\tBOS@2013-01-01T14:01:00Z\tend=2013-01-01T16:01:30Z arrivals=1"
                                + " delay=0 worst=0");
        assertThat(lines(rows, "sliding\tBOS@2013-01-01T06:00:00Z").get(0))
                .endsWith(counts(0, 1, 1, 1, 0));
        assertThat(lines(rows, "sliding\tEWR@2013-01-01T12:00:00Z").get(0))
                .endsWith(counts(0, 2, 0, 0, 0));
    }

    @Test
    void everyRepetitionAddsItsFlights() throws Exception {
        ExpectedRows rows = rows(3, "2013-01-01T10:00:00Z,0,0,0,0,UA,1,N1,EWR,BOS,30,200");

        assertThat(rows.flights()).isEqualTo(3);
        assertThat(lines(rows, "aircraft")).hasSize(3);
        assertThat(lines(rows, "aircraft\tN1-2").get(0))
                .contains("last-scheduled=2015-01-01T10:00:00Z");
    }

    private static String counts(int early, int onTime, int late, int veryLate, int absent) {
        return "early="
                + early
                + " on-time="
                + onTime
                + " late="
                + late
                + " very-late="
                + veryLate
                + " absent="
                + absent;
    }

    private ExpectedRows rows(int scale, String... flights) throws IOException {
        return Oracle.rows(
                FlightsCsv.of(flights).writeTo(directory.resolve("flights.csv.gz")), scale);
    }

    private static List<String> lines(ExpectedRows rows, String prefix) {
        return rows.all().stream()
                .map(ResultRow::line)
                .filter(line -> line.startsWith(prefix))
                .sorted()
                .collect(Collectors.toList());
    }
}
