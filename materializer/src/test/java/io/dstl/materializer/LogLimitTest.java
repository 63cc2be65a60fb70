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

import io.dstl.materializer.MaterializationPolicy.Reason;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LogLimitTest {

    private static final long MB = 1 << 20;

    private final ReplayRate rate = new ReplayRate();

    @Test
    void bySpaceIsAShareOfWhatIsMaterializedAndAtLeastTheFloor() {
        LogLimit limit = new LogLimit(0.25, 4 * MB, Duration.ZERO, rate);

        assertThat(limit.bytes(new LogSize(0, 0, 0))).hasValue(4 * MB);
        assertThat(limit.bytes(new LogSize(0, 0, 16 * MB))).hasValue(4 * MB);
        assertThat(limit.bytes(new LogSize(0, 0, 400 * MB))).hasValue(100 * MB);
        assertThat(limit.reached(new LogSize(100 * MB, 0, 400 * MB), 1)).contains(Reason.LOG_SIZE);
        assertThat(limit.reached(new LogSize(100 * MB - 1, 0, 400 * MB), 1)).isEmpty();
        assertThat(limit.reached(new LogSize(80 * MB, 0, 400 * MB), 0.8)).contains(Reason.LOG_SIZE);
    }

    /** As that of a task with timers on the heap. */
    @Test
    void isNeverLowerThanTwiceTheLogThatAMaterializationLeaves() {
        ReplayRate rate = new ReplayRate();
        rate.add(2 * MB, Duration.ofSeconds(1));
        LogLimit limit = new LogLimit(0.25, 4 * MB, Duration.ofSeconds(10), rate);

        assertThat(limit.bytes(new LogSize(30 * MB, 30 * MB, MB))).hasValue(60 * MB);
        assertThat(limit.reached(new LogSize(60 * MB - 1, 30 * MB, MB), 1)).isEmpty();
        assertThat(limit.reached(new LogSize(60 * MB, 30 * MB, MB), 1)).contains(Reason.LOG_SIZE);
    }

    @Test
    void byTimeIsWhatIsReplayedInTheTarget() {
        LogLimit limit = new LogLimit(0, 0, Duration.ofSeconds(10), rate);
        assertThat(limit.bytes(new LogSize(0, 0, 0))).as("no rate yet").isEmpty();
        assertThat(limit.replayMillis(new LogSize(MB, 0, 0))).isEmpty();

        rate.add(8 * MB, Duration.ofSeconds(4));
        assertThat(limit.bytes(new LogSize(0, 0, 0))).hasValue(20 * MB);
        assertThat(limit.replayMillis(new LogSize(MB, 0, 0))).hasValue(500);
        assertThat(limit.reached(new LogSize(20 * MB, 0, 0), 1)).contains(Reason.RECOVERY_TARGET);
        assertThat(limit.reached(new LogSize(20 * MB - 1, 0, 0), 1)).isEmpty();
    }

    @Test
    void theLowerOneCounts() {
        LogLimit limit = new LogLimit(0.25, 4 * MB, Duration.ofSeconds(10), rate);
        rate.add(MB, Duration.ofSeconds(1));

        assertThat(limit.bytes(new LogSize(0, 0, 0))).hasValue(4 * MB);
        assertThat(limit.bytes(new LogSize(0, 0, 400 * MB))).hasValue(10 * MB);
    }

    @Test
    void anEmptyLogIsNeverDue() {
        LogLimit limit = new LogLimit(0.25, 0, Duration.ZERO, rate);
        assertThat(limit.reached(new LogSize(0, 0, 0), 0.8)).isEmpty();
    }

    @Test
    void anEarlierRateCountsForLessAsMoreIsReplayed() {
        rate.add(1024 * MB, Duration.ofSeconds(1024));
        assertThat(rate.bytesPerSecond()).hasValue(MB);
        for (int i = 0; i < 20; i++) {
            rate.add(1024 * MB, Duration.ofSeconds(256));
        }
        assertThat(rate.bytesPerSecond().orElseThrow()).isBetween(3.99 * MB, 4.0 * MB);
    }

    /** Else each log would be too long for months, where there are few restores. */
    @Test
    void aReplayThatWaitedForTheStoreSaysLittle() {
        rate.add(1024 * MB, Duration.ofSeconds(50));
        for (int i = 0; i < 8; i++) {
            rate.add(10 * MB, Duration.ofSeconds(300));
        }
        assertThat(rate.bytesPerSecond().orElseThrow()).isGreaterThan(15 * MB);
    }

    /** The small log of another operator may have been read while its base was. */
    @Test
    void aLittleThatWasFastSaysLittleOfMuch() {
        rate.add(MB, Duration.ofMillis(10));
        rate.add(1000 * MB, Duration.ofSeconds(200));
        assertThat(rate.bytesPerSecond().orElseThrow()).isLessThan(5.1 * MB);
    }

    /** A machine may be slower for good. */
    @Test
    void manySlowReplaysAreBelieved() {
        rate.add(1024 * MB, Duration.ofSeconds(50));
        for (int i = 0; i < 20; i++) {
            rate.add(1024 * MB, Duration.ofSeconds(1024));
        }
        assertThat(rate.bytesPerSecond().orElseThrow()).isBetween((double) MB, 1.1 * MB);
    }

    @Test
    void aReplayOfNoTimeSaysNothing() {
        rate.add(MB, Duration.ofMillis(9));
        assertThat(rate.bytesPerSecond()).isEmpty();

        rate.add(MB, Duration.ofSeconds(1));
        assertThat(rate.bytesPerSecond()).hasValue(MB);
    }

    /** What they take is to open files, and to start: a large one takes that once, too. */
    @Test
    void smallLogsSayNothing() {
        rate.add(MB - 1, Duration.ofSeconds(100));
        assertThat(rate.bytesPerSecond()).isEmpty();

        rate.add(100 * MB, Duration.ofSeconds(10));
        for (int i = 0; i < 1000; i++) {
            rate.add(10_000, Duration.ofMillis(300));
        }
        assertThat(rate.bytesPerSecond()).hasValue(10 * MB);
    }

    @Test
    void aLargeLogSaysAsMuchAsManyOfItsSizeTogether() {
        rate.add(90 * MB, Duration.ofSeconds(9));
        for (int i = 0; i < 10; i++) {
            rate.add(MB, Duration.ofMillis(300));
        }
        assertThat(limitOf(Duration.ofSeconds(12)))
                .as("of 100 MB in 12 s")
                .isBetween(100 * MB - 1, 100 * MB);
    }

    /** Else a store that was slow for one restore would have every checkpoint materialized. */
    @Test
    void byTimeIsAtLeastTheFloorHoweverSlowAReplayWas() {
        rate.add(2 * MB, Duration.ofHours(1));
        LogLimit limit = new LogLimit(0, 4 * MB, Duration.ofSeconds(10), rate);

        assertThat(limit.bytes(new LogSize(0, 0, 0))).hasValue(4 * MB);
        assertThat(limit.reached(new LogSize(4 * MB - 1, 0, 0), 1)).isEmpty();
        assertThat(limit.reached(new LogSize(4 * MB, 0, 0), 1)).contains(Reason.RECOVERY_TARGET);
    }

    private long limitOf(Duration target) {
        return new LogLimit(0, 0, target, rate).bytes(new LogSize(0, 0, 0)).orElseThrow();
    }

    @Test
    void refusesANegativeSize() {
        assertThatThrownBy(() -> new LogSize(-1, 0, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new LogSize(0, 0, -1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
