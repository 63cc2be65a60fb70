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
package io.dstl.tools.sizing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class AmountTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "100, 100",
        "100 b, 100",
        "5mb, 5242880",
        "1.5 GB, 1610612736",
        "2tb, 2199023255552"
    })
    void readsASizeAsFlinkDoes(String text, long bytes) {
        assertThat(new Amount.ToBytes().convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({"500ms, 500", "1s, 1000", "1.5 s, 1500", "10 min, 600000", "2h, 7200000"})
    void readsADurationAsFlinkDoes(String text, long millis) {
        assertThat(new Amount.ToDuration().convert(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "mb", "-1", "5 pb", "1,5mb", "1e9", "999999999999tb"})
    void refusesWhatIsNoSize(String text) {
        assertThatThrownBy(() -> new Amount.ToBytes().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageStartingWith("'" + text + "' is ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "-1s", "1 week"})
    void refusesWhatIsNoDuration(String text) {
        assertThatThrownBy(() -> new Amount.ToDuration().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("write it as 500ms, 1s, 10min or 2h");
    }

    @Test
    void refusesATimeThatNobodyMeans() {
        assertThat(new Amount.ToDuration().convert("10000d")).isEqualTo(Duration.ofDays(10_000));
        assertThatThrownBy(() -> new Amount.ToDuration().convert("999999999999999d"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("'999999999999999d' is too much: give 10000d or less");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "999.4, 999 B",
        "999.6, 1.00 kB",
        "4980000, 4.98 MB",
        "41500000, 41.5 MB",
        "2199023255552, 2.20 TB",
        "5e18, '5,000 PB'"
    })
    void showsASizeInThreeDigits(double bytes, String shown) {
        assertThat(Amount.bytes(bytes)).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({
        "0.0124, 12.4 ms",
        "0.9996, 1.00 s",
        "27.26, 27.3 s",
        "119.9, 120 s",
        "722, 12.0 min",
        "9000, 2.50 h"
    })
    void showsATimeInThreeDigits(double seconds, String shown) {
        assertThat(Amount.time(seconds)).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({"5242880, 5 mb", "1610612736, 1536 mb", "1000, 1000 bytes", "0, 0 bytes"})
    void writesASizeAsFlinkReadsIt(long bytes, String configured) {
        assertThat(Amount.configured(bytes)).isEqualTo(configured);
    }

    @ParameterizedTest
    @CsvSource({"600000, 10 min", "1000, 1 s", "1500, 1500 ms", "7200000, 2 h", "0, 0 ms"})
    void writesADurationAsFlinkReadsIt(long millis, String configured) {
        assertThat(Amount.configured(Duration.ofMillis(millis))).isEqualTo(configured);
    }
}
