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
import java.util.stream.Collectors;

/** The percentiles as a table of Markdown, with the conditions and the results under it. */
public final class MarkdownReport {
    private static final String END = "\n";

    private MarkdownReport() {}

    public static String of(RunReport report) {
        List<List<String>> rows = new PercentileTable(report.runs()).rows();
        StringBuilder text = new StringBuilder();
        text.append(report.headline()).append(END).append(END);
        appendRow(text, rows.get(0));
        text.append("|---|---|").append("--:|".repeat(report.runs().size())).append(END);
        rows.subList(1, rows.size()).forEach(row -> appendRow(text, row));
        text.append(END);
        report.results().forEach(result -> text.append(result).append(".  ").append(END));
        text.append(conditions(report)).append(END);
        return text.toString();
    }

    private static void appendRow(StringBuilder text, List<String> cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |").append(END);
    }

    private static String conditions(RunReport report) {
        return report.conditions().entrySet().stream()
                .map(condition -> condition.getKey() + ": " + condition.getValue())
                .collect(Collectors.joining(" · "));
    }
}
