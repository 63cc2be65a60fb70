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
package io.dstl.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.store.PutLatencies.SizeClass;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PutLatenciesTest {

    private final PutLatencies latencies = new PutLatencies();

    private void record(SizeClass size, int puts, int millis) {
        for (int put = 0; put < puts; put++) {
            latencies.record(size, Duration.ofMillis(millis).toNanos());
        }
    }

    private Duration late() {
        return late(0.02);
    }

    private Duration late(double share) {
        return latencies.late(SizeClass.UP_TO_64_KB, share).orElseThrow();
    }

    @Test
    void knowsNothingUntilEnoughWereSeen() {
        record(SizeClass.UP_TO_64_KB, PutLatencies.WARM_UP - 1, 20);
        assertThat(latencies.late(SizeClass.UP_TO_64_KB, 0.02)).isEmpty();

        record(SizeClass.UP_TO_64_KB, 1, 20);
        assertThat(late()).isEqualTo(Duration.ofMillis(40));
    }

    /** The slowest of ten is no 99th percentile. */
    @Test
    void isTwoMediansOfTheFirstFew() {
        record(SizeClass.UP_TO_64_KB, PutLatencies.KNOWS_THE_QUANTILE - 1, 20);
        assertThat(late()).isEqualTo(Duration.ofMillis(40));

        record(SizeClass.UP_TO_64_KB, 1, 20);
        assertThat(late()).isEqualTo(Duration.ofMillis(20));
    }

    @Test
    void isThe99thPercentile() {
        record(SizeClass.UP_TO_64_KB, 490, 20);
        record(SizeClass.UP_TO_64_KB, 10, 60);

        assertThat(late()).isEqualTo(Duration.ofMillis(60));
    }

    /** The percentile alone would wait for those that hang. */
    @Test
    void isFourMediansWhereOneInAHundredHangs() {
        record(SizeClass.UP_TO_64_KB, 490, 20);
        record(SizeClass.UP_TO_64_KB, 10, 2000);

        assertThat(late()).isEqualTo(Duration.ofMillis(80));
    }

    @Test
    void isTwoMediansWhereThereAreHedgesForAllThatHang() {
        record(SizeClass.UP_TO_64_KB, 490, 20);
        record(SizeClass.UP_TO_64_KB, 10, 2000);

        assertThat(late(0.05)).isEqualTo(Duration.ofMillis(40));
    }

    @Test
    void asksForNoMoreThanOneInTwentyHoweverManyHedgesThereAre() {
        record(SizeClass.UP_TO_64_KB, 450, 20);
        record(SizeClass.UP_TO_64_KB, 50, 2000);

        assertThat(late(1)).isEqualTo(Duration.ofMillis(80));
    }

    @Test
    void forgetsWhatIsLongAgo() {
        record(SizeClass.UP_TO_64_KB, PutLatencies.WINDOW, 100);
        record(SizeClass.UP_TO_64_KB, PutLatencies.WINDOW, 20);

        assertThat(late()).isEqualTo(Duration.ofMillis(20));
    }

    @Test
    void eachSizeHasItsOwn() {
        record(SizeClass.UP_TO_8_MB, 100, 300);
        record(SizeClass.UP_TO_64_KB, 100, 20);

        assertThat(late()).isEqualTo(Duration.ofMillis(20));
        assertThat(latencies.late(SizeClass.UP_TO_1_MB, 0.02)).isEmpty();
    }

    @Test
    void classesMeetAtTheirBounds() {
        assertThat(SizeClass.of(0)).isEqualTo(SizeClass.UP_TO_64_KB);
        assertThat(SizeClass.of(1 << 16)).isEqualTo(SizeClass.UP_TO_64_KB);
        assertThat(SizeClass.of((1 << 16) + 1)).isEqualTo(SizeClass.UP_TO_1_MB);
        assertThat(SizeClass.of(1 << 23)).isEqualTo(SizeClass.UP_TO_8_MB);
        assertThat(SizeClass.of(Long.MAX_VALUE)).isEqualTo(SizeClass.ABOVE_8_MB);
    }
}
