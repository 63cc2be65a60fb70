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

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** One page of bar charts, with nothing to load beside it. */
public final class BarPage {
    private final String title;
    private final Map<String, String> conditions;
    private final List<BarChart> charts;

    public BarPage(String title, Map<String, String> conditions, List<BarChart> charts) {
        this.title = title;
        this.conditions = conditions;
        this.charts = List.copyOf(charts);
    }

    /** The page. */
    public String html() throws IOException {
        try (InputStream in = BarPage.class.getResourceAsStream("bars.html")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("<!--title-->", escape(title))
                    .replace(
                            "<!--conditions-->",
                            conditions.entrySet().stream()
                                    .map(each -> escape(each.getKey() + " " + each.getValue()))
                                    .collect(Collectors.joining(" · ")))
                    .replace("<!--charts-->", plots());
        }
    }

    private String plots() {
        return charts.stream()
                .filter(chart -> !chart.isEmpty())
                .map(chart -> heading(chart) + chart.svg())
                .collect(Collectors.joining("\n"));
    }

    private static String heading(BarChart chart) {
        StringBuilder html = new StringBuilder("<h2>" + escape(chart.title()) + "</h2>\n<p>");
        List<String> legend = chart.legend();
        for (int series = 0; series < legend.size(); series++) {
            html.append("<span class=\"key series").append(series).append("\">");
            html.append(escape(legend.get(series))).append("</span>\n");
        }
        return html.append("</p>\n").toString();
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
