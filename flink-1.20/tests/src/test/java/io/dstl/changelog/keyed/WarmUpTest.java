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

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.option.CapturedLog;
import io.dstl.changelog.option.ReplayOptions;
import io.dstl.changelog.replay.ReplayWarmUp;
import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.configuration.ClusterOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackendFactory;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.clock.ManualClock;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WarmUpTest {
    @TempDir Path temporary;

    private final Configuration cluster = new Configuration();
    private final ManualTimer timer = new ManualTimer();
    private final ManualExecutor background = new ManualExecutor();
    private int configurationsRead;
    private int runs;
    private boolean cancelled;
    private ThrowingRunnable<Throwable> beforeReplay = () -> {};
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
                        this::replay);
    }

    private List<BulkReplay.Tally> replay(Path directory, CloseableRegistry cancellation)
            throws Exception {
        runs++;
        assertThat(directory).isDirectory();
        try {
            beforeReplay.run();
            return new ReplayWarmUp(directory, cancellation, new ManualClock()).run();
        } catch (CancelTaskException e) {
            cancelled = true;
            throw e;
        } catch (Throwable t) {
            ExceptionUtils.rethrowException(t);
            throw new AssertionError("Never returns", t);
        }
    }

    @Test
    void leavesTheStartOfTheProcessAlone() {
        warmUp.started();
        timer.advance(WarmUp.DELAY.minusMillis(1));

        assertThat(background.size()).isZero();
    }

    /** An error on the timer would end the process. */
    @Test
    void isLeftOutWhereThereIsNoThreadForIt() {
        background.failNext(new OutOfMemoryError("unable to create native thread"));
        warmUp.started();
        try (CapturedLog log = new CapturedLog(WarmUp.class.getName())) {
            timer.advance(WarmUp.DELAY);

            assertThat(log.messages()).hasSize(1).first().asString().contains("warm-up failed");
        }
        assertThat(background.size()).isZero();
    }

    @Test
    void usesATemporaryDirectoryAndLeavesNothingThere() throws Exception {
        startAndRun();

        assertThat(runs).isOne();
        assertThat(temporary.resolve("made")).isEmptyDirectory();
    }

    @Test
    void doesNothingWhereAJobWasFirst() {
        warmUp.started();
        warmUp.jobArrives();
        timer.advance(WarmUp.DELAY);
        background.runAll();

        assertThat(configurationsRead).isZero();
    }

    static Stream<Arguments> settingsWithoutUse() {
        return Stream.of(
                Arguments.of("no changelog", StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, false),
                Arguments.of("state on the heap", StateBackendOptions.STATE_BACKEND, "hashmap"),
                Arguments.of("turned off", ReplayOptions.WARM_UP_ENABLED, false),
                Arguments.of("no replay in bulk", ReplayOptions.BULK_ENABLED, false));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settingsWithoutUse")
    <V> void doesNothingWhereItIsOfNoUse(String why, ConfigOption<V> option, V value) {
        cluster.set(option, value);

        startAndRun();

        assertThat(runs).isZero();
    }

    @Test
    void knowsTheBackendByItsFactory() {
        cluster.set(
                StateBackendOptions.STATE_BACKEND,
                EmbeddedRocksDBStateBackendFactory.class.getName());

        startAndRun();

        assertThat(runs).isOne();
    }

    @Test
    void usesTheWorkingDirectoryOfTheProcess() throws Exception {
        cluster.set(
                ClusterOptions.TASK_MANAGER_PROCESS_WORKING_DIR_BASE,
                temporary.resolve("working").toString());

        startAndRun();

        assertThat(temporary.resolve("working")).isEmptyDirectory();
        assertThat(temporary.resolve("made")).doesNotExist();
    }

    @Test
    void endsWhenAJobArrives() {
        beforeReplay = warmUp::jobArrives;

        startAndRun();

        assertThat(runs).isOne();
        assertThat(cancelled).isTrue();
        assertThat(temporary.resolve("made")).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(classes = {IOException.class, OutOfMemoryError.class, NoClassDefFoundError.class})
    void whatItFailsWithFailsNothingElse(Class<? extends Throwable> kind) throws Exception {
        Throwable failure = kind.getConstructor(String.class).newInstance("of a test");
        beforeReplay =
                () -> {
                    throw failure;
                };

        startAndRun();

        assertThat(runs).isOne();
        assertThat(temporary.resolve("made")).isEmptyDirectory();
    }

    private void startAndRun() {
        warmUp.started();
        timer.advance(WarmUp.DELAY);
        background.runAll();
    }
}
