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
import io.dstl.materializer.MaterializationPolicy.Reason;
import io.dstl.materializer.MaterializationPolicy.Took;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.Test;

class LogLimitPolicyTest {

    private static final Duration CHECKPOINTS = Duration.ofSeconds(10);

    /** 1,000 bytes of log on nothing. */
    private final LogLimit limit = new LogLimit(0.25, 1000, Duration.ZERO, new ReplayRate());

    private final ManualClock clock = new ManualClock();
    private final Queue<Double> draws = new ArrayDeque<>(List.of(1.0, 1.0, 1.0, 1.0, 1.0));
    private final List<Reason> due = new ArrayList<>();
    private final LogLimitPolicy policy =
            new LogLimitPolicy(limit, CHECKPOINTS, clock::relativeTimeMillis, draws::remove);

    @Test
    void isDueAtTheCompletedCheckpointThatReachesTheLimitAndOnce() {
        policy.start(due::add);
        checkpointed(999);
        assertThat(due).isEmpty();

        checkpointed(1000);
        checkpointed(1001);
        assertThat(due).containsExactly(Reason.LOG_SIZE);
    }

    @Test
    void drawsTheShareAnewEachTime() {
        draws.clear();
        draws.addAll(List.of(0.0, 0.5));
        policy.start(due::add);
        checkpointed(799);
        assertThat(due).isEmpty();
        checkpointed(800);
        assertThat(due).hasSize(1);

        completedAfter(Duration.ZERO);
        clock.advanceTime(CHECKPOINTS.multipliedBy(2));
        checkpointed(899);
        assertThat(due).hasSize(1);
        checkpointed(900);
        assertThat(due).hasSize(2);
    }

    @Test
    void pausesForTwoCheckpointsAfterAShortMaterialization() {
        policy.start(due::add);
        checkpointed(1000);
        completedAfter(Duration.ofSeconds(1));

        isDueOnlyAfter(CHECKPOINTS.multipliedBy(2), 1, "within the pause");
    }

    @Test
    void pausesForThreeTimesTheShorterOfTheLastTwo() {
        policy.start(due::add);
        completedAfter(Duration.ofSeconds(30));
        completedAfter(Duration.ofSeconds(60));
        isDueOnlyAfter(Duration.ofSeconds(90), 0, "a single late one does not count");

        completedAfter(Duration.ofSeconds(50));
        isDueOnlyAfter(Duration.ofSeconds(150), 1, "two late ones in a row count");
    }

    @Test
    void pausesForAtLeastAsLongAsTheLastOneTook() {
        policy.start(due::add);
        completedAfter(Duration.ofSeconds(10));
        completedAfter(Duration.ofSeconds(60));
        isDueOnlyAfter(Duration.ofSeconds(60), 0, "within the pause");
    }

    @Test
    void pausesForAsLongAsTheFirstTook() {
        policy.start(due::add);
        completedAfter(Duration.ofSeconds(60));
        isDueOnlyAfter(Duration.ofSeconds(60), 0, "after one that was due by its period, too");

        completedAfter(Duration.ofSeconds(40));
        isDueOnlyAfter(Duration.ofSeconds(120), 1, "what one takes is known");
    }

    /** It grows by 10 B a second, and a materialization takes 20 s. */
    @Test
    void looksAheadForAsLongAsOneTakes() {
        policy.start(due::add);
        completedAfter(Duration.ofSeconds(20));
        checkpointed(100);
        clock.advanceTime(Duration.ofSeconds(69));
        checkpointed(790);
        assertThat(due).isEmpty();

        clock.advanceTime(Duration.ofSeconds(1));
        checkpointed(800);
        assertThat(due).containsExactly(Reason.LOG_SIZE);
    }

    /** The log grows while RocksDB compacts, but that costs nothing more. */
    @Test
    void looksAheadForTheWaitsTooAndPausesForTheWorkAlone() {
        policy.start(due::add);
        policy.ended(Outcome.COMPLETED, new Took(Duration.ofSeconds(200), Duration.ofSeconds(180)));
        checkpointed(100);
        clock.advanceTime(Duration.ofSeconds(20));
        checkpointed(140);
        assertThat(due).isEmpty();

        clock.advanceTime(Duration.ofSeconds(20));
        checkpointed(500);
        assertThat(due).containsExactly(Reason.LOG_SIZE);
    }

    @Test
    void growthIsCountedFromTheLastCutOn() {
        policy.start(due::add);
        completedAfter(Duration.ofSeconds(20));
        checkpointed(100);
        clock.advanceTime(Duration.ofSeconds(1));
        checkpointed(990);
        checkpointed(600);
        clock.advanceTime(Duration.ofSeconds(100));
        checkpointed(700);
        assertThat(due).isEmpty();
    }

    @Test
    void expectsNoMoreThanTwice() {
        policy.start(due::add);
        completedAfter(Duration.ofSeconds(100));
        clock.advanceTime(Duration.ofSeconds(300));
        checkpointed(0);
        clock.advanceTime(Duration.ofSeconds(1));
        checkpointed(499);
        assertThat(due).isEmpty();
        checkpointed(500);
        assertThat(due).hasSize(1);
    }

    /** The period may be much longer, and the log must not be without a limit for that long. */
    @Test
    void leavesItToThePeriodToTryAgainWhatHasFailed() {
        policy.start(due::add);
        checkpointed(1000);
        policy.ended(Outcome.FAILED, Took.NOTHING);
        clock.advanceTime(Duration.ofMinutes(10).minusMillis(1));
        checkpointed(5000);
        policy.ended(Outcome.NOTHING_TO_DO, Took.NOTHING);
        checkpointed(5000);
        assertThat(due).as("for the default period").hasSize(1);

        clock.advanceTime(Duration.ofMillis(1));
        checkpointed(5000);
        assertThat(due).hasSize(2);
        policy.ended(Outcome.FAILED, Took.NOTHING);
        due.remove(1);

        completedAfter(Duration.ofSeconds(1));
        clock.advanceTime(CHECKPOINTS.multipliedBy(2));
        checkpointed(5000);
        assertThat(due).hasSize(2);
    }

    @Test
    void isTheMoreUrgentTheFurtherTheLogIsOverItsLimit() {
        policy.start(due::add);
        assertThat(policy.urgency()).isEqualTo(Long.MIN_VALUE);
        checkpointed(900);
        assertThat(policy.urgency()).isEqualTo(-100);
        checkpointed(1700);
        assertThat(policy.urgency()).isEqualTo(700);
    }

    @Test
    void refusesCallsOutOfOrder() {
        assertThatThrownBy(() -> completedAfter(Duration.ZERO))
                .isInstanceOf(IllegalStateException.class);
        policy.start(due::add);
        assertThatThrownBy(() -> policy.start(due::add)).isInstanceOf(IllegalStateException.class);
        policy.close();
        policy.close();
        checkpointed(5000);
        assertThat(due).isEmpty();
        assertThatThrownBy(() -> completedAfter(Duration.ZERO))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> policy.start(due::add)).isInstanceOf(IllegalStateException.class);
    }

    private void isDueOnlyAfter(Duration pause, int already, String as) {
        clock.advanceTime(pause.minusMillis(1));
        checkpointed(5000);
        assertThat(due).as(as).hasSize(already);
        clock.advanceTime(Duration.ofMillis(1));
        checkpointed(5000);
        assertThat(due).hasSize(already + 1);
    }

    private void checkpointed(long log) {
        policy.checkpointed(new LogSize(log, 0, 0));
    }

    private void completedAfter(Duration took) {
        policy.ended(Outcome.COMPLETED, new Took(took, Duration.ZERO));
    }
}
