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

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The percentiles of all runs, side by side: rows of cells, the first row being the heading. */
final class PercentileTable {
    private final List<List<String>> rows = new ArrayList<>();

    PercentileTable(List<CheckpointRun> runs) {
        addRow("", "", runs, CheckpointRun::label);
        addRow(
                "Checkpoints completed",
                "",
                runs,
                run -> Integer.toString(run.statistics().completed()));
        for (Figure figure : Figure.values()) {
            for (Percentile percentile : Percentile.values()) {
                addRow(
                        percentile == Percentile.P50 ? figure.title() : "",
                        percentile.title(),
                        runs,
                        run -> cell(run, figure, percentile));
            }
        }
    }

    /** All rows have the same number of cells: figure, percentile, one per run. */
    List<List<String>> rows() {
        return rows;
    }

    private void addRow(
            String figure,
            String percentile,
            List<CheckpointRun> runs,
            Function<CheckpointRun, String> cell) {
        List<String> row = new ArrayList<>();
        row.add(figure);
        row.add(percentile);
        runs.forEach(run -> row.add(cell.apply(run)));
        rows.add(row);
    }

    private static String cell(CheckpointRun run, Figure figure, Percentile percentile) {
        return figure.formatOrDash(percentile.of(figure.summary(run.statistics())));
    }
}
