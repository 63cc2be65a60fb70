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
package io.dstl.e2e.flights;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.e2e.flights.ResultCheck.Comparison;
import io.dstl.testkit.Matrix.MatrixRows;
import io.dstl.testkit.PathsBelow;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** The job writes what the oracle says, undisturbed or not. */
class FlightsJobTest {
    private static final int ROWS = 3_000;

    @TempDir private Path directory;

    @ParameterizedTest
    @MatrixRows({"ROCKSDB_WITH_CHANGELOG", "HASHMAP_WITH_CHANGELOG", "ROCKSDB", "HASHMAP"})
    void writesEveryRowOnce(Backend backend) throws Exception {
        Comparison comparison = new LocalRun(directory, ROWS, 2, backend).finish(2).compare();

        assertThat(comparison.shown()).isEmpty();
        assertThat(comparison.summary()).isEqualTo("6,000 of 6,000 flights, 0 differences");
        assertThat(comparison.equalRows()).isGreaterThan(5_000);
    }

    @ParameterizedTest
    @MatrixRows({"ROCKSDB_WITH_CHANGELOG", "HASHMAP_WITH_CHANGELOG", "ROCKSDB", "HASHMAP"})
    void survivesAFailureAfterACheckpoint(Backend backend) throws Exception {
        Interruption failure = Interruption.byFailure(directory.toString());

        Comparison comparison =
                new LocalRun(directory, ROWS, 1, backend)
                        .at(failure.pace())
                        .through(failure::watch)
                        .finish(2)
                        .compare();

        assertThat(failure.checkpointed()).isDone();
        assertThat(comparison.shown()).isEmpty();
        assertThat(comparison.summary()).isEqualTo("3,000 of 3,000 flights, 0 differences");
    }

    @ParameterizedTest
    @MatrixRows({
        "ROCKSDB_WITH_CHANGELOG, 3",
        "ROCKSDB_WITH_CHANGELOG, 1",
        "HASHMAP_WITH_CHANGELOG, 1",
        "ROCKSDB, 3",
        "HASHMAP, 3"
    })
    void goesOnAtAnotherParallelism(Backend backend, int parallelism) throws Exception {
        cancelAfterACheckpoint(backend);
        assertThat(new LocalRun(directory, ROWS, 1, backend).compare().isClean()).isFalse();

        Comparison comparison =
                new LocalRun(directory, ROWS, 1, backend)
                        .from(latestCheckpoint())
                        .finish(parallelism)
                        .compare();

        assertThat(comparison.shown()).isEmpty();
        assertThat(comparison.summary()).isEqualTo("3,000 of 3,000 flights, 0 differences");
    }

    private void cancelAfterACheckpoint(Backend backend) throws Exception {
        Interruption interruption = Interruption.byTheTest(directory.toString());
        JobClient job =
                new LocalRun(directory, ROWS, 1, backend)
                        .at(interruption.pace())
                        .through(interruption::watch)
                        .start(2);
        CompletableFuture<?> end = job.getJobExecutionResult();
        CompletableFuture.anyOf(interruption.checkpointed(), end).get();
        job.cancel().get();
        assertThat(end.handle((result, failure) -> failure).get()).isNotNull();
    }

    private Path latestCheckpoint() throws Exception {
        return PathsBelow.files(directory.resolve("checkpoints")).stream()
                .filter(file -> file.endsWith("_metadata"))
                .map(Path::getParent)
                .max(Comparator.comparingInt(FlightsJobTest::number))
                .orElseThrow(() -> new AssertionError("no checkpoint was retained"));
    }

    /** A checkpoint's directory is called chk-number. */
    private static int number(Path checkpoint) {
        return Integer.parseInt(checkpoint.getFileName().toString().substring("chk-".length()));
    }
}
