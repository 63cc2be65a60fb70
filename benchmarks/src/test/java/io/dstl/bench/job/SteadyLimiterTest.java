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

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SteadyLimiterTest {
    private static final long SECOND = 1_000_000_000L;

    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private long now = -5 * SECOND;
    private final SteadyLimiter limiter = new SteadyLimiter(10, () -> now, waiting::add);

    @Test
    void asManyPassAsTheTimeAllowsAndNoMore() {
        now += SECOND;
        for (int i = 0; i < 10; i++) {
            assertThat(limiter.acquire().toCompletableFuture()).isCompleted();
        }
        assertThat(limiter.acquire().toCompletableFuture()).isNotDone();
    }

    @Test
    void theOneTooManyPassesWhenItsTimeHasCome() {
        CompletableFuture<Void> turn = limiter.acquire().toCompletableFuture();
        waiting.remove().run();
        assertThat(turn).isNotDone();
        now += SECOND / 10;
        waiting.remove().run();
        assertThat(turn).isCompleted();
        assertThat(waiting).isEmpty();
    }

    @Test
    void severalAtOnceCountAsMany() {
        now += SECOND;
        assertThat(limiter.acquire(9).toCompletableFuture()).isCompleted();
        assertThat(limiter.acquire(2).toCompletableFuture()).isNotDone();
    }

    @Test
    void timeSpentHeldUpIsCaughtUpWith() {
        now += 3 * SECOND;
        for (int i = 0; i < 30; i++) {
            assertThat(limiter.acquire().toCompletableFuture()).isCompleted();
        }
    }
}
