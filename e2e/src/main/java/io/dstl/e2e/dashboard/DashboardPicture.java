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
package io.dstl.e2e.dashboard;

import io.dstl.e2e.dashboard.Dashboard.Panel;
import io.dstl.e2e.dashboard.Dashboard.Target;
import io.dstl.e2e.dashboard.PanelPlot.Window;
import io.dstl.harness.report.HtmlReport;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** A dashboard as one SVG drawing, with the values that a Prometheus has. Immutable. */
public final class DashboardPicture {
    private static final int COLUMN = 50;
    private static final int LINE = 25;
    private static final int GAP = 4;
    private static final int COLUMNS = 24;
    private static final int FOOTER = 24;
    private static final int POINTS = 120;

    /** So many scrapes that a rate has a value. */
    private static final String RATE_INTERVAL = "10s";

    private static final String STYLE =
            "<style>text{font-family:sans-serif;font-size:10px;fill:#464c54}"
                    + ".row{font-size:14px;font-weight:bold}.title{font-size:12px;font-weight:bold}"
                    + ".value{text-anchor:end}.time,.none{text-anchor:middle}"
                    + ".panel{fill:#fff;stroke:#d8dadd}.grid{stroke:#e7e9ec}"
                    + ".line{fill:none;stroke-width:1.3}</style>\n";

    private final Dashboard dashboard;
    private final Source source;

    public DashboardPicture(Dashboard dashboard, Source source) {
        this.dashboard = dashboard;
        this.source = source;
    }

    /**
     * Asks each query of the dashboard, and draws.
     *
     * @param footer what it shows, in one line
     */
    public String svg(Instant start, Instant end, String footer)
            throws IOException, InterruptedException {
        Duration step = Duration.between(start, end).dividedBy(POINTS);
        int height =
                FOOTER
                        + LINE
                                * dashboard.panels().stream()
                                        .mapToInt(panel -> panel.line + panel.height)
                                        .max()
                                        .orElse(0);
        StringBuilder svg = new StringBuilder();
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n%s"
                                + "<rect width=\"100%%\" height=\"100%%\" fill=\"#f4f5f5\"/>\n",
                        COLUMNS * COLUMN,
                        height,
                        STYLE));
        for (Panel panel : dashboard.panels()) {
            svg.append(
                    String.format(
                            Locale.ROOT,
                            "<g transform=\"translate(%d %d)\">\n%s</g>\n",
                            panel.column * COLUMN + GAP / 2,
                            panel.line * LINE + GAP / 2,
                            panel.targets.isEmpty()
                                    ? heading(panel)
                                    : plot(panel, start, end, step)));
        }
        return svg.append(
                        String.format(
                                Locale.ROOT,
                                "<text x=\"8\" y=\"%d\">%s</text>\n</svg>\n",
                                height - 8,
                                HtmlReport.escape(footer)))
                .toString();
    }

    private static String heading(Panel panel) {
        return String.format(
                Locale.ROOT,
                "<text class=\"row\" x=\"6\" y=\"%d\">%s</text>\n",
                LINE - 8,
                HtmlReport.escape(panel.title));
    }

    private String plot(Panel panel, Instant start, Instant end, Duration step)
            throws IOException, InterruptedException {
        PanelPlot plot =
                new PanelPlot(
                        panel,
                        new Window(seconds(start), seconds(end), step.toMillis() / 1000.0),
                        panel.width * COLUMN - GAP,
                        panel.height * LINE - GAP);
        for (Target target : panel.targets) {
            for (Series series : source.query(target.expression(RATE_INTERVAL), start, end, step)) {
                plot.add(series.legend(target.legend), series);
            }
        }
        return plot.svg();
    }

    private static double seconds(Instant moment) {
        return moment.toEpochMilli() / 1000.0;
    }

    /** Who answers queries. */
    public interface Source {
        /** The series of a PromQL expression, with a value each {@code step} where there is one. */
        List<Series> query(String expression, Instant start, Instant end, Duration step)
                throws IOException, InterruptedException;
    }
}
