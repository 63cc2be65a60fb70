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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values read as in Grafana. */
class UnitTest {

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "ms, 250, 250 ms",
        "ms, 2500, 2.5 s",
        "ms, 5000000, 5000 s",
        "ns, 20000000, 20 ms",
        "decbytes, 0, 0 B",
        "decbytes, 4000000, 4 MB",
        "percentunit, 0.2, 20%",
        "short, 0.125, 0.125",
        "cpm, 60, 60 /min"
    })
    void reads(String id, double value, String text) {
        assertThat(Unit.of(id).format(value)).isEqualTo(text);
    }

    @Test
    void namesAUnitThatItDoesNotKnow() {
        assertThatThrownBy(() -> Unit.of("furlongs"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("furlongs");
    }
}
