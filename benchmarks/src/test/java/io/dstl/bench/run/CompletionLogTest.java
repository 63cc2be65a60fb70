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

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionLogTest {
    @TempDir private Path directory;

    @Test
    void addsTheTimesOfEachCheckpoint() throws Exception {
        Path log = directory.resolve("jobmanager.log");
        Files.write(
                log,
                List.of(
                        "2026-01-01 00:00:00,001 INFO  CheckpointCoordinator [] - Triggering"
                                + " checkpoint 7",
                        "2026-01-01 00:00:00,101 INFO  CheckpointCoordinator [] - Completed"
                                + " checkpoint 7 for job 00ff (12 bytes, checkpointDuration=90"
                                + " ms, finalizationTime=10 ms).",
                        "2026-01-01 00:00:01,101 INFO  CheckpointCoordinator [] - Completed"
                                + " checkpoint 8 for job 00ff (12 bytes, checkpointDuration=30"
                                + " ms, finalizationTime=3 ms)."));

        CompletionLog read = CompletionLog.read(log);

        assertThat(read.millis(new long[] {8, 7, 9})).containsExactly(33, 100);
    }
}
