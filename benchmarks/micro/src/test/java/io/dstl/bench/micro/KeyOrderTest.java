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
package io.dstl.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class KeyOrderTest {
    private static final int KEYS = 10_000;

    @Test
    void uniformComesToEachKeyBeforeItComesToOneAgain() {
        int[] positions = KeyOrder.UNIFORM.positions(KEYS);
        assertThat(positions).hasSize(KEYS).doesNotHaveDuplicates();
        assertThat(Arrays.copyOf(positions, 3)).isNotEqualTo(new int[] {0, 1, 2});
    }

    @Test
    void hotGoesToOnePercentOfTheKeysNineTimesInTen() {
        int[] positions = KeyOrder.HOT.positions(KEYS);
        long hot = Arrays.stream(positions).filter(position -> position < KEYS / 100).count();
        assertThat((double) hot / positions.length).isBetween(0.89, 0.92);
        assertThat(Arrays.stream(positions).max().getAsInt()).isBetween(KEYS * 9 / 10, KEYS - 1);
    }

    @Test
    void theOrderIsTheSameEachTime() {
        for (KeyOrder order : KeyOrder.values()) {
            int[] before = order.positions(KEYS);
            assertThat(order.positions(KEYS)).isEqualTo(before);
        }
    }
}
