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
import io.dstl.harness.report.HtmlReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** One panel with its lines, in SVG. For one thread. */
final class PanelPlot {
    private static final int TITLE = 24;
    private static final int LEFT = 62;
    private static final int RIGHT = 14;
    private static final int BOTTOM = 18;
    private static final int LEGEND_LINE = 13;
    private static final int LEGEND_LINES = 3;
    private static final int LEGEND_COLUMNS = 2;
    private static final int VALUE_STEPS = 4;
    private static final int TIME_STEPS = 6;
    private static final double CHARACTER = 5.6;

    /** A gap of more than so many steps ends a line. */
    private static final double GAP = 1.5;

    private static final String[] COLORS = {
        "#3274d9", "#e0752d", "#56a64b", "#a352cc", "#e02f44", "#8f7a00", "#2fa3a3", "#7d64e3"
    };

    private final Panel panel;
    private final Window window;
    private final int width;
    private final int height;
    private final List<Line> lines = new ArrayList<>();
    private final StringBuilder svg = new StringBuilder();

    /**
     * @param width in pixels, as the height
     */
    PanelPlot(Panel panel, Window window, int width, int height) {
        this.panel = panel;
        this.window = window;
        this.width = width;
        this.height = height;
    }

    /** One more line. */
    void add(String legend, Series series) {
        lines.add(new Line(legend, series));
    }

    String svg() {
        Axis values =
                Axis.upTo(
                        lines.stream()
                                .flatMap(line -> line.series.values().values().stream())
                                .mapToDouble(Double::doubleValue)
                                .max()
                                .orElse(0),
                        VALUE_STEPS);
        append(
                "<rect class=\"panel\" width=\"%d\" height=\"%d\" rx=\"2\"/>\n"
                        + "<text class=\"title\" x=\"8\" y=\"16\">%s</text>\n",
                width, height, HtmlReport.escape(panel.title));
        drawGrid(values);
        if (lines.isEmpty()) {
            append(
                    "<text class=\"none\" x=\"%d\" y=\"%d\">No data</text>\n",
                    (LEFT + width) / 2, height / 2);
        }
        for (int i = 0; i < lines.size(); i++) {
            drawLine(lines.get(i).series, values, COLORS[i % COLORS.length]);
        }
        drawLegend();
        return svg.toString();
    }

    private void drawGrid(Axis values) {
        for (double tick : values.ticks()) {
            long y = y(tick, values);
            append(
                    "<path class=\"grid\" d=\"M%d %dH%d\"/>"
                            + "<text class=\"value\" x=\"%d\" y=\"%d\">%s</text>\n",
                    LEFT, y, width - RIGHT, LEFT - 5, y + 3, panel.unit.format(tick));
        }
        for (double tick : Axis.upTo(window.seconds(), TIME_STEPS).ticks()) {
            if (tick <= window.seconds()) {
                append(
                        "<text class=\"time\" x=\"%d\" y=\"%d\">%.0f s</text>\n",
                        x(window.start + tick), floor() + 13, tick);
            }
        }
    }

    private void drawLine(Series series, Axis values, String color) {
        StringBuilder path = new StringBuilder();
        double before = Double.NEGATIVE_INFINITY;
        for (Map.Entry<Double, Double> point : series.values().entrySet()) {
            boolean goesOn = point.getKey() - before <= GAP * window.step;
            path.append(goesOn ? 'L' : 'M')
                    .append(x(point.getKey()))
                    .append(' ')
                    .append(y(Math.max(0, point.getValue()), values));
            before = point.getKey();
        }
        append("<path class=\"line\" stroke=\"%s\" d=\"%s\"/>\n", color, path);
    }

    private void drawLegend() {
        int shown = Math.min(lines.size(), LEGEND_LINES * LEGEND_COLUMNS);
        int columnWidth = (width - 16) / LEGEND_COLUMNS;
        for (int i = 0; i < shown; i++) {
            int x = 8 + columnWidth * (i % LEGEND_COLUMNS);
            int y = floor() + BOTTOM + 12 + LEGEND_LINE * (i / LEGEND_COLUMNS);
            boolean isLast = i == shown - 1 && shown < lines.size();
            String text =
                    isLast
                            ? "and " + (lines.size() - i) + " more"
                            : shortened(
                                    lines.get(i).legend, (int) ((columnWidth - 18) / CHARACTER));
            if (!isLast) {
                append(
                        "<path class=\"line\" stroke=\"%s\" d=\"M%d %dh10\"/>",
                        COLORS[i % COLORS.length], x, y - 3);
            }
            append(
                    "<text class=\"legend\" x=\"%d\" y=\"%d\">%s</text>\n",
                    x + 14, y, HtmlReport.escape(text));
        }
    }

    private static String shortened(String text, int characters) {
        return text.length() <= characters ? text : text.substring(0, characters - 1) + "…";
    }

    /** Where 0 is. */
    private int floor() {
        return height - BOTTOM - LEGEND_LINE * LEGEND_LINES - 4;
    }

    private long x(double second) {
        return Math.round(
                LEFT + (second - window.start) / window.seconds() * (width - LEFT - RIGHT));
    }

    private long y(double value, Axis values) {
        return Math.round(floor() - value / values.end() * (floor() - TITLE - 6));
    }

    private void append(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }

    /** A line, and its name. Immutable. */
    private static final class Line {
        private final String legend;
        private final Series series;

        private Line(String legend, Series series) {
            this.legend = Objects.requireNonNull(legend);
            this.series = Objects.requireNonNull(series);
        }
    }

    /** The time that all panels show, in seconds since the epoch. Immutable. */
    static final class Window {
        final double start;
        final double end;

        /** Between two values. */
        final double step;

        Window(double start, double end, double step) {
            this.start = start;
            this.end = end;
            this.step = step;
        }

        double seconds() {
            return end - start;
        }
    }
}
