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

import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PaceTest {

    private final ManualTimer timer = new ManualTimer();
    private int wishes;
    private final Pace pace = new Pace(timer::nanos, () -> wishes++);

    private Duration untilNext() {
        return Duration.ofNanos(pace.untilNext());
    }

    private void throttledAfter(Duration time) {
        timer.advance(time);
        pace.throttled();
    }

    @Test
    void holdsNothingBackAtFirst() {
        for (int request = 0; request < 1000; request++) {
            assertThat(pace.take()).isTrue();
        }
        assertThat(pace.isBounded()).isFalse();
    }

    @Test
    void givesTurnsAtTenASecondOnceThrottled() {
        pace.throttled();

        assertThat(pace.isBounded()).isTrue();
        assertThat(pace.take()).isFalse();
        assertThat(untilNext()).isEqualTo(Duration.ofMillis(100));
        timer.advance(Duration.ofMillis(99));
        assertThat(pace.take()).isFalse();
        timer.advance(Duration.ofSeconds(1));
        assertThat(pace.take()).isTrue();
        assertThat(pace.take()).isFalse();
        assertThat(untilNext()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void halvesWithEachFurtherWishDownToOneASecond() {
        pace.throttled();
        throttledAfter(Duration.ofMillis(100));
        assertThat(untilNext()).isEqualTo(Duration.ofMillis(200));
        for (int wish = 0; wish < 10; wish++) {
            throttledAfter(Duration.ofSeconds(1));
        }
        assertThat(untilNext()).isEqualTo(Duration.ofSeconds(1));
        assertThat(wishes).isEqualTo(12);
    }

    @Test
    void answersThatComeTogetherAreOneWish() {
        for (int answer = 0; answer < 20; answer++) {
            pace.throttled();
        }
        assertThat(untilNext()).isEqualTo(Duration.ofMillis(100));
        assertThat(wishes).isEqualTo(20);
    }

    @Test
    void recoversStepByStep() {
        pace.throttled();
        for (int success = 0; success < 10; success++) {
            pace.succeeded();
            assertThat(pace.isBounded()).isTrue();
        }
        pace.succeeded();

        assertThat(pace.isBounded()).isFalse();
        assertThat(pace.take()).isTrue();
    }

    @Test
    void whatHasWaitedGoesAtTwentyASecondWhenTheBoundHasEnded() {
        pace.throttled();
        for (int success = 0; success < 11; success++) {
            pace.succeeded();
        }
        timer.advance(Duration.ofSeconds(1));
        assertThat(pace.takeWaiting()).isTrue();
        assertThat(pace.takeWaiting()).isFalse();
        assertThat(pace.take()).isTrue();
        assertThat(untilNext()).isEqualTo(Duration.ofMillis(50));
    }

    @Test
    void theNextTurnComesEarlierAsTheStoreRecovers() {
        pace.throttled();
        for (int wish = 0; wish < 10; wish++) {
            throttledAfter(Duration.ofSeconds(1));
        }
        assertThat(untilNext()).isEqualTo(Duration.ofSeconds(1));

        pace.succeeded();

        assertThat(untilNext()).isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void beginsAtTenAgainAfterItHasRecovered() {
        pace.throttled();
        for (int success = 0; success < 20; success++) {
            pace.succeeded();
        }
        throttledAfter(Duration.ofSeconds(1));

        assertThat(untilNext()).isEqualTo(Duration.ofMillis(100));
    }
}
