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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.e2e.scenario.ClusterPlan.ChainLink;
import io.dstl.e2e.scenario.ClusterPlan.Provider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChainLinkTest {

    @ParameterizedTest
    @CsvSource({"STOCK, STOCK, stock", "dstl, DSTL, dstl"})
    void isABackendOfTheRunsFlink(String text, Provider provider, String label) {
        assertThat(ChainLink.of(text).provider).isEqualTo(provider);
        assertThat(ChainLink.of(text).flinkVersion).isEmpty();
        assertThat(ChainLink.of(text).label()).isEqualTo(label);
    }

    @Test
    void mayBeOfAnotherFlink() {
        ChainLink link = ChainLink.of("STOCK@1.20.5");

        assertThat(link.provider).isEqualTo(Provider.STOCK);
        assertThat(link.flinkVersion).hasValue("1.20.5");
        assertThat(link.label()).isEqualTo("stock-1.20.5");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "OURS", "@2.3.0"})
    void isRefusedWithWhatThereIs(String text) {
        assertThatThrownBy(() -> ChainLink.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--chain has " + text)
                .hasMessageContaining("STOCK or DSTL");
    }
}
