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

import io.dstl.bench.report.Column;
import io.dstl.bench.report.Comparison;
import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.ResultFiles;
import io.dstl.bench.run.Variant;
import io.dstl.bench.run.Variant.RunName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** What was found: a table for each size, and the conditions of all. For one thread. */
public final class ScaleReport implements ResultFiles.Report {
    private final Map<String, String> conditions;
    private final Map<String, ScaleSize> sizes = new LinkedHashMap<>();

    /** By size, then by variant, each in the order in which they were run. */
    private final Map<String, Map<String, Column>> columns = new LinkedHashMap<>();

    private final List<String> troubles = new ArrayList<>();

    ScaleReport(Map<String, String> conditions, ScaleSettings settings) {
        this.conditions = new LinkedHashMap<>(conditions);
        for (ScaleSize size : settings.sizes()) {
            sizes.put(size.label(), size);
            columns.put(size.label(), new LinkedHashMap<>());
        }
    }

    void add(ScaleSize size, RunName name, ScaleRun run) {
        columns.get(size.label())
                .computeIfAbsent(name.variant.label(), Column::new)
                .add(run.findings());
        troubles.addAll(run.troubles());
    }

    /** What was found of a variant at a size; empty where nothing was. */
    OptionalDouble median(ScaleSize size, Variant variant, Quantity quantity) {
        Column column = columns.get(size.label()).get(variant.label());
        return column == null ? OptionalDouble.empty() : column.median(quantity);
    }

    /** Whether each run came to its end. */
    public boolean complete() {
        return troubles.isEmpty();
    }

    @Override
    public String markdown() {
        return tables() + '\n' + conditionList();
    }

    /** The same carried on to many more tasks, and under what conditions it was measured. */
    public String outlook() {
        return carriedOn() + '\n' + conditionList();
    }

    @Override
    public void write(ResultFiles files) throws IOException {
        Map<String, Object> json = new LinkedHashMap<>();
        columns.forEach((label, variants) -> json.put(label, comparison(variants).json()));
        files.write(tables() + '\n' + carriedOn() + '\n' + conditionList(), json);
    }

    private String tables() {
        List<String> tables = new ArrayList<>();
        columns.forEach(
                (label, variants) -> {
                    if (!variants.isEmpty()) {
                        tables.add(sizes.get(label) + ":\n\n" + comparison(variants).table());
                    }
                });
        return String.join("\n", tables);
    }

    private String carriedOn() {
        Map<String, Map<Integer, Column>> simulated = new LinkedHashMap<>();
        sizes.forEach(
                (label, size) -> {
                    if (size.simulated) {
                        columns.get(label)
                                .forEach(
                                        (variant, column) ->
                                                simulated
                                                        .computeIfAbsent(
                                                                variant, one -> new TreeMap<>())
                                                        .put(size.tasks, column));
                    }
                });
        Map<String, Trend> trends = new LinkedHashMap<>();
        simulated.forEach((variant, bySize) -> trends.put(variant, new Trend(bySize)));
        return trends.isEmpty() ? "" : new Outlook(trends).markdown();
    }

    private String conditionList() {
        return new Comparison(allConditions(), List.of()).conditions();
    }

    private Comparison comparison(Map<String, Column> variants) {
        return Comparison.ofVariants(allConditions(), List.copyOf(variants.values()));
    }

    private Map<String, String> allConditions() {
        Map<String, String> all = new LinkedHashMap<>(conditions);
        if (!troubles.isEmpty()) {
            all.put("not finished", String.join("; ", troubles));
        }
        return all;
    }
}
