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

import io.dstl.bench.report.BarChart;
import io.dstl.bench.report.BarPage;
import io.dstl.bench.report.Column;
import io.dstl.bench.report.Comparison;
import io.dstl.bench.report.Ratio;
import io.dstl.bench.report.ResultFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The seeds' tables as measured so far, with what was published. */
public final class SerializersReport {
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

    /** For a page of the documentation. */
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
        Files.writeString(
                files.page(),
                new BarPage("Serializers on the way into a changelog", conditions, charts).html(),
                StandardCharsets.UTF_8);
    }

    private Comparison comparison(List<Column> columns) {
        return new Comparison(
                conditions,
                columns,
                new Ratio("stock", "off"),
                new Ratio("dstl", "off"),
                new Ratio("dstl", "stock"));
    }
}
