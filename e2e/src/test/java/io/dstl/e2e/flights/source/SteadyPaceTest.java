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
package io.dstl.e2e.flights.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.e2e.flights.source.Pace.SteadyPace;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SteadyPaceTest {
    private final ManualTimer timer = new ManualTimer();

    @Test
    void zeroIsUnlimited() {
        assertThat(new SteadyPace(timer, 0).permits(Long.MAX_VALUE - 1)).isTrue();
    }

    @Test
    void rowsComeAtTheAskedRate() {
        SteadyPace pace = new SteadyPace(timer, 100);
        assertThat(pace.permits(0)).isFalse();

        timer.pass(Duration.ofMillis(10));
        assertThat(pace.permits(0)).isTrue();
        assertThat(pace.permits(1)).isFalse();

        timer.pass(Duration.ofSeconds(2));
        assertThat(pace.permits(200)).isTrue();
        assertThat(pace.permits(201)).isFalse();
    }

    @Test
    void countsFromWhenItWasMade() {
        timer.pass(Duration.ofHours(1));

        assertThat(new SteadyPace(timer, 100).permits(0)).isFalse();
    }
}
