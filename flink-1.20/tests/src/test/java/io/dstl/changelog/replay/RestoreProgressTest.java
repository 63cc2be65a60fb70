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
package io.dstl.changelog.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.Test;

/** What a restore says of itself while it is under way. */
class RestoreProgressTest {
    private static final String RESTORING = "its materialized state is being restored";

    private final ManualClock clock = new ManualClock();
    private final AtomicLong onDisk = new AtomicLong();
    private final RestoreProgress progress = new RestoreProgress(clock);

    @Test
    void saysHowMuchOfTheLogIsThereWhileTheBaseIsRestored() {
        progress.announced(4);
        progress.fetched(TimeUnit.MILLISECONDS.toNanos(20));
        progress.decoded(TimeUnit.MILLISECONDS.toNanos(30));
        progress.read();
        pass(6_000);

        assertThat(progress)
                .hasToString(RESTORING + "; of its log 1 of 4 change sets are read ahead");
        assertThat(progress.millisLeft()).isEqualTo(RestoreProgress.UNKNOWN);
        assertThat(progress.baseMillis()).isEqualTo(6_000);
        assertThat(progress.fetchMillis()).isEqualTo(20);
        assertThat(progress.decodeMillis()).isEqualTo(30);
        assertThat(progress.applyMillis()).isZero();
        assertThat(progress.baseBytes()).isZero();
    }

    @Test
    void saysHowMuchOfTheBaseIsOnTheDisk() {
        pass(1_000);
        progress.baseBegins(1_000, onDisk::get);
        look(0);
        assertThat(progress).asString().startsWith(RESTORING + ", 1000 bytes;");
        assertThat(progress.millisLeft()).isEqualTo(RestoreProgress.UNKNOWN);

        pass(9_000);
        look(100);
        assertThat(progress.millisLeft())
                .as("one look does not tell how fast it is")
                .isEqualTo(RestoreProgress.UNKNOWN);
        pass(2_000);
        look(300);
        pass(3_000);
        assertThat(progress)
                .hasToString(
                        RESTORING
                                + ", 300 of 1000 bytes are on the local disk, 7 s left; of its log"
                                + " 0 of 0 change sets are read ahead");
        assertThat(progress.baseBytes()).isEqualTo(300);
        assertThat(progress.millisLeft()).as("a fifth in 2 s").isEqualTo(7_000);
    }

    @Test
    void saysThatAllOfTheBaseIsThere() {
        progress.baseBegins(1_000, onDisk::get);
        look(400);
        pass(1_000);
        // With what the delegate adds.
        look(1_001);
        assertThat(progress)
                .asString()
                .startsWith(
                        RESTORING + ", 1000 of 1000 bytes are on the local disk, and are opened;");
        assertThat(progress.baseBytes()).isEqualTo(1_000);
        assertThat(progress.millisLeft()).isEqualTo(RestoreProgress.UNKNOWN);

        look(0);
        assertThat(progress.baseBytes()).as("it was moved").isZero();
        assertThat(progress.millisLeft()).isEqualTo(RestoreProgress.UNKNOWN);
        progress.baseRestored();
        assertThat(progress.baseBytes()).isEqualTo(1_000);
        assertThat(progress.isRestoringBase()).isFalse();
    }

    private void look(long found) {
        onDisk.set(found);
        progress.lookAtDisk();
    }

    @Test
    void restoresNoBaseOnceItHasFailed() {
        progress.baseBegins(1_000, onDisk::get);
        assertThat(progress.isRestoringBase()).isTrue();

        progress.ended();

        assertThat(progress.isRestoringBase()).isFalse();
        assertThat(progress.baseBytes()).isZero();
    }

    @Test
    void saysHowFarTheReplayIsAndHowLongItTakes() {
        progress.announced(4);
        pass(6_000);
        progress.baseRestored();
        pass(1_000);
        assertThat(progress)
                .hasToString(
                        "0 changes (0 bytes) of its log are replayed, 0 of 4 change sets, 0 changes"
                                + " a second, time left unknown");

        pass(500);
        long since = progress.now();
        pass(500);
        progress.waited(since);
        progress.replayed(700, 30_000, false);
        progress.replayed(300, 20_000, true);
        assertThat(progress)
                .hasToString(
                        "1000 changes (50000 bytes) of its log are replayed, 1 of 4 change sets, 500"
                                + " changes a second, 6 s left");
        assertThat(progress.applyMillis()).isEqualTo(1_500);
        assertThat(progress.waitMillis()).isEqualTo(500);

        progress.replayed(1, 1, true);
        progress.replayed(1, 1, true);
        progress.replayed(1, 1, true);
        assertThat(progress)
                .hasToString(
                        "all 1003 changes (50003 bytes) of its log are replayed, the last ones are"
                                + " being written");
    }

    /** As when the log is replayed beside the base. */
    @Test
    void countsOnlyWhatTheLogTakesLongerThanTheBase() {
        progress.announced(2);
        progress.replayBegins();
        long begin = progress.now();
        pass(4_000);
        assertThat(progress.waited(begin)).isEqualTo(TimeUnit.SECONDS.toNanos(4));
        progress.replayed(100, 1_000, true);
        assertThat(progress.millisLeft()).isEqualTo(RestoreProgress.UNKNOWN);
        assertThat(progress.applyMillis()).isZero();

        long late = progress.now();
        pass(1_000);
        progress.baseRestored();
        pass(1_000);
        assertThat(progress.waited(late)).isEqualTo(TimeUnit.SECONDS.toNanos(1));
        pass(2_000);
        assertThat(progress.waitMillis()).isEqualTo(1_000);
        assertThat(progress.applyMillis()).isEqualTo(2_000);
        assertThat(progress.millisLeft()).as("one of two in 8 s").isEqualTo(8_000);

        progress.replayAgain();
        assertThat(progress.changes()).isZero();
        assertThat(progress.millisLeft()).isEqualTo(RestoreProgress.UNKNOWN);
    }

    @Test
    void standsStillOnceItHasEnded() {
        progress.announced(1);
        pass(100);
        progress.baseRestored();
        pass(200);
        progress.ended();
        pass(1_000);
        progress.ended();

        assertThat(progress.totalMillis()).isEqualTo(300);
        assertThat(progress.baseMillis()).isEqualTo(100);
        assertThat(progress.applyMillis()).isEqualTo(200);
        assertThat(progress.millisLeft()).isZero();
    }

    /**
     * Alerts look for what has time left: tables that are full of changes are written at the end.
     */
    @Test
    void hasTimeLeftUntilAllIsWritten() {
        progress.announced(1);
        progress.baseRestored();
        pass(100);
        progress.replayed(1, 10, true);
        assertThat(progress.millisLeft()).isPositive();

        progress.ended();
        assertThat(progress.millisLeft()).isZero();
    }

    private void pass(long millis) {
        clock.advanceTime(millis, TimeUnit.MILLISECONDS);
    }
}
