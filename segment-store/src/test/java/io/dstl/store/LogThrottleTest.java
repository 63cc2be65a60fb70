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
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LogThrottleTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualTimer timer = new ManualTimer();
    private final LogThrottle throttle = new LogThrottle(timer::nanos);

    @Test
    void saysWhatLastsOnceAMinute() {
        assertThat(throttle.next("down")).isEqualTo(LogThrottle.Length.FULL);
        timer.advance(MINUTE.minusNanos(1));
        assertThat(throttle.next("down")).isEqualTo(LogThrottle.Length.NOTHING);
        timer.advance(Duration.ofNanos(1));
        assertThat(throttle.next("down")).isEqualTo(LogThrottle.Length.LINE);
        assertThat(throttle.next("down")).isEqualTo(LogThrottle.Length.NOTHING);
    }

    @Test
    void saysAnotherKindAtOnceAndNoneMoreOftenForTakingTurns() {
        assertThat(throttle.next("down")).isEqualTo(LogThrottle.Length.FULL);
        assertThat(throttle.next("refused")).isEqualTo(LogThrottle.Length.FULL);
        assertThat(throttle.next("down")).isEqualTo(LogThrottle.Length.NOTHING);
        assertThat(throttle.next("refused")).isEqualTo(LogThrottle.Length.NOTHING);
    }

    @Test
    void forgetsTheOldestKinds() {
        for (int kind = 0; kind <= 100; kind++) {
            throttle.next("kind " + kind);
        }

        assertThat(throttle.next("kind 100")).isEqualTo(LogThrottle.Length.NOTHING);
        assertThat(throttle.next("kind 0")).isEqualTo(LogThrottle.Length.FULL);
    }

    @Test
    void tellsKindsByTheFirstCauseAndTheCodeOfARefusal() {
        String timeout = kind(new SocketTimeoutException("read of 1"));

        assertThat(kind(new SocketTimeoutException("read of 2"))).isEqualTo(timeout);
        assertThat(kind(new RefusedException("a", "AccessDenied")))
                .isNotEqualTo(timeout)
                .isEqualTo(kind(new RefusedException("b", "AccessDenied")))
                .isNotEqualTo(kind(new RefusedException("b", "NoSuchBucket")));
        assertThat(kind(new IOException("Status Code: 403")))
                .isNotEqualTo(kind(new IOException("Status Code: 503")))
                .isNotEqualTo(kind(new IOException("Status Code: 500")));
    }

    private static String kind(Throwable cause) {
        return LogThrottle.kind(new IOException("Could not store a segment", cause));
    }
}
