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
package io.dstl.harness.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.harness.wait.Await.DeadlineExpired;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AwaitTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final ManualTime time = new ManualTime();
    private final Await await = new Await(time);

    @Test
    void returnsTheFirstAnswer() throws Exception {
        Countdown probe = new Countdown(3);

        assertThat(await.until("three", LIMIT, probe)).isEqualTo("there");
        assertThat(probe.asked).isEqualTo(4);
    }

    @Test
    void failsWhenNothingMovesWithinTheLimit() {
        assertThatThrownBy(() -> await.until("godot", LIMIT, new Countdown(Integer.MAX_VALUE)))
                .isInstanceOf(DeadlineExpired.class)
                .hasMessage("nothing moved for 10 s, waiting for godot; look into the log");
        assertThat(time.nanos()).isEqualTo(LIMIT.toNanos());
    }

    @Test
    void waitsOnWhileSomethingMoves() throws Exception {
        int rounds = (int) (3 * LIMIT.toMillis() / 100);
        Countdown moving = new Countdown(rounds);
        moving.moves = true;

        assertThat(await.until("the slow one", LIMIT, moving)).isEqualTo("there");
        assertThat(time.nanos()).isGreaterThan(2 * LIMIT.toNanos());
    }

    @Test
    void endsAtOnceWhenTheProbeFails() {
        assertThatThrownBy(
                        () ->
                                await.until(
                                        "a dead process",
                                        LIMIT,
                                        () -> {
                                            throw new IOException("it died");
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessage("it died");
        assertThat(time.nanos()).isZero();
    }

    private static final class Countdown implements Await.Probe<String> {
        private final int rounds;
        private int asked;
        private boolean moves;

        Countdown(int rounds) {
            this.rounds = rounds;
        }

        @Override
        public Optional<String> ask() {
            return asked++ < rounds ? Optional.empty() : Optional.of("there");
        }

        @Override
        public long progress() {
            return moves ? asked : 0;
        }

        @Override
        public String whereToLook() {
            return "the log";
        }
    }
}
