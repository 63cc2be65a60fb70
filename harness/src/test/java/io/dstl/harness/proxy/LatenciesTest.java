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
import static org.assertj.core.api.Assertions.within;

import io.dstl.harness.proxy.Latencies.Settings;
import io.dstl.harness.proxy.RequestJournal.RequestKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class LatenciesTest {
    private static final long SEED = 4;
    private static final int DRAWS = 20_000;
    private static final Duration SLOW = Duration.ofSeconds(2);

    private final Settings settings = new Settings(25, 0.5, 0.01, SLOW);

    @Test
    void theSameSeedGivesTheNthPutTheSameLatencyWhateverComesBetween() {
        Latencies alone = new Latencies(SEED, settings);
        Latencies mixed = new Latencies(SEED, settings);
        List<Duration> puts = new ArrayList<>();
        List<Duration> putsAmongOthers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            puts.add(alone.next(RequestKind.PUT));
            for (int other = 0; other < i % 3; other++) {
                mixed.next(RequestKind.HEAD);
            }
            putsAmongOthers.add(mixed.next(RequestKind.PUT));
        }
        assertThat(putsAmongOthers).isEqualTo(puts);
    }

    @Test
    void anotherSeedGivesOtherLatencies() {
        assertThat(draw(new Latencies(SEED, settings), RequestKind.PUT))
                .isNotEqualTo(draw(new Latencies(SEED + 1, settings), RequestKind.PUT));
    }

    @Test
    void putsAreLogNormalAndOneInAHundredIsSlow() {
        List<Duration> puts = draw(new Latencies(SEED, settings), RequestKind.PUT);
        assertThat(millis(puts, 0.5)).isCloseTo(25, within(1.0));
        // One standard deviation above the median, of those that are not slow.
        assertThat(millis(puts, 0.841 * 0.99)).isCloseTo(25 * Math.exp(0.5), within(2.0));
        assertThat(puts.stream().filter(SLOW::equals).count()).isBetween(160L, 240L);
    }

    @Test
    void requestsThatWriteNothingTakeHalfAndAreNeverSlow() {
        for (RequestKind kind : List.of(RequestKind.GET, RequestKind.HEAD, RequestKind.DELETE)) {
            List<Duration> all = draw(new Latencies(SEED, settings), kind);
            assertThat(millis(all, 0.5)).as("median of %s", kind).isCloseTo(12.5, within(0.5));
            assertThat(all).as("%s", kind).doesNotContain(SLOW);
        }
    }

    @Test
    void saysWhenNothingIsAdded() {
        assertThat(Settings.none()).hasToString("none added");
        assertThat(draw(new Latencies(SEED, Settings.none()), RequestKind.PUT))
                .containsOnly(Duration.ZERO);
    }

    @Test
    void aShareAboveOneIsRefused() {
        assertThatThrownBy(() -> new Settings(25, 0.5, 1.5, SLOW))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1.5");
    }

    private static List<Duration> draw(Latencies latencies, RequestKind kind) {
        List<Duration> drawn = new ArrayList<>();
        for (int i = 0; i < DRAWS; i++) {
            drawn.add(latencies.next(kind));
        }
        return drawn;
    }

    private static double millis(List<Duration> all, double share) {
        List<Duration> sorted = new ArrayList<>(all);
        Collections.sort(sorted);
        return sorted.get((int) (share * sorted.size())).toNanos() / 1e6;
    }
}
