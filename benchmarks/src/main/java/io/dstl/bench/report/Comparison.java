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
package io.dstl.bench.report;

import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.report.Samples.Spread;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What a benchmark found, side by side: a table to read and JSON to compute with. Ratios are those
 * of the medians, of the one compared to each of the others.
 */
public final class Comparison {
    private final Map<String, String> conditions;
    private final List<Column> columns;
    private final List<Ratio> ratios;

    /**
     * @param conditions under which the figures were found, in the order to show
     * @param columns from left to right
     * @param ratios to show at the right; one whose columns are not both there is left out
     */
    public Comparison(Map<String, String> conditions, List<Column> columns, Ratio... ratios) {
        this.conditions = new LinkedHashMap<>(conditions);
        this.columns = List.copyOf(columns);
        this.ratios =
                Arrays.stream(ratios)
                        .filter(ratio -> has(ratio.of) && has(ratio.to))
                        .collect(Collectors.toUnmodifiableList());
    }

    /** Of the variants of one job, with the ratios of each changelog to none and to the other. */
    public static Comparison ofVariants(Map<String, String> conditions, List<Column> columns) {
        return new Comparison(
                conditions,
                columns,
                new Ratio("stock", "off"),
                new Ratio("dstl", "off"),
                new Ratio("dstl", "stock"),
                new Ratio("dstl", "forst"));
    }

    private boolean has(String label) {
        return column(label).isPresent();
    }

    private Optional<Column> column(String label) {
        return columns.stream().filter(column -> column.label().equals(label)).findFirst();
    }

    /** The table and the conditions, for a page of the documentation. */
    public String markdown() {
        return table() + '\n' + conditions();
    }

    /** The conditions alone, as a list. */
    public String conditions() {
        StringBuilder text = new StringBuilder();
        conditions.forEach(
                (name, value) -> text.append("- ").append(name + ": " + value).append('\n'));
        return text.toString();
    }

    /** Some of the rows, and in one line how they were found. */
    public String brief(Predicate<Quantity> shown) {
        return table(shown)
                + String.format(
                        Locale.ROOT,
                        "\n`%s` · commit %s · %s\n",
                        conditions.get("command"),
                        conditions.get("commit"),
                        conditions.get("machine"));
    }

    /** The table alone. */
    public String table() {
        return table(quantity -> true);
    }

    /** The rows of some quantities. */
    public String table(Predicate<Quantity> shown) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(header());
        rows.add(header().stream().map(cell -> "---").collect(Collectors.toList()));
        quantities().stream().filter(shown).forEach(quantity -> rows.add(row(quantity)));
        return rows.stream()
                .map(row -> "| " + String.join(" | ", row) + " |\n")
                .collect(Collectors.joining());
    }

    /** The same for programs, with what each run found. */
    public Map<String, Object> json() {
        Map<String, Object> spreads = new LinkedHashMap<>();
        Map<String, Object> runs = new LinkedHashMap<>();
        for (Column column : columns) {
            spreads.put(column.label(), spreads(column));
            runs.put(
                    column.label(),
                    column.runs().stream().map(Comparison::plain).collect(Collectors.toList()));
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("conditions", conditions);
        json.put("variants", spreads);
        json.put("runs", runs);
        return json;
    }

    private List<String> header() {
        List<String> cells = new ArrayList<>();
        cells.add("");
        columns.forEach(column -> cells.add(column.label()));
        ratios.forEach(ratio -> cells.add(ratio.of + " ÷ " + ratio.to));
        return cells;
    }

    private List<String> row(Quantity quantity) {
        List<String> cells = new ArrayList<>();
        cells.add(quantity.title());
        columns.forEach(column -> cells.add(column.cell(quantity)));
        ratios.forEach(ratio -> cells.add(show(ratio, quantity)));
        return cells;
    }

    private String show(Ratio ratio, Quantity quantity) {
        Optional<Spread> base = column(ratio.to).flatMap(column -> column.spread(quantity));
        Optional<Spread> mine = column(ratio.of).flatMap(column -> column.spread(quantity));
        if (base.isEmpty() || mine.isEmpty() || base.get().median == 0) {
            return "";
        }
        return String.format(Locale.ROOT, "%.2f", mine.get().median / base.get().median);
    }

    private List<Quantity> quantities() {
        Map<String, Quantity> all = new LinkedHashMap<>();
        columns.stream()
                .flatMap(column -> column.quantities().stream())
                .forEach(quantity -> all.putIfAbsent(quantity.key(), quantity));
        return List.copyOf(all.values());
    }

    private Map<String, Object> spreads(Column column) {
        Map<String, Object> json = new LinkedHashMap<>();
        for (Quantity quantity : column.quantities()) {
            column.spread(quantity)
                    .ifPresent(
                            spread -> {
                                Map<String, Object> numbers = new LinkedHashMap<>();
                                numbers.put("median", spread.median);
                                numbers.put("min", spread.min);
                                numbers.put("max", spread.max);
                                json.put(quantity.key(), numbers);
                            });
        }
        return json;
    }

    private static Map<String, Object> plain(Map<String, Finding> run) {
        Map<String, Object> json = new LinkedHashMap<>();
        run.forEach((key, finding) -> json.put(key, finding.plain()));
        return json;
    }

    /** One column of a comparison divided by another, each by its label. */
    public static final class Ratio {
        final String of;
        final String to;

        public Ratio(String of, String to) {
            this.of = of;
            this.to = to;
        }
    }
}
