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
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** All runs of one of the things compared. For one thread. */
public final class Column {
    private final String label;
    private final List<Map<String, Finding>> runs = new ArrayList<>();

    public Column(String label) {
        this.label = label;
    }

    /** Adds what one run found; a quantity that it does not name was not looked for. */
    public void add(List<Finding> run) {
        Map<String, Finding> byKey = new LinkedHashMap<>();
        run.forEach(finding -> byKey.put(finding.quantity().key(), finding));
        runs.add(Collections.unmodifiableMap(byKey));
    }

    public String label() {
        return label;
    }

    /** Each by the keys of its quantities, in their order. */
    List<Map<String, Finding>> runs() {
        return Collections.unmodifiableList(runs);
    }

    /** What the runs found together; empty when none found anything. */
    Optional<Spread> spread(Quantity quantity) {
        List<Finding> found =
                of(quantity).stream().filter(Finding::found).collect(Collectors.toList());
        return found.isEmpty() ? Optional.empty() : Optional.of(quantity.spread(found));
    }

    /** The median of what the runs found; empty when none found anything. */
    public OptionalDouble median(Quantity quantity) {
        return spread(quantity)
                .map(spread -> OptionalDouble.of(spread.median))
                .orElse(OptionalDouble.empty());
    }

    /** For a reader: the median, with the extremes where there are several runs. */
    String cell(Quantity quantity) {
        List<Finding> all = of(quantity);
        List<String> parts = new ArrayList<>();
        spread(quantity).ifPresent(spread -> parts.add(show(quantity, spread)));
        Map<String, Long> reasons =
                all.stream()
                        .filter(finding -> !finding.found())
                        .collect(
                                Collectors.groupingBy(
                                        Finding::instead,
                                        LinkedHashMap::new,
                                        Collectors.counting()));
        reasons.forEach(
                (reason, times) ->
                        parts.add(
                                times == runs.size()
                                        ? reason
                                        : times + " of " + runs.size() + ": " + reason));
        return parts.isEmpty() ? "–" : String.join("; ", parts);
    }

    /** The quantities of the run that has the most, then those that only others have. */
    List<Quantity> quantities() {
        Map<String, Quantity> all = new LinkedHashMap<>();
        runs.stream()
                .sorted(Comparator.comparingInt((Map<String, Finding> run) -> -run.size()))
                .flatMap(run -> run.values().stream())
                .forEach(finding -> all.putIfAbsent(finding.quantity().key(), finding.quantity()));
        return List.copyOf(all.values());
    }

    private List<Finding> of(Quantity quantity) {
        return runs.stream()
                .map(run -> run.get(quantity.key()))
                .filter(finding -> finding != null)
                .collect(Collectors.toList());
    }

    private static String show(Quantity quantity, Spread spread) {
        String middle = quantity.format(spread.median);
        String low = quantity.format(spread.min);
        String high = quantity.format(spread.max);
        return low.equals(high) ? middle : middle + " (" + low + "–" + high + ")";
    }
}
