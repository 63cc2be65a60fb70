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

import java.util.Optional;
import org.apache.flink.api.common.JobID;
import org.junit.jupiter.api.Test;

/** Which logs are replayed beside their tasks. */
class BackgroundLoadTest {
    private final BackgroundLoad load = new BackgroundLoad(2);
    private final JobID job = new JobID(1, 2);
    private boolean cancelled;

    @Test
    void admitsALogThatIsReplayedInTime() {
        assertThat(admit(1, 100)).isPresent();
        assertThat(admit(1, 101)).isEmpty();
        assertThat(load.bytes()).isEqualTo(100);
    }

    @Test
    void admitsNoMoreThanAllReplayInTime() throws Exception {
        AutoCloseable first = admit(1, 100).orElseThrow();
        assertThat(admit(1, 60)).isPresent();
        assertThat(admit(1, 60)).isEmpty();
        assertThat(admit(1, 40)).isPresent();

        first.close();
        assertThat(admit(1, 60)).isPresent();
    }

    /** The guess would be as wrong again, and so without end. */
    @Test
    void admitsNoneInTheAttemptAfterOneThatWasCancelled() throws Exception {
        AutoCloseable first = admit(1, 10).orElseThrow();
        AutoCloseable second = admit(1, 10).orElseThrow();
        first.close();
        assertThat(admit(2, 10)).isPresent();

        cancelled = true;
        second.close();
        assertThat(admit(1, 10)).as("of another task, meanwhile").isPresent();
        assertThat(admit(2, 10)).isEmpty();
        assertThat(admit(2, 10)).as("of another task").isEmpty();
        assertThat(load.admit(logs(new JobID(3, 4), 2, 10), 100, 200)).isPresent();
        assertThat(admit(3, 10)).isPresent();
        assertThat(admit(2, 10)).as("forgotten").isPresent();
    }

    @Test
    void forgetsTheJobThatWasCancelledLongestAgo() throws Exception {
        cancelled = true;
        admit(1, 10).orElseThrow().close();
        for (int other = 0; other < 64; other++) {
            load.admit(logs(new JobID(5, other), 1, 10), 100, 200).orElseThrow().close();
        }

        assertThat(admit(2, 10)).isPresent();
        assertThat(load.admit(logs(new JobID(5, 0), 2, 10), 100, 200)).isEmpty();
    }

    private Optional<AutoCloseable> admit(int attempt, long bytes) {
        return load.admit(logs(job, attempt, bytes), 100, 200);
    }

    private BackgroundLoad.Logs logs(JobID ofJob, int attempt, long bytes) {
        return new BackgroundLoad.Logs("flights", ofJob, attempt, bytes, () -> cancelled);
    }
}
