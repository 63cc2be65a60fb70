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

import io.dstl.bench.report.Quantity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What was measured, carried on to {@link #TASKS} tasks with {@link #STATE} bytes of state:
 * figures, what breaks first, and the costs that grow worst. Immutable.
 */
final class Outlook {
    static final int TASKS = 10_000;

    private static final double STATE = 10e12;

    /** What RocksDB makes its files by default. */
    private static final double FILE = 64e6;

    private static final double SECONDS_PER_MONTH = 30.4 * 24 * 3600;

    /** In dollars: S3 Standard in us-east-1, by its price list. */
    private static final double PUT_PRICE = 0.005 / 1000;

    private static final double GET_PRICE = 0.0004 / 1000;
    private static final double GIGABYTE_MONTH_PRICE = 0.023;

    private static final int WORST = 3;
    private static final String UNKNOWN = "–";
    private static final String OURS = "dstl";

    private final Map<String, Trend> variants;

    /**
     * @param variants by their labels, from left to right
     */
    Outlook(Map<String, Trend> variants) {
        this.variants = new LinkedHashMap<>(variants);
    }

    /** For a page of the documentation. */
    String markdown() {
        return figures() + "\n" + limits() + "\n" + proposals();
    }

    private String figures() {
        List<String> rows = new ArrayList<>();
        rows.add(header(String.format(Locale.ROOT, "%,d tasks, 10 TB", TASKS), ""));
        rows.add(row("`_metadata`, MB", "%.1f", trend -> metadata(trend, 1)));
        rows.add(
                row(
                        "of that, the names of 10 TB in files of 64 MB, MB",
                        "%.1f",
                        trend -> files(trend, ScaleFigures.ENTRY_METADATA)));
        rows.add(
                row(
                        "high availability, MB per checkpoint",
                        "%.1f",
                        trend -> metadata(trend, ratio(trend))));
        rows.add(
                row(
                        "JobManager heap, GB",
                        "%.2f",
                        trend ->
                                sum(
                                                at(trend.of(ScaleFigures.HEAP)),
                                                files(trend, ScaleFigures.ENTRY_HEAP))
                                        .map(megabytes -> megabytes / 1e3)));
        rows.add(
                row(
                        "JobManager CPU s per checkpoint",
                        "%.1f",
                        trend -> at(trend.of(ScaleFigures.CPU_EACH))));
        rows.add(
                row(
                        "under the coordinator's lock per checkpoint, s",
                        "%.1f",
                        trend -> at(trend.of(ScaleFigures.LOCK)).map(millis -> millis / 1e3)));
        rows.add(
                row(
                        "trigger to completion p50, s",
                        "%.1f",
                        trend ->
                                at(trend.of(ScaleFigures.COMPLETION_50))
                                        .map(millis -> millis / 1e3)));
        rows.add(row("writes, DELETE too, per second", "%.0f", trend -> at(trend.writes())));
        rows.add(row("GET and HEAD per second", "%.0f", trend -> at(trend.reads())));
        rows.add(
                row(
                        "prefixes that S3 needs for that",
                        "%.0f",
                        trend ->
                                at(trend.writes())
                                        .flatMap(
                                                writes ->
                                                        at(trend.reads())
                                                                .map(
                                                                        reads ->
                                                                                prefixes(
                                                                                        writes,
                                                                                        reads)))));
        rows.add(
                row(
                        "requests, $ per month",
                        "%,.0f",
                        trend ->
                                sum(
                                                at(trend.paidWrites()).map(one -> one * PUT_PRICE),
                                                at(trend.reads()).map(one -> one * GET_PRICE))
                                        .map(perSecond -> perSecond * SECONDS_PER_MONTH)));
        rows.add(
                row(
                        "10 TB at rest, $ per month",
                        "%,.0f",
                        trend -> Optional.of(STATE / 1e9 * GIGABYTE_MONTH_PRICE)));
        return String.join("", rows);
    }

    private String limits() {
        List<String> rows = new ArrayList<>();
        rows.add(header("at so many tasks", " a key that helps |"));
        for (ScaleLimit limit : order()) {
            rows.add(
                    cells(
                                    limit.title,
                                    variants.values().stream()
                                            .map(trend -> tasks(limit, trend))
                                            .collect(Collectors.toList()))
                            + " "
                            + limit.key
                            + " |\n");
        }
        return String.join("", rows);
    }

    private String proposals() {
        StringBuilder text = new StringBuilder();
        Trend ours = ours();
        List<ScaleLimit> order =
                order().stream()
                        .filter(
                                limit ->
                                        limit.tasks(ours)
                                                .filter(OptionalDouble::isPresent)
                                                .isPresent())
                        .limit(WORST)
                        .collect(Collectors.toList());
        for (int i = 0; i < order.size(); i++) {
            text.append(i + 1).append(". ").append(order.get(i).proposal).append('\n');
        }
        return text.toString();
    }

    private Trend ours() {
        return variants.getOrDefault(OURS, variants.values().iterator().next());
    }

    /** What breaks first with dstl comes first. */
    private List<ScaleLimit> order() {
        Trend ours = ours();
        return Arrays.stream(ScaleLimit.values())
                .sorted(
                        Comparator.comparingDouble(
                                limit ->
                                        limit.tasks(ours)
                                                .map(one -> one.orElse(Double.MAX_VALUE))
                                                .orElse(Double.MAX_VALUE)))
                .collect(Collectors.toList());
    }

    private static String tasks(ScaleLimit limit, Trend trend) {
        Optional<OptionalDouble> found = limit.tasks(trend);
        if (found.isEmpty()) {
            return UNKNOWN;
        }
        if (found.get().isEmpty()) {
            return "does not grow";
        }
        double tasks = found.get().getAsDouble();
        return tasks < 1 ? "any" : String.format(Locale.ROOT, "%,.0f", tasks);
    }

    private static double prefixes(double writes, double reads) {
        return Math.ceil(
                Math.max(
                        writes / ScaleLimit.Constants.PREFIX_WRITES,
                        reads / ScaleLimit.Constants.PREFIX_READS));
    }

    /** In megabytes; that of high availability is so much larger. */
    private static Optional<Double> metadata(Trend trend, double factor) {
        return sum(
                        at(trend.of(ScaleFigures.METADATA)).map(kilobytes -> kilobytes / 1e3),
                        files(trend, ScaleFigures.ENTRY_METADATA))
                .map(megabytes -> megabytes * factor);
    }

    private static double ratio(Trend trend) {
        OptionalDouble metadata = trend.last(ScaleFigures.METADATA);
        OptionalDouble copy = trend.last(ScaleFigures.HA);
        return metadata.isEmpty() || copy.isEmpty() || metadata.getAsDouble() == 0
                ? 1
                : copy.getAsDouble() / metadata.getAsDouble();
    }

    /** Of all files of the state, in megabytes. */
    private static Optional<Double> files(Trend trend, Quantity bytesEach) {
        OptionalDouble bytes = trend.last(bytesEach);
        return bytes.isEmpty()
                ? Optional.empty()
                : Optional.of(STATE / FILE * Math.max(0, bytes.getAsDouble()) / 1e6);
    }

    private static Optional<Double> at(Optional<Growth> growth) {
        return growth.map(line -> line.at(TASKS));
    }

    private static Optional<Double> sum(Optional<Double> one, Optional<Double> other) {
        return one.flatMap(first -> other.map(second -> first + second));
    }

    private String header(String title, String more) {
        List<String> labels = new ArrayList<>(variants.keySet());
        int columns = labels.size() + 1 + (more.isEmpty() ? 0 : 1);
        return cells(title, labels) + more + "\n|" + " --- |".repeat(columns) + "\n";
    }

    private String row(String title, String format, Function<Trend, Optional<Double>> figure) {
        return cells(
                        title,
                        variants.values().stream()
                                .map(
                                        trend ->
                                                figure.apply(trend)
                                                        .map(
                                                                number ->
                                                                        String.format(
                                                                                Locale.ROOT,
                                                                                format,
                                                                                number))
                                                        .orElse(UNKNOWN))
                                .collect(Collectors.toList()))
                + "\n";
    }

    private static String cells(String title, List<String> values) {
        return "| " + title + " | " + String.join(" | ", values) + " |";
    }
}
