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
package io.dstl.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.e2e.scenario.FlightRate.FlightCount;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlightRateTest {

    @ParameterizedTest
    @CsvSource({
        "1, 5000, 10000, 2000",
        "8, 5000, 10000, 16000",
        "0.5, 5000, 10000, 1000",
        "1, 5000, 1, 1",
        "1, 0, 10000, 2147483647"
    })
    void keepsSoManyCoresBusy(double cores, long usedMillis, long flights, String rate) {
        assertThat(
                        FlightRate.keepingBusy(
                                cores, Duration.ofMillis(usedMillis), new FlightCount(flights)))
                .hasToString(rate);
    }

    @ParameterizedTest
    @CsvSource({"2000, 50000, 1000", "900, 50000, 900", "2000, 10, 1"})
    void isBoundedByWhatThereIsToRead(int wanted, long flights, String rate) {
        FlightRate bounded =
                FlightRate.of(wanted).atMost(new FlightCount(flights), Duration.ofSeconds(50));

        assertThat(bounded).hasToString(rate);
        assertThat(bounded.isBelow(FlightRate.of(wanted)))
                .isEqualTo(!rate.equals(Integer.toString(wanted)));
    }

    @Test
    void tellsHowManyItReads() {
        assertThat(FlightRate.of(20).in(Duration.ofSeconds(3)).flights()).isEqualTo(60);
    }
}
