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

import io.dstl.changelog.option.ReplayOptions;
import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualTimer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WarmUpTest {
    @TempDir Path temporary;

    private final Configuration cluster = new Configuration();
    private final ManualTimer timer = new ManualTimer();
    private final ManualExecutor background = new ManualExecutor();
    private final CloseableRegistry cancellation = new CloseableRegistry();
    private int configurationsRead;
    private WarmUp warmUp;

    @BeforeEach
    void enable() {
        cluster.set(CoreOptions.TMP_DIRS, temporary.resolve("made").toString());
        cluster.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, true);
        cluster.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
        warmUp =
                new WarmUp(
                        () -> {
                            configurationsRead++;
                            return cluster;
                        },
                        timer,
                        background,
                        new ManualClock(),
                        cancellation);
    }

    @Test
    void leavesTheStartOfTheProcessAlone() {
        warmUp.started();
        timer.advance(WarmUp.DELAY.minusMillis(1));

        assertThat(background.size()).isZero();
    }

    @Test
    void usesATemporaryDirectoryAndLeavesNothingThere() throws Exception {
        startAndRun();

        try (Stream<Path> left = Files.list(temporary.resolve("made"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void doesNothingWhereATaskWasFirst() throws Exception {
        warmUp.started();
        cancellation.close();
        timer.advance(WarmUp.DELAY);
        background.runAll();

        assertThat(configurationsRead).isZero();
    }

    @Test
    void doesNothingWithoutAChangelog() {
        cluster.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, false);

        startAndRun();

        assertThat(configurationsRead).isOne();
        assertThat(temporary.resolve("made")).doesNotExist();
    }

    @Test
    void doesNothingForStateOnTheHeap() {
        cluster.set(StateBackendOptions.STATE_BACKEND, "hashmap");

        startAndRun();

        assertThat(temporary.resolve("made")).doesNotExist();
    }

    @Test
    void canBeTurnedOff() {
        cluster.set(ReplayOptions.WARM_UP_ENABLED, false);

        startAndRun();

        assertThat(temporary.resolve("made")).doesNotExist();
    }

    @Test
    void aTemporaryDirectoryThatIsNoneFailsNothingElse() throws Exception {
        Files.createFile(temporary.resolve("made"));

        startAndRun();

        assertThat(temporary.resolve("made")).isRegularFile();
    }

    private void startAndRun() {
        warmUp.started();
        timer.advance(WarmUp.DELAY);
        background.runAll();
    }
}
