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
package io.dstl.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

class GrowthTest {
    @Test
    void carriesALineOn() {
        Growth growth = Growth.through(Map.of(100, 25.0, 300, 65.0, 1000, 205.0));

        assertThat(growth.at(10_000)).isCloseTo(2_005, within(1e-6));
        assertThat(growth.reaches(1_005, 0).orElseThrow()).isCloseTo(5_000, within(1e-6));
        assertThat(growth.reaches(4, 0)).hasValue(0);
    }

    @Test
    void takesTheLineOfTheLeastSquares() {
        // By hand: the slope is (-1 * -1 + 1 * 2) / 2, through the mean (2, 5/3).
        Growth growth = Growth.through(Map.of(1, 2.0 / 3, 2, 2.0 / 3, 3, 11.0 / 3));

        assertThat(growth.at(2)).isCloseTo(5.0 / 3, within(1e-9));
        assertThat(growth.at(3) - growth.at(2)).isCloseTo(1.5, within(1e-9));
    }

    @Test
    void whatDoesNotGrowReachesNoLimit() {
        Growth growth = Growth.through(Map.of(100, 5.0, 300, 4.0));

        assertThat(growth.reaches(10, 10_000)).isEmpty();
        assertThat(growth.at(10_000)).isZero();
    }

    @Test
    void whatDoesNotGrowIsAtALimitThatItIsAboveOfAnyway() {
        assertThat(Growth.through(Map.of(100, 5.0, 300, 5.0)).reaches(5, 10_000)).hasValue(0);
        Growth falling = Growth.through(Map.of(100, 6.0, 300, 5.0));
        assertThat(falling.reaches(4, 499)).hasValue(0);
        assertThat(falling.reaches(4, 501)).isEmpty();
    }

    @Test
    void oneSizeTellsNoGrowth() {
        assertThatThrownBy(() -> Growth.through(Map.of(100, 5.0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two sizes");
    }
}
