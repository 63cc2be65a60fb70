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
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.clock.Clock;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplayWarmUpTest {
    private static final int LOGS = 9;

    @TempDir Path directory;

    private final CloseableRegistry cancellation = new CloseableRegistry();

    @Test
    void allKindsOfStatesAreReplayedInBulk() throws Exception {
        assertThat(newWarmUp(new ManualClock()).run())
                .hasSize(LOGS)
                .allMatch(tally -> tally.changes() == WarmUpLog.CHANGES);
    }

    @Test
    void whatDoesNotFitIntoMemoryIsWrittenToFilesThatAreDeleted() throws Exception {
        assertThat(newWarmUp(new ManualClock()).run()).allMatch(tally -> tally.tables() > 0);

        assertThat(directory.toFile().list()).allMatch(name -> name.startsWith("rocksdb-lib-"));
    }

    @Test
    void endsWhenItIsCancelledBefore() throws Exception {
        cancellation.close();

        assertThatExceptionOfType(CancelTaskException.class)
                .isThrownBy(newWarmUp(new ManualClock())::run);
    }

    /** The clock is asked for each batch of changes that is read. */
    @ParameterizedTest
    @ValueSource(ints = {1, 10, 100, 500})
    void endsWhereverItIsCancelled(int readings) {
        AtomicInteger left = new AtomicInteger(readings);
        ManualClock time = new ManualClock();
        Clock cancelling =
                new Clock() {
                    @Override
                    public long absoluteTimeMillis() {
                        return time.absoluteTimeMillis();
                    }

                    @Override
                    public long relativeTimeMillis() {
                        return time.relativeTimeMillis();
                    }

                    @Override
                    public long relativeTimeNanos() {
                        if (left.decrementAndGet() == 0) {
                            IOUtils.closeQuietly(cancellation);
                        }
                        return time.relativeTimeNanos();
                    }
                };

        assertThatExceptionOfType(CancelTaskException.class).isThrownBy(newWarmUp(cancelling)::run);
        assertThat(left).hasNonPositiveValue();
    }

    private ReplayWarmUp newWarmUp(Clock clock) {
        return new ReplayWarmUp(directory, cancellation, clock);
    }
}
