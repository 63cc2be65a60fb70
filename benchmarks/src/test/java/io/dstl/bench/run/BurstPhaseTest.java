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
package io.dstl.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.bench.report.Quantity;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BurstPhaseTest {
    @Test
    void eachSplitHasATimerUpToTheWatermark() {
        assertThat(BurstPhase.fired(Long.MIN_VALUE)).as("before time leaps").isZero();
        assertThat(BurstPhase.fired(0)).isEqualTo(2);
        assertThat(BurstPhase.fired(2_499_999)).isEqualTo(5_000_000);
    }

    @Test
    void findsWhatAFaultDoesAndTheTimers() {
        BurstPhase phase =
                new BurstPhase(Fault.stall("15s"), null, Path.of("sources"), Duration.ZERO);

        assertThat(phase.quantities())
                .extracting(Quantity::key)
                .containsExactly(
                        "burst, all requests stalled for 15s.restarts",
                        "burst, all requests stalled for 15s.failedCheckpoints",
                        "burst, all requests stalled for 15s.recoveryMillis",
                        "burst, all requests stalled for 15s.timers");
    }
}
