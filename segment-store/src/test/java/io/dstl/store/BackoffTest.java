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

import io.dstl.store.RetrySettings.Backoff;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private static final Duration BASE = Duration.ofMillis(500);

    @Test
    void doublesUpToTenSeconds() {
        Backoff backoff = new Backoff(BASE, () -> 0.5);

        assertThat(backoff.after(1)).isEqualTo(BASE);
        assertThat(backoff.after(2)).isEqualTo(Duration.ofSeconds(1));
        assertThat(backoff.after(5)).isEqualTo(Duration.ofSeconds(8));
        assertThat(backoff.after(6)).isEqualTo(Duration.ofSeconds(10));
        assertThat(backoff.after(1_000_000)).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void isUpToAHalfShorterOrLonger() {
        assertThat(new Backoff(BASE, () -> 0).after(1)).isEqualTo(Duration.ofMillis(250));
        assertThat(new Backoff(BASE, () -> Math.nextDown(1.0)).after(1))
                .isBetween(Duration.ofMillis(749), Duration.ofMillis(750));
    }

    @Test
    void aLongBaseIsNotCut() {
        assertThat(new Backoff(Duration.ofMinutes(1), () -> 0.5).after(3))
                .isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void noneStaysNone() {
        assertThat(new Backoff(Duration.ZERO, () -> 0.9).after(7)).isZero();
    }
}
