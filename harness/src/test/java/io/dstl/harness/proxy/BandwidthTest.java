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
package io.dstl.harness.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.harness.proxy.Latencies.Bandwidth;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BandwidthTest {
    @Test
    void aPartTakesAsLongAsItsBytesDo() {
        assertThat(Bandwidth.of(85_000_000).timeOf(850_000)).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void noneIsNoLimit() {
        assertThat(Bandwidth.unlimited().isLimited()).isFalse();
        assertThat(Bandwidth.unlimited().timeOf(1)).isZero();
        assertThatThrownBy(() -> Bandwidth.of(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a bandwidth is 0 B/s: give 1 or more");
    }
}
