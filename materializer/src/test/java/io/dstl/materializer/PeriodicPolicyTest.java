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
package io.dstl.materializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.materializer.MaterializationPolicy.Outcome;
import io.dstl.materializer.MaterializationPolicy.Took;
import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;

class PeriodicPolicyTest {

    private static final Duration INTERVAL = Duration.ofMinutes(10);

    private final ManualTimer scheduler = new ManualTimer();
    private final AtomicInteger due = new AtomicInteger();

    @Test
    void theFirstIsDueWithinOneInterval() {
        assertThat(firstDelay(() -> 0.0)).isZero();
        assertThat(firstDelay(() -> 0.5)).isEqualTo(Duration.ofMinutes(5));
        assertThat(firstDelay(() -> Math.nextDown(1.0)))
                .isGreaterThan(INTERVAL.minusMillis(2))
                .isLessThan(INTERVAL);
    }

    @Test
    void theFirstOnesOfManySubtasksSpreadOverTheInterval() {
        Random random = new Random(42);
        int subtasks = 1000;
        int[] bySlice = new int[10];
        for (int i = 0; i < subtasks; i++) {
            Duration delay = firstDelay(random::nextDouble);
            bySlice[(int) (delay.toMillis() * bySlice.length / INTERVAL.toMillis())]++;
        }
        for (int inSlice : bySlice) {
            assertThat(inSlice).isBetween(50, 150);
        }
    }

    @Test
    void theNextIsDueOneIntervalAfterTheEndOfTheOneBefore() {
        PeriodicPolicy policy = policy(() -> 0.1);
        policy.start(reason -> due.incrementAndGet());
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(due).hasValue(1);

        scheduler.advance(INTERVAL.multipliedBy(5));
        assertThat(due).hasValue(1);

        policy.ended(Outcome.COMPLETED, Took.NOTHING);
        scheduler.advance(INTERVAL.minusMillis(1));
        assertThat(due).hasValue(1);
        scheduler.advance(Duration.ofMillis(1));
        assertThat(due).hasValue(2);
    }

    @Test
    void theEndOfOneThatWasDueForAnotherReasonPutsTheNextOff() {
        PeriodicPolicy policy = policy(() -> 0.5);
        policy.start(reason -> due.incrementAndGet());
        scheduler.advance(Duration.ofMinutes(4));
        policy.ended(Outcome.COMPLETED, new Took(Duration.ofSeconds(1), Duration.ZERO));

        assertThat(scheduler.delays()).containsExactly(INTERVAL);
    }

    @Test
    void drawsOnlyForTheFirst() {
        AtomicInteger draws = new AtomicInteger();
        PeriodicPolicy policy =
                policy(
                        () -> {
                            draws.incrementAndGet();
                            return 0.3;
                        });
        policy.start(reason -> due.incrementAndGet());
        policy.ended(Outcome.COMPLETED, Took.NOTHING);

        assertThat(draws).hasValue(1);
    }

    @Test
    void nothingIsDueAfterClose() {
        PeriodicPolicy policy = policy(() -> 0.5);
        policy.start(reason -> due.incrementAndGet());
        policy.close();
        policy.close();
        scheduler.advance(INTERVAL.multipliedBy(2));

        assertThat(due).hasValue(0);
        assertThat(scheduler.delays()).isEmpty();
    }

    @Test
    void refusesCallsOutOfOrder() {
        PeriodicPolicy policy = policy(() -> 0.5);
        assertThatThrownBy(() -> policy.ended(Outcome.FAILED, Took.NOTHING))
                .isInstanceOf(IllegalStateException.class);

        policy.start(reason -> due.incrementAndGet());
        assertThatThrownBy(() -> policy.start(reason -> due.incrementAndGet()))
                .isInstanceOf(IllegalStateException.class);

        policy.close();
        assertThatThrownBy(() -> policy.ended(Outcome.FAILED, Took.NOTHING))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> policy.start(reason -> due.incrementAndGet()))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aSchedulerThatHasBeenShutDownPlansNothingAndThrowsNothing() {
        PeriodicPolicy policy = policy(() -> 0.5);
        scheduler.shutdown();
        policy.start(reason -> due.incrementAndGet());
        policy.ended(Outcome.COMPLETED, Took.NOTHING);

        assertThat(scheduler.delays()).isEmpty();
    }

    @Test
    void refusesAnIntervalThatIsNotOne() {
        assertThatThrownBy(() -> new PeriodicPolicy(Duration.ZERO, scheduler, () -> 0.5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT0S");
        assertThatThrownBy(() -> new PeriodicPolicy(Duration.ofNanos(1), scheduler, () -> 0.5))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private Duration firstDelay(DoubleSupplier uniform) {
        ManualTimer fresh = new ManualTimer();
        new PeriodicPolicy(INTERVAL, fresh, uniform).start(reason -> due.incrementAndGet());
        assertThat(fresh.delays()).hasSize(1);
        return fresh.delays().get(0);
    }

    private PeriodicPolicy policy(DoubleSupplier uniform) {
        return new PeriodicPolicy(INTERVAL, scheduler, uniform);
    }
}
