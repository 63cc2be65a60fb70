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

import io.dstl.harness.report.HtmlReport;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Numbers of several columns, row by row, as bars: an SVG drawing. The scale is linear from 0, so
 * that lengths compare as the numbers do. For one thread.
 */
public final class BarChart {
    private static final int WIDTH = 900;
    private static final int LEFT = 230;
    private static final int RIGHT = 90;
    private static final int BAR = 12;
    private static final int GAP = 8;
    private static final int TOP = 6;

    private final String title;
    private final List<Column> columns;
    private final List<Quantity> rows = new ArrayList<>();

    public BarChart(String title, List<Column> columns) {
        this.title = title;
        this.columns = List.copyOf(columns);
    }

    public BarChart add(Quantity row) {
        rows.add(row);
        return this;
    }

    String svg() {
        double longest =
                rows.stream()
                        .flatMap(row -> columns.stream().map(column -> median(column, row)))
                        .mapToDouble(Double::doubleValue)
                        .max()
                        .orElse(0);
        int height = TOP + rows.size() * (columns.size() * BAR + GAP);
        StringBuilder svg = new StringBuilder();
        append(
                svg,
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
                WIDTH,
                height,
                title);
        int y = TOP;
        for (Quantity row : rows) {
            append(
                    svg,
                    "<text class=\"value\" x=\"%d\" y=\"%d\">%s</text>\n",
                    LEFT - 8,
                    y + BAR,
                    row.title());
            for (int series = 0; series < columns.size(); series++) {
                bar(svg, row, series, y + series * BAR, longest);
            }
            y += columns.size() * BAR + GAP;
        }
        return svg.append("</svg>").toString();
    }

    private void bar(StringBuilder svg, Quantity row, int series, int y, double longest) {
        double value = median(columns.get(series), row);
        double length = longest == 0 ? 0 : value / longest * (WIDTH - LEFT - RIGHT);
        append(
                svg,
                "<rect class=\"series%d\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n",
                series,
                LEFT,
                y,
                length,
                BAR - 2);
        append(
                svg,
                "<text x=\"%.1f\" y=\"%d\">%s</text>\n",
                LEFT + length + 4,
                y + BAR - 3,
                value == 0 ? "–" : row.format(value));
    }

    private static double median(Column column, Quantity row) {
        return column.spread(row).map(one -> one.median).orElse(0.0);
    }

    private static void append(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }

    /** A page of charts, those without rows left out, with nothing to load beside it. */
    public static String page(String title, Map<String, String> conditions, List<BarChart> charts)
            throws IOException {
        try (InputStream in = BarChart.class.getResourceAsStream("bars.html")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("<!--title-->", HtmlReport.escape(title))
                    .replace(
                            "<!--conditions-->",
                            conditions.entrySet().stream()
                                    .map(each -> each.getKey() + " " + each.getValue())
                                    .map(HtmlReport::escape)
                                    .collect(Collectors.joining(" · ")))
                    .replace(
                            "<!--charts-->",
                            charts.stream()
                                    .filter(chart -> !chart.rows.isEmpty())
                                    .map(chart -> chart.heading() + chart.svg())
                                    .collect(Collectors.joining("\n")));
        }
    }

    private String heading() {
        StringBuilder html = new StringBuilder("<h2>" + HtmlReport.escape(title) + "</h2>\n<p>");
        for (int series = 0; series < columns.size(); series++) {
            html.append("<span class=\"key series").append(series).append("\">");
            html.append(HtmlReport.escape(columns.get(series).label())).append("</span>\n");
        }
        return html.append("</p>\n").toString();
    }
}
