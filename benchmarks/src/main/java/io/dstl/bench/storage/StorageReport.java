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
package io.dstl.bench.storage;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.dstl.e2e.report.HtmlReport;
import io.dstl.e2e.report.RunReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a run found, as a table to read, as JSON to compute with, and as a page with plots. */
public final class StorageReport {
    private final Map<String, String> conditions;
    private final List<VariantResult> results;

    /**
     * @param conditions under which the figures were found, in the order to show
     * @param results in the order of the columns
     */
    StorageReport(Map<String, String> conditions, List<VariantResult> results) {
        this.conditions = new LinkedHashMap<>(conditions);
        this.results = List.copyOf(results);
    }

    /** Writes name.md, name.json and name.html; returns the first. */
    public Path write(Path directory, String name) throws IOException {
        Files.createDirectories(directory);
        Path table = directory.resolve(name + ".md");
        Files.writeString(table, markdown(), StandardCharsets.UTF_8);
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(directory.resolve(name + ".json").toFile(), json());
        HtmlReport.write(page(), directory.resolve(name + ".html"));
        return table;
    }

    /** The table and the conditions, for a page of the documentation. */
    public String markdown() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(header());
        rows.add(header().stream().map(cell -> "---").collect(Collectors.toList()));
        for (FigureRow figure : FigureRow.all()) {
            rows.add(row(figure));
        }
        rows.addAll(faultRows());
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            text.append("| ").append(String.join(" | ", row)).append(" |\n");
        }
        text.append('\n');
        conditions.forEach(
                (name, value) -> text.append("- ").append(name + ": " + value).append('\n'));
        return text.toString();
    }

    private List<String> header() {
        List<String> cells = new ArrayList<>();
        cells.add("");
        results.forEach(result -> cells.add(result.variant().label()));
        for (Variant other : compared()) {
            cells.add("dstl ÷ " + other.label());
        }
        return cells;
    }

    private List<String> row(FigureRow figure) {
        List<String> cells = new ArrayList<>();
        cells.add(figure.title());
        results.forEach(result -> cells.add(figure.format(figure.of(result.measured()))));
        for (Variant other : compared()) {
            double base = figure.of(of(other).orElseThrow().measured());
            double ours = figure.of(of(Variant.DSTL).orElseThrow().measured());
            cells.add(base == 0 ? "" : String.format(Locale.ROOT, "%.2f", ours / base));
        }
        return cells;
    }

    /** The variants that ours stands beside, where it was run. */
    private List<Variant> compared() {
        return of(Variant.DSTL).isEmpty()
                ? List.of()
                : results.stream()
                        .map(VariantResult::variant)
                        .filter(variant -> variant != Variant.DSTL)
                        .collect(Collectors.toList());
    }

    private Optional<VariantResult> of(Variant variant) {
        return results.stream().filter(result -> result.variant() == variant).findFirst();
    }

    private List<List<String>> faultRows() {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        for (VariantResult result : results) {
            for (Endured endured : result.endured()) {
                rows.computeIfAbsent(endured.fault().title(), title -> new ArrayList<>());
            }
        }
        List<List<String>> all = new ArrayList<>();
        rows.keySet().forEach(title -> all.add(faultRow(title)));
        return all;
    }

    private List<String> faultRow(String title) {
        List<String> cells = new ArrayList<>();
        cells.add(title + ": restarts / failed checkpoints / first checkpoint after its end, ms");
        for (VariantResult result : results) {
            cells.add(
                    result.endured().stream()
                            .filter(endured -> endured.fault().title().equals(title))
                            .map(StorageReport::show)
                            .findFirst()
                            .orElse("–"));
        }
        compared().forEach(other -> cells.add(""));
        return cells;
    }

    private static String show(Endured endured) {
        return endured.restarts()
                + " / "
                + endured.failed()
                + " / "
                + endured.recovery().toMillis();
    }

    private Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("conditions", conditions);
        Map<String, Object> variants = new LinkedHashMap<>();
        for (VariantResult result : results) {
            Map<String, Object> figures = new LinkedHashMap<>();
            for (FigureRow figure : FigureRow.all()) {
                figures.put(figure.key(), figure.of(result.measured()));
            }
            for (Endured endured : result.endured()) {
                Map<String, Object> fault = new LinkedHashMap<>();
                fault.put("restarts", endured.restarts());
                fault.put("failedCheckpoints", endured.failed());
                fault.put("recoveryMillis", endured.recovery().toMillis());
                figures.put(endured.fault().title(), fault);
            }
            variants.put(result.variant().label(), figures);
        }
        json.put("variants", variants);
        return json;
    }

    private RunReport page() {
        return new RunReport(
                conditions,
                results.stream().map(VariantResult::flinkSummary).collect(Collectors.toList()),
                results.stream().map(VariantResult::timeline).collect(Collectors.toList()),
                List.of(
                        "The table is Flink's own summary of the whole run, warm-up and faults"
                                + " included; the figures to compare are in the .md and .json"
                                + " beside this page."));
    }
}
