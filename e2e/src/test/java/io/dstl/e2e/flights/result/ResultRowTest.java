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
package io.dstl.e2e.flights.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.e2e.flights.result.ResultRow.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResultRowTest {
    @Test
    void aRowIsReadAsItWasWritten() {
        String line =
                ResultRow.about(RowKind.AIRCRAFT, "N1-0")
                        .with("flights", 12)
                        .withTime("last", 0)
                        .with("mph", null)
                        .line();
        ResultRow row = ResultRow.parse(line);

        assertThat(line).isEqualTo("aircraft\tN1-0\tflights=12 last=1970-01-01T00:00:00Z mph=NA");
        assertThat(row.line()).isEqualTo(line);
        assertThat(row.subject()).isEqualTo("aircraft\tN1-0");
        assertThat(row.flights()).hasValue(12);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "session\tJFK\tflights=12",
                "aircraft\tN1-0\tflights=many",
                "aircraft\tN1-0",
                "aircraft",
                ""
            })
    void whatIsNoAircraftRowAccountsForNoFlights(String line) {
        assertThat(ResultRow.parse(line).flights()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"stray\tN1-0", "cut", ""})
    void aLineWithoutContentIsAboutItself(String line) {
        assertThat(ResultRow.parse(line).subject()).isEqualTo(line);
    }
}
