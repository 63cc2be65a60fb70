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

import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.run.Variant.RunName;
import io.dstl.bench.run.VariantRun.RunResult;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class BenchReportTest {
    private static final Quantity RECORDS = quantity("recordsPerSecond");
    private static final Quantity SHARE = quantity("profile.percent.changelog");
    private static final Quantity STOCKS = quantity("profile.method.FsStateChangelogWriter.append");
    private static final Quantity OURS = quantity("profile.method.StateLog.record");

    private final BenchReport report =
            new BenchReport(
                    Map.of("seed", "7"),
                    List.of(
                            result(Variant.STOCK, RECORDS, SHARE, STOCKS),
                            result(Variant.DSTL, RECORDS, SHARE, OURS)));

    @Test
    void theProfileIsATableOfWorkAndOneOfMethods() {
        assertThat(report.profile())
                .isEqualTo(
                        "|  | stock | dstl | dstl ÷ stock |\n"
                                + "| --- | --- | --- | --- |\n"
                                + "| profile.percent.changelog | 1 | 1 | 1.00 |\n"
                                + "\nThe methods of the changelog that take most, in % of the task"
                                + " threads:\n\n"
                                + "|  | stock | dstl | dstl ÷ stock |\n"
                                + "| --- | --- | --- | --- |\n"
                                + "| profile.method.FsStateChangelogWriter.append | 1 | – |  |\n"
                                + "| profile.method.StateLog.record | – | 1 |  |\n"
                                + "\n- seed: 7\n");
    }

    @Test
    void theWholeReportHasTheProfileToo() {
        assertThat(report.markdown())
                .contains("| recordsPerSecond |", "| profile.percent.changelog |", "- seed: 7\n");
    }

    @Test
    void aFigureThatWasNotFoundOrATroubleMakesItIncomplete() {
        assertThat(report.complete()).isTrue();
        assertThat(complete(List.of(Finding.none(RECORDS, "none in 120 s")), List.of())).isFalse();
        assertThat(complete(List.of(Finding.of(RECORDS, 1)), List.of("dstl-1, totals: late")))
                .isFalse();
    }

    private static boolean complete(List<Finding> findings, List<String> troubles) {
        return new BenchReport(Map.of(), List.of(result(Variant.DSTL, findings, troubles)))
                .complete();
    }

    private static RunResult result(Variant variant, Quantity... found) {
        List<Finding> findings =
                Arrays.stream(found)
                        .map(quantity -> Finding.of(quantity, 1))
                        .collect(Collectors.toList());
        return result(variant, findings, List.of());
    }

    private static RunResult result(
            Variant variant, List<Finding> findings, List<String> troubles) {
        return new RunResult(
                new RunName(variant, 1), findings, troubles, Optional.empty(), Optional.empty());
    }

    private static Quantity quantity(String key) {
        return Quantity.of(key, key, "%.0f");
    }
}
