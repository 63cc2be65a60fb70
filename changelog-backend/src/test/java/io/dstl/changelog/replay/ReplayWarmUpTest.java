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

import io.dstl.changelog.bulk.BulkTally;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayWarmUpTest {
    private static final int LOGS = 9;

    @TempDir Path directory;

    private final CloseableRegistry cancellation = new CloseableRegistry();

    @Test
    void allKindsOfStatesAreReplayedInBulk() throws Exception {
        BulkTally tally = newWarmUp().run();

        assertThat(tally.changes()).isEqualTo((long) LOGS * WarmUpLog.CHANGES);
    }

    @Test
    void whatDoesNotFitIntoMemoryIsWrittenToFilesThatAreDeleted() throws Exception {
        BulkTally tally = newWarmUp().run();

        assertThat(tally.tables()).isGreaterThanOrEqualTo(LOGS);
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .allMatch(name -> name.startsWith("rocksdb-lib-"));
        }
    }

    @Test
    void endsWhenItIsCancelled() throws Exception {
        cancellation.close();

        assertThatExceptionOfType(CancelTaskException.class).isThrownBy(newWarmUp()::run);
    }

    private ReplayWarmUp newWarmUp() {
        return new ReplayWarmUp(directory, cancellation, new ManualClock());
    }
}
