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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayLinesTest {
    private static final String CLASS = "INFO  DelegateRestore [] - ";
    private static final String WATCH = " INFO  RestoreWatch [] - Restored StateOperator_ab_";
    private static final String TASK = " INFO  Task [] - state: Writer ";

    @TempDir private Path directory;

    @Test
    void changesAreThoseOfAllTasksAndTheTimeThatOfTheSlowest() throws IOException {
        ReplayLines lines =
                read(
                        CLASS
                                + "Restored StateOperator_ab_(1/2): 600 changes in 20 ms, 30000 a"
                                + " second. 600 were replayed in bulk, as 500 keys in 1 parts",
                        CLASS + "Restored StateOperator_ab_(2/2): 400 changes in 30 ms, 13333 a",
                        "INFO  org.apache.flink - Restored 7 of 9");
        assertThat(lines.found).isTrue();
        assertThat(lines.changes).isEqualTo(1000);
        assertThat(lines.longestMillis).isEqualTo(30);
        assertThat(lines.largestPerSecond).hasValue(30_000);
        assertThat(lines.wholeMillis).as("nothing tells when").isEmpty();
    }

    /** As the clock of INITIALIZING: a restore begins a little later. */
    @Test
    void theWholeTimeBeginsAsTheTaskIsInitializing() throws IOException {
        ReplayLines lines =
                read(
                        "2026-01-01 00:00:59,900"
                                + TASK
                                + "(2/2)#1 switched from DEPLOYING to INITIALIZING.",
                        "2026-01-01 00:00:59,950"
                                + TASK
                                + "(1/2)#1 switched from DEPLOYING to INITIALIZING.",
                        "2026-01-01 00:01:00,200"
                                + WATCH
                                + "(1/2) in 70 ms: 40 ms for its materialized state, 30 ms to",
                        "2026-01-01 00:01:00,100"
                                + WATCH
                                + "(2/2) in 60 ms: 9 ms for its materialized state, 51 ms to",
                        "2026-01-01 00:01:09,000"
                                + TASK
                                + "switched from INITIALIZING to RUNNING.");
        assertThat(lines.wholeMillis).hasValue(300);
    }

    @Test
    void anEmptyLogHasNoRate() throws IOException {
        ReplayLines lines = read(CLASS + "Restored StateOperator_ab_(1/1): 0 changes in 0 ms, 0 a");
        assertThat(lines.found).isTrue();
        assertThat(lines.largestPerSecond).isEmpty();
    }

    @Test
    void aLogThatSaysNothingIsNoZero() throws IOException {
        assertThat(read("INFO  org.apache.flink - Finished restoring").found).isFalse();
    }

    private ReplayLines read(String... lines) throws IOException {
        return ReplayLines.of(Files.write(directory.resolve("tm.log"), List.of(lines)));
    }
}
