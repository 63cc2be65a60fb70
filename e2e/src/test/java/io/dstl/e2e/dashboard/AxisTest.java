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
package io.dstl.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An axis has round lines, and room for all values. */
class AxisTest {

    @ParameterizedTest(name = "{0} in {1} steps")
    @CsvSource(
            delimiter = '|',
            value = {
                "0      | 4 | [0.0, 0.5, 1.0]",
                "3      | 4 | [0.0, 1.0, 2.0, 3.0]",
                "4.1    | 4 | [0.0, 2.0, 4.0, 6.0]",
                "0.3    | 4 | [0.0, 0.1, 0.2, 0.3]",
                "970    | 4 | [0.0, 500.0, 1000.0]",
                "177    | 6 | [0.0, 50.0, 100.0, 150.0, 200.0]"
            })
    void isRound(double largest, int atMost, String ticks) {
        Axis axis = Axis.upTo(largest, atMost);

        assertThat(rounded(axis)).isEqualTo(ticks);
        assertThat(axis.end()).isGreaterThanOrEqualTo(largest);
    }

    private static String rounded(Axis axis) {
        StringBuilder text = new StringBuilder();
        for (double tick : axis.ticks()) {
            text.append(text.length() == 0 ? "[" : ", ").append(Math.round(tick * 1e9) / 1e9);
        }
        return text.append(']').toString();
    }
}
