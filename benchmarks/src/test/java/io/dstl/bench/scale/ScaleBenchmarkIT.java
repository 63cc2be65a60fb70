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
package io.dstl.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.ResultFiles;
import io.dstl.bench.run.BenchPaths;
import io.dstl.bench.run.BenchPlan;
import io.dstl.bench.run.Timing;
import io.dstl.bench.run.Variant;
import io.dstl.harness.progress.Instruments;
import io.dstl.harness.proxy.RequestJournal.RequestKind;
import io.dstl.harness.store.S3Store;
import io.dstl.testkit.Matrix.MatrixCase;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A few real tasks, and two simulated TaskManagers with as many, with ours. */
@ExtendWith(MatrixCase.class)
class ScaleBenchmarkIT {
    private static final ScaleSize REAL = new ScaleSize(2, false);
    private static final ScaleSize SIMULATED = new ScaleSize(4, true);
    private static final int TRUNCATED = 80;

    @TempDir private Path directory;

    @Test
    void twoSimulatedTaskExecutorsCheckpointAndTruncate() throws Exception {
        ScaleReport report =
                new ScaleBenchmark(
                                plan(),
                                new ScaleSettings(
                                        List.of(REAL.tasks),
                                        List.of(SIMULATED.tasks),
                                        2,
                                        50,
                                        TRUNCATED),
                                Instruments.printing(
                                        new PrintStream(OutputStream.nullOutputStream())))
                        .run(new ResultFiles(directory.resolve("results"), "scale"));

        assertThat(report.complete()).as(report.markdown()).isTrue();
        assertThat(found(report, REAL, ScaleFigures.METADATA)).isPositive();
        assertThat(found(report, SIMULATED, ScaleFigures.COMPLETED)).isPositive();
        assertThat(found(report, SIMULATED, ScaleFigures.METADATA)).isPositive();
        assertThat(found(report, SIMULATED, ScaleFigures.HA)).isPositive();
        // Of two TaskManagers a segment each, and what four tasks materialize.
        assertThat(found(report, SIMULATED, ScaleFigures.NAMED)).isGreaterThanOrEqualTo(2);
        assertThat(found(report, SIMULATED, ScaleFigures.ofJobManager(RequestKind.DELETE)))
                .isPositive();
        assertThat(found(report, SIMULATED, ScaleFigures.DELETIONS)).isPositive();
        assertThat(found(report, SIMULATED, ScaleFigures.ENTRY_METADATA)).isPositive();
    }

    private static double found(ScaleReport report, ScaleSize size, Quantity quantity) {
        return report.median(size, Variant.DSTL, quantity).orElseThrow();
    }

    private BenchPlan plan() {
        return new BenchPlan(
                        new BenchPaths(
                                Path.of("..").toAbsolutePath().normalize(),
                                directory,
                                Path.of(System.getProperty("java.home"))))
                .variants(List.of(Variant.DSTL))
                .store(S3Store.Kind.EMBEDDED)
                .rhythm(Duration.ofMillis(500), Duration.ofSeconds(2))
                .timing(new Timing(Duration.ofSeconds(2), Duration.ofSeconds(20)))
                .tolerableFailures(100)
                .recoveryLimit(Duration.ofMinutes(5));
    }
}
