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
package io.dstl.changelog.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.keyed.BackgroundLoad.Admission;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.api.common.JobID;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.Test;

/** Which logs are replayed beside their tasks. */
class BackgroundLoadTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    private final ManualClock clock = new ManualClock();
    private final BackgroundLoad load = new BackgroundLoad(2, clock);
    private final JobID job = new JobID(1, 2);
    private boolean cancelled;

    @Test
    void admitsALogThatIsReplayedInTime() {
        assertThat(admit(100)).isPresent();
        assertThat(admit(101)).isEmpty();
        assertThat(load.bytes()).isEqualTo(100);
    }

    /** The tasks of a TaskManager share its processors. */
    @Test
    void admitsNoMoreThanAllReplayInTime() {
        Admission first = admit(100).orElseThrow();
        assertThat(admit(60)).isPresent();
        assertThat(admit(60)).isEmpty();
        assertThat(admit(40)).isPresent();

        first.close();
        assertThat(admit(60)).isPresent();
    }

    /** Of jobs whose checkpoints may take ten times as long. */
    @Test
    void countsALogAsThePartThatItIsOfItsJobsLongest() {
        JobID patient = new JobID(3, 4);
        assertThat(admit(100)).isPresent();
        assertThat(load.admit(logs(patient, 1001), 1000)).isEmpty();
        assertThat(load.admit(logs(patient, 900), 1000)).isPresent();
        assertThat(load.admit(logs(patient, 101), 1000)).isEmpty();
        assertThat(admit(11)).isEmpty();
        assertThat(admit(10)).isPresent();
        assertThat(load.bytes()).isEqualTo(1010);
    }

    /** It would expire once more, and so without end. */
    @Test
    void admitsNoneAfterAReplayInWhichACheckpointMayHaveExpired() {
        end(TIMEOUT, true);
        assertThat(admit(10)).isEmpty();
        assertThat(admit(10)).as("also later").isEmpty();
        assertThat(load.admit(logs(new JobID(3, 4), 10), 100)).isPresent();

        load.completed(job);
        assertThat(admit(10)).isPresent();
    }

    @Test
    void isNotToldOfACheckpointByAReplayThatWasShorter() {
        end(TIMEOUT.minusMillis(1), true);
        assertThat(admit(10)).isPresent();
    }

    @Test
    void isNotToldOfACheckpointByAReplayThatCameToItsEnd() {
        end(TIMEOUT, false);
        assertThat(admit(10)).isPresent();
    }

    @Test
    void forgetsTheJobOfWhichItHasKnownLongest() {
        end(TIMEOUT, true);
        for (int other = 1; other < BackgroundLoad.MOST_JOBS; other++) {
            load.completed(new JobID(5, other));
        }
        assertThat(admit(10)).isEmpty();

        load.completed(new JobID(6, 0));
        assertThat(admit(10)).isPresent();
    }

    @Test
    void remembersForLongestWhatItHasSeenLast() {
        load.completed(job);
        for (int other = 1; other < BackgroundLoad.MOST_JOBS; other++) {
            load.completed(new JobID(5, other));
        }
        end(TIMEOUT, true);
        load.completed(new JobID(6, 0));

        assertThat(admit(10)).isEmpty();
    }

    /** No checkpoint has begun: the task was initializing. */
    @Test
    void isNotToldOfACheckpointByABaseThatTookLong() {
        Admission admitted = admit(10).orElseThrow();
        clock.advanceTime(TIMEOUT.multipliedBy(2));
        admitted.taskRuns();
        clock.advanceTime(TIMEOUT.minusMillis(1));
        cancelled = true;
        admitted.close();
        assertThat(admit(10)).isPresent();
    }

    @Test
    void isNotToldOfACheckpointByATaskThatNeverRan() {
        Admission admitted = admit(10).orElseThrow();
        clock.advanceTime(TIMEOUT.multipliedBy(2));
        cancelled = true;
        admitted.close();
        assertThat(admit(10)).isPresent();
    }

    private void end(Duration after, boolean byCancellation) {
        Admission admitted = admit(10).orElseThrow();
        admitted.taskRuns();
        clock.advanceTime(after);
        cancelled = byCancellation;
        admitted.close();
        assertThat(load.bytes()).isZero();
    }

    private Optional<Admission> admit(long bytes) {
        return load.admit(logs(job, bytes), 100);
    }

    private BackgroundLoad.Logs logs(JobID ofJob, long bytes) {
        return new BackgroundLoad.Logs("flights", ofJob, bytes, TIMEOUT, () -> cancelled);
    }
}
