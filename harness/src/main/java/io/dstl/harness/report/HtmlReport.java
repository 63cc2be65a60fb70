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

import io.dstl.harness.report.RunReport.CheckpointRun;
import io.dstl.harness.report.RunReport.Timeline;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** The report for readers: one page with the table and the plots, nothing to load beside it. */
public final class HtmlReport {
    private HtmlReport() {}

    public static void write(RunReport report, Path file) throws IOException {
        String page =
                template()
                        .replace("<!--headline-->", escape(report.headline()))
                        .replace("<!--conditions-->", report.conditions(" ", HtmlReport::escape))
                        .replace("<!--results-->", results(report))
                        .replace("<!--table-->", table(report.runs()))
                        .replace("<!--legend-->", legend(report.timelines()))
                        .replace("<!--plots-->", plots(report.timelines()));
        Files.writeString(file, page, StandardCharsets.UTF_8);
    }

    /** Text that stays text in a page. */
    public static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private static String template() throws IOException {
        try (InputStream in = HtmlReport.class.getResourceAsStream("report.html")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String results(RunReport report) {
        return report.results().stream()
                .map(line -> "<li>" + escape(line) + "</li>")
                .collect(Collectors.joining("\n"));
    }

    private static String table(List<CheckpointRun> runs) {
        List<List<String>> rows = new PercentileTable(runs).rows();
        StringBuilder html = new StringBuilder("<table>\n");
        for (int i = 0; i < rows.size(); i++) {
            String tag = i == 0 ? "th" : "td";
            html.append("<tr>");
            for (String cell : rows.get(i)) {
                html.append('<').append(tag).append('>').append(escape(cell));
                html.append("</").append(tag).append('>');
            }
            html.append("</tr>\n");
        }
        return html.append("</table>").toString();
    }

    private static String legend(List<Timeline> timelines) {
        StringBuilder html = new StringBuilder();
        for (int i = 0; i < timelines.size(); i++) {
            html.append("<span class=\"key series").append(i).append("\">");
            html.append(escape(timelines.get(i).label)).append("</span>\n");
        }
        return html.toString();
    }

    private static String plots(List<Timeline> timelines) {
        StringBuilder html = new StringBuilder();
        for (Figure figure : Figure.values()) {
            html.append("<h2>").append(figure.title()).append("</h2>\n");
            html.append(new Plot(figure, timelines).svg()).append('\n');
        }
        return html.toString();
    }
}
