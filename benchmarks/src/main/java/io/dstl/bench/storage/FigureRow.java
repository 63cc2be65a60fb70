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
package io.dstl.bench.storage;

import io.dstl.bench.proxy.RequestKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** One figure of every variant: a row of the table, a key of the JSON. */
final class FigureRow {
    private static final double MEGABYTE = 1e6;

    private final String title;
    private final String key;
    private final String format;
    private final ToDoubleFunction<Measured> figure;

    private FigureRow(String title, String key, String format, ToDoubleFunction<Measured> figure) {
        this.title = title;
        this.key = key;
        this.format = format;
        this.figure = figure;
    }

    /** All of them, in the order of the table. */
    static List<FigureRow> all() {
        List<FigureRow> rows = new ArrayList<>();
        rows.add(row("Checkpoints completed", "completed", "%.0f", Measured::completed));
        rows.add(row("Checkpoints failed", "failed", "%.0f", Measured::failed));
        rows.add(row("Job restarts", "restarts", "%.0f", Measured::restarts));
        addDurations(rows);
        addStretches(rows);
        addSizes(rows);
        addRequests(rows);
        rows.add(row("Records/s", "recordsPerSecond", "%.0f", Measured::recordsPerSecond));
        rows.add(row("TaskManager CPU s/s", "taskManagerCpu", "%.2f", Measured::cpu));
        return rows;
    }

    String title() {
        return title;
    }

    String key() {
        return key;
    }

    double of(Measured measured) {
        return figure.applyAsDouble(measured);
    }

    String format(double value) {
        return String.format(Locale.ROOT, format, value);
    }

    private static void addDurations(List<FigureRow> rows) {
        rows.add(duration("p50", 0.5));
        rows.add(duration("p90", 0.9));
        rows.add(duration("p99", 0.99));
        rows.add(duration("p99.9", 0.999));
        rows.add(duration("max", 1));
    }

    private static void addStretches(List<FigureRow> rows) {
        rows.add(
                row(
                        "of that, trigger to first log request p50, ms",
                        "stretchMillis.toFirstRequest",
                        "%.0f",
                        measured -> measured.stretches().toFirstRequest()));
        rows.add(
                row(
                        "of that, to the answer of the last log PUT p50, ms",
                        "stretchMillis.toLastPut",
                        "%.0f",
                        measured -> measured.stretches().toLastPut()));
        rows.add(
                row(
                        "of that, to the last acknowledgement p50, ms",
                        "stretchMillis.toAcknowledgement",
                        "%.0f",
                        measured -> measured.stretches().toAcknowledgement()));
    }

    private static void addSizes(List<FigureRow> rows) {
        rows.add(
                row(
                        "Checkpointed size p50, MB",
                        "checkpointedMegabytes.p50",
                        "%.2f",
                        measured -> measured.checkpointedSize(0.5) / MEGABYTE));
        rows.add(
                row(
                        "Full size p50, MB",
                        "fullMegabytes.p50",
                        "%.1f",
                        measured -> measured.fullSize(0.5) / MEGABYTE));
        rows.add(
                row(
                        "Full size p99, MB",
                        "fullMegabytes.p99",
                        "%.1f",
                        measured -> measured.fullSize(0.99) / MEGABYTE));
    }

    private static void addRequests(List<FigureRow> rows) {
        for (RequestKind kind : RequestKind.values()) {
            rows.add(
                    row(
                            "Log: " + kind + " per checkpoint",
                            "logRequests." + kind,
                            "%.2f",
                            measured ->
                                    measured.perCheckpoint(
                                            measured.requests().in(Folder.LOG).count(kind))));
        }
        rows.add(
                row(
                        "Log: all per checkpoint, deletions aside",
                        "logRequests.deletionsAside",
                        "%.2f",
                        measured ->
                                measured.perCheckpoint(
                                        measured.requests().in(Folder.LOG).countKept())));
        rows.add(
                row(
                        "Log: repeated PUTs of one object, % of PUTs",
                        "logRequests.repeatedPutPercent", "%.2f", FigureRow::repeatedPercent));
        rows.add(
                row(
                        "Log: MB put per checkpoint",
                        "logRequests.megabytesPutPerCheckpoint",
                        "%.2f",
                        measured ->
                                measured.perCheckpoint(1)
                                        * measured.requests().in(Folder.LOG).bytesPut()
                                        / MEGABYTE));
        rows.add(
                row(
                        "Checkpoint directory: all per checkpoint",
                        "checkpointRequests.all",
                        "%.2f",
                        measured ->
                                measured.perCheckpoint(
                                        measured.requests().in(Folder.CHECKPOINTS).count())));
        rows.add(
                row(
                        "Other requests (listings, batched deletions) per checkpoint",
                        "otherRequests.all",
                        "%.2f",
                        measured ->
                                measured.perCheckpoint(
                                        measured.requests().in(Folder.OTHER).count())));
    }

    private static double repeatedPercent(Measured measured) {
        Tally log = measured.requests().in(Folder.LOG);
        int puts = log.count(RequestKind.PUT);
        return puts == 0 ? 0 : 100.0 * log.repeatedPuts() / puts;
    }

    private static FigureRow duration(String name, double share) {
        return row(
                "End to end " + name + ", ms",
                "durationMillis." + name,
                "%.0f",
                measured -> measured.durationMillis(share));
    }

    private static FigureRow row(
            String title, String key, String format, ToDoubleFunction<Measured> figure) {
        return new FigureRow(title, key, format, figure);
    }
}
