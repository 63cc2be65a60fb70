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

import io.dstl.materializer.UploadLane.Turn;
import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MaterializationTurnsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ManualTimer timer = new ManualTimer();
    private final MaterializationTurns<String> turns =
            new MaterializationTurns<>(2, PATIENCE, timer);
    private final Map<String, Long> urgency = new HashMap<>();
    private final List<String> begun = new ArrayList<>();

    @Test
    void noMoreThanTheLimitBeginAtATime() {
        Turn first = await("job", "a", 0);
        await("job", "b", 0);
        await("job", "c", 0);
        assertThat(begun).containsExactly("a", "b");

        first.end();
        assertThat(begun).containsExactly("a", "b", "c");
        assertThat(turns.underWay()).isEqualTo(2);
    }

    @Test
    void theLogFurthestOverItsLimitGoesFirst() {
        Turn first = await("job", "a", 0);
        Turn second = await("job", "b", 0);
        await("job", "small", 10);
        await("job", "large", 30);
        await("job", "as small", 10);
        await("job", "by its period", Long.MIN_VALUE);
        first.end();
        second.end();
        assertThat(begun).containsExactly("a", "b", "large", "small");
    }

    @Test
    void howUrgentCountsAsTheTurnComes() {
        Turn first = await("job", "a", 0);
        await("job", "b", 0);
        await("job", "small", 10);
        await("job", "large", 30);
        urgency.put("small", 40L);
        first.end();
        assertThat(begun).containsExactly("a", "b", "small");
    }

    @Test
    void aJobWithoutOneAlwaysGetsOne() {
        await("hangs", "a", 0);
        await("hangs", "b", 0);
        await("hangs", "c", 0);
        Turn other = await("other", "d", 0);
        await("other", "e", 0);
        assertThat(begun).containsExactly("a", "b", "d");

        other.end();
        assertThat(begun).containsExactly("a", "b", "d", "e");
    }

    @Test
    void oneThatEndsBeforeItsTurnNeverBeginsAndTakesNoRoom() {
        Turn first = await("job", "a", 0);
        await("job", "b", 0);
        Turn waiting = await("job", "c", 5);
        await("job", "d", 0);
        waiting.end();
        waiting.end();
        first.end();
        first.end();
        assertThat(begun).containsExactly("a", "b", "d");
        assertThat(turns.underWay()).isEqualTo(2);
    }

    @Test
    void oneThatWasNeverAskedForCanEnd() {
        turns.of("job", () -> 0).end();
        assertThat(turns.underWay()).isZero();
    }

    @Test
    void oneThatEndsAsItBeginsLeavesItsRoom() {
        for (int i = 0; i < 5; i++) {
            Turn turn = turns.of("job", () -> 0);
            turn.await(turn::end);
        }
        assertThat(turns.underWay()).isZero();
    }

    @Test
    void aTurnThatItsTaskDoesNotComeToGoesToTheNext() {
        Turn stuck = await("job", "stuck", 50);
        assertThat(await("job", "b", 0).claim()).isTrue();
        Turn waiting = await("job", "c", 0);
        timer.advance(PATIENCE.minusMillis(1));
        assertThat(begun).containsExactly("stuck", "b");
        timer.advance(Duration.ofMillis(1));
        assertThat(begun).containsExactly("stuck", "b", "c");
        assertThat(turns.underWay()).isEqualTo(2);

        assertThat(stuck.claim()).isFalse();
        stuck.await(() -> begun.add("stuck no more"));
        assertThat(begun).hasSize(3);
        assertThat(waiting.claim()).isTrue();
        waiting.end();
        assertThat(begun).endsWith("stuck no more");
        assertThat(stuck.claim()).isTrue();
    }

    @Test
    void aTaskThatIsAlwaysSlowHasItsTurnInTheEnd() {
        Turn slow = await("job", "slow", 0);
        Duration late = PATIENCE.multipliedBy(6);
        int calls = 1;
        timer.advance(late);
        while (!slow.claim()) {
            slow.await(() -> begun.add("slow"));
            timer.advance(late);
            calls++;
        }

        assertThat(calls).as("kept for 5, 10, 20, 40 s").isEqualTo(4);
        assertThat(turns.underWay()).isOne();
    }

    @Test
    void oneThatIsNeverTheMostUrgentHasItsTurnInTheEnd() {
        Turn busy = await("job", "a", 0);
        await("job", "b", 0);
        await("job", "by its period", Long.MIN_VALUE);
        for (int i = 0; i < 100 && !begun.contains("by its period"); i++) {
            Turn next = await("job", "urgent", 100);
            busy.end();
            busy = next;
        }
        assertThat(begun).containsExactly("a", "b", "urgent", "urgent", "urgent", "by its period");
    }

    @Test
    void itHasItsTurnAlsoWhereAnotherJobsOnlyTaskGoesInBetween() {
        Turn busy = await("job", "a", 0);
        await("job", "b", 0);
        await("job", "by its period", Long.MIN_VALUE);
        for (int i = 0; i < 100 && !begun.contains("by its period"); i++) {
            Turn next = await("job", "urgent", 100);
            busy.end();
            Turn other = await("other", "only one", 0);
            assertThat(begun).endsWith("only one");
            other.end();
            busy = next;
        }
        assertThat(begun.stream().filter("urgent"::equals)).hasSize(3);
        assertThat(begun).contains("by its period");
    }

    @Test
    void aTurnThatItsTaskIsAtWorkInIsKeptForAnyTime() {
        Turn turn = await("job", "a", 0);
        assertThat(turn.claim()).isTrue();
        timer.advance(PATIENCE.multipliedBy(100));
        assertThat(turns.underWay()).isOne();
        assertThat(timer.size()).isZero();

        turn.expectClaim();
        timer.advance(PATIENCE.minusMillis(1));
        assertThat(turn.claim()).isTrue();
        timer.advance(PATIENCE);
        assertThat(turns.underWay()).isOne();
        turn.expectClaim();
        timer.advance(PATIENCE);
        assertThat(turns.underWay()).isZero();
        assertThat(turn.claim()).isFalse();
    }

    @Test
    void aTurnThatHasEndedIsNotClaimedAndLeavesNoTimer() {
        Turn turn = await("job", "a", 0);
        turn.end();
        turn.expectClaim();
        assertThat(turn.claim()).isFalse();
        assertThat(turns.underWay()).isZero();
        assertThat(timer.size()).isZero();
    }

    @Test
    void refusesALimitOfNoneAndASecondCall() {
        assertThatThrownBy(() -> new MaterializationTurns<String>(0, PATIENCE, timer))
                .isInstanceOf(IllegalArgumentException.class);
        Turn turn = await("job", "a", 0);
        assertThatThrownBy(() -> turn.await(() -> {})).isInstanceOf(IllegalStateException.class);
    }

    private Turn await(String job, String name, long urgent) {
        urgency.put(name, urgent);
        Turn turn = turns.of(job, () -> urgency.get(name));
        turn.await(() -> begun.add(name));
        return turn;
    }
}
