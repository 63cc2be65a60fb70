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

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A flush ahead that waits for what makes the snapshot smaller. */
class FlushThatWaitsTest extends MaterializerFixture {

    private final UploadLane.Turn other = turns.of("job", () -> 0);
    private boolean othersTurn;

    /** Else the tasks of a TaskManager would wait one after the other. */
    @Test
    void whileAFlushWaitsAnotherTaskHasTheTurn() {
        flushAndWait();
        assertThat(othersTurn).isTrue();
        mailbox.runAll();
        assertThat(target.calls).containsExactly("flush", "waited");

        assertThat(other.claim()).isTrue();
        other.end();
        run();
        assertThat(target.calls)
                .containsExactly("flush", "waited", "flush again", "begin 8", "complete 8");
        assertThat(turns.underWay()).isZero();
    }

    /** It costs nothing, and by what a materialization costs the policy waits for the next one. */
    @Test
    void theWaitIsNotPartOfTheDuration() {
        flushAndWait();
        other.end();
        planTaking(Duration.ofMillis(20), Duration.ofMillis(300));
        run();

        assertThat(target.calls).contains("waited", "flush again");
        assertThat(metrics.read(MaterializationMetrics.LAST_DURATION)).isEqualTo(320L);
    }

    @Test
    void aTaskThatEndsMeanwhileBeginsNothing() {
        Materializer ours = flushAndWait();
        other.end();
        ours.close();
        run();

        assertThat(target.calls).containsExactly("flush", "waited");
        assertThat(turns.underWay()).isZero();
    }

    private Materializer flushAndWait() {
        target.flushThatWaits =
                Optional.of(
                        beforeWait -> {
                            target.calls.add("flush");
                            assertThat(othersTurn).isFalse();
                            beforeWait.run();
                            clock.advanceTime(Duration.ofSeconds(5));
                            target.calls.add("waited");
                        });
        target.ahead.add(() -> target.calls.add("flush again"));
        Materializer ours = inTurn();
        begin(ours);
        other.await(() -> othersTurn = true);
        uploads.runNext();
        return ours;
    }
}
