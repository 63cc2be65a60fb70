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
package io.dstl.bench.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.HashSet;
import java.util.Set;
import org.apache.flink.util.NumberSequenceIterator;
import org.junit.jupiter.api.Test;

class UpdatesTest {
    private static final int MANY = 100_000;
    private static final int KEYS = 1000;

    @Test
    void aSplitIsWhatFlinksSourceMakesOfTheStream() {
        NumberSequenceIterator[] splits =
                new NumberSequenceIterator(0, Updates.COUNT - 1).split(Updates.SPLITS);
        for (int split = 0; split < Updates.SPLITS; split++) {
            assertThat(splits[split].getCurrent()).isEqualTo(Updates.number(split, 0));
            assertThat(Updates.split(splits[split].getTo())).isEqualTo(split);
        }
    }

    @Test
    void numberIsTheInverseOfSplitAndSequence() {
        long update = Updates.number(1, 12345);
        assertThat(Updates.split(update)).isEqualTo(1);
        assertThat(Updates.sequence(update)).isEqualTo(12345);
    }

    @Test
    void noTwoSplitsShareAKeyAndNoneIsLeftOut() {
        Updates updates = new Updates(KEYS, 0.5);
        Set<Long> seen = new HashSet<>();
        for (int split = 0; split < Updates.SPLITS; split++) {
            Set<Long> own = new HashSet<>();
            for (int i = 0; i < MANY; i++) {
                own.add(updates.key(Updates.number(split, i)));
            }
            assertThat(seen).doesNotContainAnyElementsOf(own);
            seen.addAll(own);
        }
        assertThat(seen).hasSize(KEYS);
        assertThat(seen).allMatch(key -> key >= 0 && key < KEYS);
    }

    @Test
    void theHotKeysGetTheirShareAndTheirPartOfTheRest() {
        assertThat(shareOfHotKeys(0.9)).isCloseTo(0.9 + 0.1 * 0.01, within(0.01));
        assertThat(shareOfHotKeys(0)).isCloseTo(0.01, within(0.003));
    }

    private static double shareOfHotKeys(double share) {
        Updates updates = new Updates(KEYS, share);
        int hot = 0;
        for (int i = 0; i < MANY; i++) {
            hot += updates.key(Updates.number(i % 2, i)) < KEYS / 100 ? 1 : 0;
        }
        return (double) hot / MANY;
    }

    @Test
    void unusableNumbersAreRefusedByName() {
        assertThatThrownBy(() -> new Updates(3, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--keys is 3");
        assertThatThrownBy(() -> new Updates(1000, 90))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--hot-key-share is 90");
        assertThatThrownBy(() -> new Updates(1000, Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
