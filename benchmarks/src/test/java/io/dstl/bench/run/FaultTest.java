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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FaultTest {
    @Test
    void readsWhatTheCommandLineSays() {
        assertThat(Fault.stall("15s").length()).isEqualTo(Duration.ofSeconds(15));
        assertThat(Fault.errors("503:30%:30s").title())
                .isEqualTo("30% of requests answered 503 for 30s");
    }

    @Test
    void oneThatTakesNoTimeIsNone() {
        List<Fault> faults = new ArrayList<>();
        Fault.stall("0s").ifReal(faults::add);
        Fault.stall("1s").ifReal(faults::add);
        assertThat(faults).hasSize(1);
    }

    @Test
    void whatItCannotReadIsRefusedByName() {
        assertThatThrownBy(() -> Fault.stall("15"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--stall")
                .hasMessageContaining("'15'");
        assertThatThrownBy(() -> Fault.errors("503:30s"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--errors")
                .hasMessageContaining("'503:30s'");
        assertThatThrownBy(() -> Fault.errors("503:130%:30s"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--errors is '503:130%:30s'")
                .hasMessageContaining("0% to 100%");
        assertThatThrownBy(() -> Fault.errors("200:30%:30s"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--errors is '200:30%:30s'")
                .hasMessageContaining("400 to 599");
    }
}
