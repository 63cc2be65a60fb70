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
package io.dstl.tools.sizing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A table of docs/benchmarks.md, with what is written below it. */
final class MeasuredRun {
    private static final Path PAGE = Path.of("..", "docs", "benchmarks.md");

    /** 24.83 (17.19–34.84). */
    private static final Pattern CELL = Pattern.compile("([\\d.]+)(?: \\([\\d.]+–([\\d.]+)\\))?");

    private static final Pattern TABLE =
            Pattern.compile("<!-- table: made by benchmarks/run.sh (.*) --docs -->");

    private final String name;
    private final List<String> lines;

    private MeasuredRun(String name, List<String> lines) {
        this.name = name;
        this.lines = lines;
    }

    /**
     * @param name as in the line that begins the table
     */
    static MeasuredRun read(String name) throws IOException {
        String page = Files.readString(PAGE);
        String begin = "<!-- table: made by benchmarks/run.sh " + name + " --docs -->\n";
        int from = page.indexOf(begin);
        if (from < 0) {
            throw new IOException("No table of " + name + " in " + PAGE);
        }
        int to = page.indexOf("<!-- end of table -->", from);
        return new MeasuredRun(
                name, List.of(page.substring(from + begin.length(), to).split("\n")));
    }

    /** The tables whose name begins so. */
    static List<String> names(String prefix) throws IOException {
        return TABLE.matcher(Files.readString(PAGE))
                .results()
                .map(table -> table.group(1))
                .filter(name -> name.startsWith(prefix))
                .collect(Collectors.toList());
    }

    /** Whether it has a column of this variant. */
    boolean has(String variant) {
        return cells(lines.get(0)).contains(variant);
    }

    boolean hasRow(String label) {
        return lines.stream().anyMatch(line -> line.startsWith("| " + label));
    }

    Row off(String label) {
        return row(label, "off");
    }

    Row dstl(String label) {
        return row(label, "dstl");
    }

    Row row(String label, String column) {
        int index = cells(lines.get(0)).indexOf(column);
        for (String line : lines) {
            if (line.startsWith("| " + label)) {
                Matcher cell = CELL.matcher(cells(line).get(index));
                if (cell.matches()) {
                    return new Row(cell);
                }
            }
        }
        throw new AssertionError(name + " has no figure '" + label + "' of " + column);
    }

    private static List<String> cells(String line) {
        return Arrays.asList(line.split(" *\\| *", -1));
    }

    /** Changes per second; for a run at full speed to be given anew. */
    double rate() {
        if (lines.stream().anyMatch(line -> line.contains(" as many updates as there can be"))) {
            return 1;
        }
        return Double.parseDouble(setting("workload: .* ([\\d,]+) updates/s").replace(",", ""));
    }

    /** Of workloads that have no values of their own a few. */
    long valueBytes() {
        return lines.stream().anyMatch(line -> line.contains(" B each"))
                ? Long.parseLong(setting("workload: .* (\\d+) B each"))
                : 8;
    }

    int parallelism() {
        return Integer.parseInt(setting("workload: .* parallelism (\\d+)"));
    }

    double intervalSeconds() {
        return Double.parseDouble(setting("checkpoints: every (\\d+) s, "));
    }

    double measuredSeconds() {
        return Double.parseDouble(setting("measured: (\\d+) s of each run"));
    }

    /** In the log, as it was replayed. */
    double bytesOfAChange() {
        return dstl("Log at the kill, all tasks, MB").median
                * 1e6
                / dstl("Changes replayed, all tasks").median;
    }

    /** The group of this pattern, in a line below the table. */
    String setting(String pattern) {
        Pattern wanted = Pattern.compile(pattern);
        for (String line : lines) {
            Matcher matcher = wanted.matcher(line);
            if (line.startsWith("- ") && matcher.find()) {
                return matcher.group(1);
            }
        }
        throw new AssertionError(name + " does not say " + pattern);
    }

    /** A figure of the runs or kills: median and highest. */
    static final class Row {
        final double median;
        final double highest;

        private Row(Matcher cell) {
            median = Double.parseDouble(cell.group(1));
            highest = cell.group(2) == null ? median : Double.parseDouble(cell.group(2));
        }
    }
}
