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

import java.util.List;
import java.util.Locale;

/** One figure of several runs as bars of text, each percentile beside the same of the others. */
public final class TextChart {
    private static final int WIDTH = 48;

    private TextChart() {}

    /** Lines of at most 80 characters, from zero on; without those that Flink has no figure for. */
    public static String of(Figure figure, List<CheckpointRun> runs) {
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
                    text.append(line(percentile.title(), run.label(), value / longest))
                            .append(figure.format(value))
                            .append(System.lineSeparator());
                }
            }
        }
        return text.toString();
    }

    private static String line(String percentile, String run, double share) {
        String bar = "#".repeat(Math.max(1, (int) Math.round(share * WIDTH)));
        return String.format(Locale.ROOT, "  %-5s  %-4s %s ", percentile, run, bar);
    }

    private static double value(Figure figure, CheckpointRun run, Percentile percentile) {
        return percentile.of(figure.summary(run.statistics()));
    }
}
