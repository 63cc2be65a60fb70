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
package io.dstl.e2e.flights;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.e2e.flights.ResultCheck.Comparison;
import io.dstl.e2e.flights.oracle.Oracle;
import io.dstl.e2e.flights.result.ResultRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultCheckTest {
    private static final int ROWS = 2_000;

    @TempDir private Path directory;
    private Path input;
    private Path output;
    private List<String> lines;
    private int aircraftRow;

    @BeforeEach
    void writeARightResult() throws IOException {
        input = FlightsCsv.real(ROWS).writeTo(directory.resolve("flights.csv.gz"));
        output = Files.createDirectory(directory.resolve("output"));
        lines =
                Oracle.rows(input, 1).all().stream()
                        .map(ResultRow::line)
                        .sorted()
                        .collect(Collectors.toList());
        aircraftRow = 0;
        assertThat(lines.get(aircraftRow)).startsWith("aircraft\t");
    }

    @Test
    void aRightResultHasNoDifferences() throws Exception {
        Comparison comparison = compare();

        assertThat(comparison.summary()).isEqualTo("2,000 of 2,000 flights, 0 differences");
        assertThat(comparison.isClean()).isTrue();
        assertThat(comparison.equalRows()).isEqualTo(lines.size());
    }

    @Test
    void aMissingRowIsFound() throws Exception {
        String missing = lines.remove(aircraftRow);

        Comparison comparison = compare();

        assertOneDifference(comparison, "missing: " + missing);
        assertThat(comparison.flightsFound()).isLessThan(ROWS);
    }

    @Test
    void aChangedRowIsFound() throws Exception {
        String right = lines.get(aircraftRow);
        String wrong = right.replace("in-time=", "in-time=1");
        lines.set(aircraftRow, wrong);

        assertOneDifference(compare(), "changed: " + wrong + " instead of " + right);
    }

    @Test
    void aDuplicatedRowIsFound() throws Exception {
        String twice = lines.get(aircraftRow);
        lines.add(twice);

        Comparison comparison = compare();

        assertOneDifference(comparison, "once more: " + twice);
        assertThat(comparison.flightsFound()).isGreaterThan(ROWS);
    }

    @Test
    void anUnexpectedRowIsFound() throws Exception {
        lines.add("stray\tN1-0");

        assertOneDifference(compare(), "unexpected: stray\tN1-0");
    }

    @Test
    void differencesAreCountedInFullAndShownInPart() throws Exception {
        int all = lines.size();
        lines.clear();

        Comparison comparison = compare();

        assertThat(comparison.differences()).isEqualTo(all);
        assertThat(comparison.shown()).hasSize(Comparison.SHOWN);
        assertThat(comparison.summary()).startsWith("0 of 2,000 flights, ");
    }

    @Test
    void filesInProgressDoNotCount() throws Exception {
        Files.writeString(output.resolve(".part-0.inprogress.1"), lines.get(aircraftRow) + "\n");

        assertThat(compare().isClean()).isTrue();
    }

    @Test
    void aJobThatWroteNothingHasNoRow() throws Exception {
        Comparison comparison = ResultCheck.compare(input, 1, directory.resolve("absent"));

        assertThat(comparison.differences()).isEqualTo(lines.size());
    }

    private Comparison compare() throws IOException {
        int half = lines.size() / 2;
        Files.write(output.resolve("part-0"), lines.subList(0, half));
        Files.write(output.resolve("part-1"), lines.subList(half, lines.size()));
        return ResultCheck.compare(input, 1, output);
    }

    private static void assertOneDifference(Comparison comparison, String text) {
        assertThat(comparison.differences()).isEqualTo(1);
        assertThat(comparison.shown()).containsExactly(text);
        assertThat(comparison.isClean()).isFalse();
    }
}
