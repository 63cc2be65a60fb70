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

import io.dstl.harness.report.RunReport.Event;
import io.dstl.harness.report.RunReport.Timeline;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * One figure of every checkpoint over time, as an SVG drawing. Each timeline starts at 0 s; the
 * figure's axis is logarithmic, so that the usual and the worst both show.
 */
final class Plot {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 260;
    private static final int LEFT = 80;
    private static final int RIGHT = 20;
    private static final int TOP = 30;
    private static final int BOTTOM = 30;
    private static final int SECONDS_PER_TICK_AT_LEAST = 5;
    private static final int TICKS = 12;

    private final Figure figure;
    private final List<Timeline> timelines;
    private final double seconds;
    private final int lowTick;
    private final int highTick;
    private final StringBuilder svg = new StringBuilder();

    Plot(Figure figure, List<Timeline> timelines) {
        this.figure = figure;
        this.timelines = timelines;
        this.seconds = Math.max(1, timelines.stream().mapToDouble(Plot::length).max().orElse(1));
        this.lowTick = lastTickUpTo(extreme(true));
        int below = lastTickUpTo(extreme(false));
        this.highTick =
                Math.max(lowTick + 1, figure.tick(below) < extreme(false) ? below + 1 : below);
    }

    String svg() {
        append(
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s over time\">\n",
                WIDTH, HEIGHT, figure.title());
        drawValueAxis();
        drawTimeAxis();
        for (int i = 0; i < timelines.size(); i++) {
            drawEvents(timelines.get(i));
            drawLine(timelines.get(i), i);
        }
        return svg.append("</svg>").toString();
    }

    private void drawValueAxis() {
        for (int tick = lowTick; tick <= highTick; tick++) {
            double y = y(figure.tick(tick));
            append(
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
                    LEFT, WIDTH - RIGHT, y, y);
            append(
                    "<text class=\"value\" x=\"%d\" y=\"%.1f\">%s</text>\n",
                    LEFT - 6, y + 4, figure.formatTick(tick));
        }
    }

    private int lastTickUpTo(double value) {
        int tick = 0;
        while (figure.tick(tick + 1) <= value) {
            tick++;
        }
        return tick;
    }

    private void drawTimeAxis() {
        int step =
                SECONDS_PER_TICK_AT_LEAST
                        * (int) Math.ceil(seconds / TICKS / SECONDS_PER_TICK_AT_LEAST);
        for (int second = 0; second <= seconds; second += step) {
            append(
                    "<text class=\"time\" x=\"%.1f\" y=\"%d\">%d s</text>\n",
                    x(second), HEIGHT - BOTTOM + 18, second);
        }
    }

    private void drawEvents(Timeline timeline) {
        int row = 0;
        for (Event event : timeline.events) {
            double x = x(secondsInto(timeline, event.at));
            append(
                    "<line class=\"event\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n",
                    x, x, TOP, HEIGHT - BOTTOM);
            append(
                    "<text class=\"event\" x=\"%.1f\" y=\"%d\">%s</text>\n",
                    x, 10 + 11 * (row++ % 2), HtmlReport.escape(event.what));
        }
    }

    private void drawLine(Timeline timeline, int series) {
        append("<polyline class=\"series%d\" points=\"", series);
        for (CompletedCheckpoint checkpoint : timeline.checkpoints) {
            append("%.1f,%.1f ", x(timeline, checkpoint), y(figure.of(checkpoint)));
        }
        append("\"/>\n");
        for (CompletedCheckpoint checkpoint : timeline.checkpoints) {
            append(
                    "<circle class=\"series%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"><title>%s, checkpoint %d: %s</title></circle>\n",
                    series,
                    x(timeline, checkpoint),
                    y(figure.of(checkpoint)),
                    HtmlReport.escape(timeline.label),
                    checkpoint.id,
                    figure.format(figure.of(checkpoint)));
        }
    }

    private double x(Timeline timeline, CompletedCheckpoint checkpoint) {
        return x(secondsInto(timeline, checkpoint.triggered));
    }

    private double x(double second) {
        return LEFT + second / seconds * (WIDTH - LEFT - RIGHT);
    }

    private double y(double value) {
        double low = Math.log10(figure.tick(lowTick));
        double high = Math.log10(figure.tick(highTick));
        double share = (Math.log10(Math.max(1, value)) - low) / (high - low);
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
    }

    /** The smallest or the largest value; at least 1, where the axis starts. */
    private double extreme(boolean smallest) {
        return timelines.stream()
                .flatMap(timeline -> timeline.checkpoints.stream())
                .mapToDouble(checkpoint -> Math.max(1, figure.of(checkpoint)))
                .reduce(smallest ? Math::min : Math::max)
                .orElse(1);
    }

    private static double length(Timeline timeline) {
        List<CompletedCheckpoint> all = timeline.checkpoints;
        return all.isEmpty() ? 0 : secondsInto(timeline, all.get(all.size() - 1).triggered);
    }

    private static double secondsInto(Timeline timeline, Instant moment) {
        if (timeline.checkpoints.isEmpty()) {
            return 0;
        }
        Instant start = timeline.checkpoints.get(0).triggered;
        return Duration.between(start, moment).toMillis() / 1000.0;
    }

    private void append(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }
}
