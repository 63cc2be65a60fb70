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
package io.dstl.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongToDoubleFunction;
import org.junit.jupiter.api.Test;

/** A period of a minute, and a look each second. */
class OldestLogTest {
    private static final int PERIOD = 60;
    private static final int NEVER = 1000;

    private final OldestLog oldest = new OldestLog(Duration.ofSeconds(PERIOD));

    @Test
    void withoutALogItIsDueAfterAPeriodAtWork() {
        oldest.backAtWork(second(0));
        assertThat(due(0, 0, at -> 0)).isEqualTo(PERIOD);
        oldest.backAtWork(second(100));
        assertThat(due(100, 100, at -> 0)).isEqualTo(100 + PERIOD);
    }

    @Test
    void aPeriodIsWatchedFirstSoThatItsEndIsKnown() {
        oldest.backAtWork(second(0));
        // Materialized at 40, 100, 160: what is seen first is the beginning of a log.
        assertThat(due(0, 40, at -> Math.floorMod(at - 40, PERIOD))).isEqualTo(154);
    }

    @Test
    void afterARestartTheLogIsDueAsItWasBeforeIt() {
        oldest.backAtWork(second(0));
        due(0, 40, at -> Math.floorMod(at - 40, PERIOD));
        oldest.backAtWork(second(200));
        // Restored with a log, which the first materialization ends at 225. The most before was 59.
        assertThat(due(200, 225, at -> at < 225 ? 100 : Math.floorMod(at - 225, PERIOD)))
                .isEqualTo(225 + 54);
    }

    @Test
    void aLogThatIsMaterializedBySizeIsDueNearThatSize() {
        oldest.backAtWork(second(0));
        long due = due(0, 7, at -> 1000 * Math.floorMod(at, 7));
        assertThat(due).isGreaterThanOrEqualTo(PERIOD);
        assertThat(Math.floorMod(due, 7)).isEqualTo(6);
    }

    @Test
    void aLogThatNeverGetsAsLargeAgainIsWaitedForTwoPeriods() {
        oldest.backAtWork(second(0));
        assertThat(due(0, 10, at -> Math.pow(0.9, at))).isEqualTo(3 * PERIOD);
    }

    @Test
    void itIsNotDueWhileATaskHasNotMaterialized() {
        oldest.backAtWork(second(0));
        assertThat(due(0, NEVER, at -> at)).isEqualTo(NEVER);
    }

    /** The second at which it is due, looking at it from that second on; NEVER where it is not. */
    private long due(long from, long materializedAt, LongToDoubleFunction bytes) {
        for (long at = from; at < NEVER; at++) {
            if (oldest.isDue(second(at), bytes.applyAsDouble(at), at >= materializedAt)) {
                return at;
            }
        }
        return NEVER;
    }

    private static Instant second(long second) {
        return Instant.ofEpochSecond(second);
    }
}
