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
package io.dstl.harness.report;

import io.dstl.harness.report.Figure.Percentile;
import io.dstl.harness.report.RunReport.CheckpointRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The percentiles of all runs, side by side, in each form that is text. */
public final class PercentileTable {
    private static final int CHART_WIDTH = 48;

    private final List<CheckpointRun> runs;
    private final List<List<String>> rows = new ArrayList<>();

    public PercentileTable(List<CheckpointRun> runs) {
        this.runs = List.copyOf(runs);
        addRow("", "", one -> one.label);
        addRow("Checkpoints completed", "", run -> Integer.toString(run.statistics.completed));
        for (Figure figure : Figure.values()) {
            for (Percentile percentile : Percentile.values()) {
                addRow(
                        percentile == Percentile.P50 ? figure.title() : "",
                        percentile.title(),
                        run -> figure.formatOrDash(value(figure, run, percentile)));
            }
        }
    }

    private void addRow(String figure, String percentile, Function<CheckpointRun, String> cell) {
        List<String> row = new ArrayList<>(List.of(figure, percentile));
        runs.forEach(run -> row.add(cell.apply(run)));
        rows.add(row);
    }

    /**
     * The heading first. All rows have the same number of cells: figure, percentile, one per run.
     */
    List<List<String>> rows() {
        return rows;
    }

    /** For the terminal. */
    public String text() {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            for (int column = 0; column < row.size(); column++) {
                String cell = row.get(column);
                String blanks = " ".repeat(widths[column] - cell.length());
                text.append(column == 0 ? cell + blanks : "  " + blanks + cell);
            }
            text.append(System.lineSeparator());
        }
        return text.toString();
    }

    /** A table of Markdown. */
    String markdown() {
        StringBuilder text = new StringBuilder(markdown(rows.get(0)));
        text.append("|---|---|").append("--:|".repeat(runs.size())).append('\n');
        rows.subList(1, rows.size()).forEach(row -> text.append(markdown(row)));
        return text.toString();
    }

    private static String markdown(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }

    /**
     * One figure as bars of text, each percentile beside the same of the other runs. Lines of at
     * most 80 characters, from zero on; without those that Flink has no figure for.
     */
    public String chart(Figure figure) {
        double longest =
                runs.stream()
                        .flatMapToDouble(
                                run ->
                                        List.of(Percentile.values()).stream()
                                                .mapToDouble(each -> value(figure, run, each)))
                        .filter(value -> !Double.isNaN(value))
                        .max()
                        .orElse(1);
        StringBuilder text = new StringBuilder(figure.title()).append(System.lineSeparator());
        for (Percentile percentile : Percentile.values()) {
            for (CheckpointRun run : runs) {
                double value = value(figure, run, percentile);
                if (!Double.isNaN(value)) {
                    text.append(bar(percentile.title(), run.label, value / longest))
                            .append(figure.format(value))
                            .append(System.lineSeparator());
                }
            }
        }
        return text.toString();
    }

    private static String bar(String percentile, String run, double share) {
        String bar = "#".repeat(Math.max(1, (int) Math.round(share * CHART_WIDTH)));
        return String.format(Locale.ROOT, "  %-5s  %-4s %s ", percentile, run, bar);
    }

    private static double value(Figure figure, CheckpointRun run, Percentile percentile) {
        return percentile.of(figure.summary(run.statistics));
    }
}
