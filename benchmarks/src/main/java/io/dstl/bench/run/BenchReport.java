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

import io.dstl.bench.report.Column;
import io.dstl.bench.report.Comparison;
import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.ResultFiles;
import io.dstl.bench.run.VariantRun.RunResult;
import io.dstl.harness.report.HtmlReport;
import io.dstl.harness.report.RunReport;
import java.io.IOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What the runs found, as a table to read, as JSON to compute with, and as a page with plots. */
public final class BenchReport implements ResultFiles.Report {
    private final Map<String, String> conditions;
    private final List<RunResult> results;
    private final Comparison comparison;

    /**
     * @param conditions under which the figures were found, in the order to show
     * @param results in the order in which the runs were made
     */
    BenchReport(Map<String, String> conditions, List<RunResult> results) {
        this.results = List.copyOf(results);
        this.conditions = withTroubles(conditions, results);
        Map<Variant, Column> columns = new EnumMap<>(Variant.class);
        for (RunResult result : results) {
            columns.computeIfAbsent(result.name.variant, variant -> new Column(variant.label()))
                    .add(result.findings);
        }
        this.comparison = Comparison.ofVariants(this.conditions, List.copyOf(columns.values()));
    }

    @Override
    public void write(ResultFiles files) throws IOException {
        files.write(markdown(), comparison.json());
        HtmlReport.write(page(), files.page());
    }

    @Override
    public String markdown() {
        return comparison.markdown();
    }

    /** What is found without a profile, the same way. */
    public String measured() {
        return comparison.table(quantity -> !ProfilePhase.finds(quantity))
                + '\n'
                + comparison.conditions();
    }

    /** What the threads of the tasks do, the same way. */
    public String profile() {
        return comparison.table(ProfilePhase::findsOfThreads)
                + "\nThe methods of the changelog that take most, in % of the task threads:\n\n"
                + comparison.table(ProfilePhase::findsOfMethods)
                + '\n'
                + comparison.conditions();
    }

    /** What the benchmark of space is about, the same way. */
    public String space() {
        return comparison.table(SpacePhase::shows) + '\n' + comparison.conditions();
    }

    /** The rows of some quantities, and which run they are of, for the README. */
    public String brief(Predicate<Quantity> shown) {
        return comparison.brief(shown);
    }

    /** Whether each run came to its end, and has all its figures. */
    public boolean complete() {
        return results.stream().allMatch(RunResult::complete);
    }

    private static Map<String, String> withTroubles(
            Map<String, String> conditions, List<RunResult> results) {
        Map<String, String> all = new LinkedHashMap<>(conditions);
        String troubles =
                results.stream()
                        .flatMap(result -> result.troubles.stream())
                        .collect(Collectors.joining("; "));
        if (!troubles.isEmpty()) {
            all.put("not finished", troubles);
        }
        return all;
    }

    private RunReport page() {
        return new RunReport(
                "Checkpoints of one job on each backend",
                conditions,
                results.stream()
                        .map(one -> one.summary)
                        .flatMap(Optional::stream)
                        .collect(Collectors.toList()),
                results.stream()
                        .filter(result -> result.name.repetition == 1)
                        .map(one -> one.timeline)
                        .flatMap(Optional::stream)
                        .collect(Collectors.toList()),
                List.of(
                        "The table is Flink's own summary of each whole run, warm-up and faults"
                                + " included; the plots show the first repetition. The figures to"
                                + " compare are in the .md and .json beside this page."));
    }
}
