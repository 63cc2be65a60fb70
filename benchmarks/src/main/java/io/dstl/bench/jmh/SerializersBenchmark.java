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
package io.dstl.bench.jmh;

import io.dstl.bench.jmh.JmhPlan.JmhCase;
import io.dstl.bench.report.BarChart;
import io.dstl.bench.report.Column;
import io.dstl.bench.report.Comparison;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.report.ResultFiles;
import io.dstl.harness.progress.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The seeds' tables: what a value of each type costs in an update of a value state, beside the
 * serializer alone and the published figure.
 */
public final class SerializersBenchmark {
    private static final String PUBLISHED = "published";
    private static final String ALONE = "serializer alone";

    private final JmhPlan plan;
    private final List<SeedTable> tables;
    private final JmhRunner runner;

    public SerializersBenchmark(JmhPlan plan, List<SeedTable> tables, Progress progress) {
        this.plan = plan;
        this.tables = List.copyOf(tables);
        this.runner = new JmhRunner(plan, progress);
    }

    /** Runs it all; what was found so far is in the files after each round of forks. */
    public SerializersReport run(ResultFiles files) throws IOException, InterruptedException {
        Map<SeedTable, Map<String, Column>> columns = new LinkedHashMap<>();
        for (SeedTable table : tables) {
            Map<String, Column> those = new LinkedHashMap<>();
            add(those, PUBLISHED).add(table.published());
            add(those, ALONE);
            plan.variants().forEach(variant -> add(those, variant.label()));
            columns.put(table, those);
        }
        SerializersReport report = report(columns);
        for (int round = 0; round < plan.scale().forks(); round++) {
            for (SeedTable table : tables) {
                round(table).forEach((label, found) -> columns.get(table).get(label).add(found));
            }
            report = report(columns);
            report.write(files);
        }
        return report;
    }

    private static Column add(Map<String, Column> columns, String label) {
        Column column = new Column(label);
        columns.put(label, column);
        return column;
    }

    private Map<String, List<Finding>> round(SeedTable table)
            throws IOException, InterruptedException {
        Map<String, List<Finding>> found = new LinkedHashMap<>();
        found.put(ALONE, new ArrayList<>());
        plan.variants().forEach(variant -> found.put(variant.label(), new ArrayList<>()));
        for (JmhCase of : table.cases()) {
            found.get(ALONE).add(table.finding(of, runner.serializer(of).median()));
            runner.updates(plan.variants(), of)
                    .forEach(
                            (variant, result) ->
                                    found.get(variant.label())
                                            .add(table.finding(of, result.mean())));
        }
        return found;
    }

    private SerializersReport report(Map<SeedTable, Map<String, Column>> columns) {
        Map<SeedTable, List<Column>> all = new LinkedHashMap<>();
        columns.forEach((table, those) -> all.put(table, List.copyOf(those.values())));
        return new SerializersReport(plan.conditions(), all, runner.loaded());
    }

    /** The seeds' tables as measured so far, with what was published. */
    public static final class SerializersReport implements ResultFiles.Report {
        private final Map<String, String> conditions;
        private final Map<SeedTable, List<Column>> tables;
        private final Map<String, Map<String, String>> loaded;

        /**
         * @param tables the columns of each
         * @param loaded which classes did the work, by variant and role
         */
        SerializersReport(
                Map<String, String> conditions,
                Map<SeedTable, List<Column>> tables,
                Map<String, Map<String, String>> loaded) {
            this.conditions = conditions;
            this.tables = tables;
            this.loaded = new LinkedHashMap<>(loaded);
        }

        @Override
        public String markdown() {
            StringBuilder text = new StringBuilder();
            tables.forEach(
                    (table, columns) -> {
                        text.append("**").append(table.title()).append("**\n\n");
                        text.append(comparison(columns).table()).append('\n');
                        text.append("Published: ").append(table.source()).append(".\n\n");
                    });
            conditions.forEach(
                    (name, value) -> text.append("- ").append(name + ": " + value).append('\n'));
            return text.toString();
        }

        @Override
        public void write(ResultFiles files) throws IOException {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("conditions", conditions);
            List<BarChart> charts = new ArrayList<>();
            tables.forEach(
                    (table, columns) -> {
                        json.put(table.label(), comparison(columns).json());
                        BarChart chart = new BarChart(table.title(), columns);
                        table.quantities().forEach(chart::add);
                        charts.add(chart);
                    });
            json.put("loaded", loaded);
            files.write(markdown(), json);
            files.writePage(
                    BarChart.page("Serializers on the way into a changelog", conditions, charts));
        }

        private Comparison comparison(List<Column> columns) {
            return Comparison.ofVariants(conditions, columns);
        }
    }
}
