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

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.stream.Collectors;

/** The figures of a sizing and the settings that follow, as a table or as JSON. */
final class SizingReport {
    private static final String ROW = "%-44s %14s %14s %14s";
    private static final String SETTING = "  %-58s %-10s %s";

    private static final List<String> NOT_COUNTED =
            List.of(
                    "Not counted, as a job has them without a changelog too: the files of the state,"
                            + " and Flink's requests for these and for the checkpoints' metadata.",
                    "The JobManager writes all of _metadata at each checkpoint, and with high"
                            + " availability once more: docs/scale.md.",
                    "The replay is that of a task with a core of its own. Beside it a restore"
                            + " downloads the materialized state.");

    private final List<Figure> figures = new ArrayList<>();
    private final List<Advice.Setting> settings;

    SizingReport(Workload workload, Tuning tuning, Prices prices) {
        Sizing sizing = new Sizing(workload, tuning);
        double tasks = workload.tasks();
        double ofManager = workload.tasksOfTaskManager();
        double changes = sizing.changesPerSecondOfTask();
        double bytes = sizing.bytesPerSecondOfTask();
        double segments = sizing.ofJob(Sizing::segmentsPerSecond);
        double puts = sizing.ofJob(Sizing::putsPerSecond);
        double log = sizing.longestLogBytes();
        double state = workload.stateBytesOfTask().orElse(Double.NaN);
        double putMoney = prices.putsPerMonth(puts);
        double headMoney = prices.getsPerMonth(segments);
        double meanLog = sizing.ofJob(Sizing::meanLogBytes);
        double logMoney = prices.storagePerMonth(meanLog);

        of("changesPerSecond", "changes in the log, per s", Amount::number)
                .are(tasks * changes, ofManager * changes, changes);
        of("logBytesPerSecond", "log, per s", Amount::bytes)
                .are(tasks * bytes, ofManager * bytes, bytes);
        of("putsPerSecond", "PUT, per s", Amount::number).are(puts, sizing.putsPerSecond(), NONE);
        of("getsPerSecond", "GET, per s, but in a restore", Amount::number).are(0, 0, NONE);
        of("jobManagerHeadsPerSecond", "HEAD, per s, by the JobManager", Amount::number)
                .are(segments, NONE, NONE);
        of("jobManagerDeletesPerSecond", "DELETE, per s, by the JobManager", Amount::number)
                .are(segments, NONE, NONE);
        of("secondsBetweenMaterializations", "a materialization each", Amount::time)
                .are(NONE, NONE, sizing.secondsBetweenMaterializations());
        of("longestLogBytes", "log at its longest", Amount::bytes)
                .are(tasks * log, ofManager * log, log);
        of("meanLogBytes", "log in the bucket, on average", Amount::bytes).are(meanLog, NONE, NONE);
        of("mostBytesOfCheckpoint", "state and log of a checkpoint, at most", Amount::bytes)
                .are(tasks * (state + log), NONE, state + log);
        of("logMetadataBytes", "log in _metadata, at most", Amount::bytes)
                .are(
                        tasks * sizing.logMetadataBytes(),
                        ofManager * sizing.logMetadataBytes(),
                        sizing.logMetadataBytes());
        of("restoreGets", "GET in a restore of the longest log", Amount::number)
                .are(sizing.ofJob(Sizing::restoreGets), sizing.restoreGets(), NONE);
        of("restoreGetsOfMovedTasks", "the same, if no tasks stay together", Amount::number)
                .are(
                        sizing.ofJob(Sizing::restoreGetsOfMovedTasks),
                        sizing.restoreGetsOfMovedTasks(),
                        NONE);
        of("replayedChanges", "changes to replay, at most", Amount::number)
                .are(NONE, NONE, log / workload.changeBytes());
        of("replaySeconds", "replay of them", Amount::time).are(NONE, NONE, sizing.replaySeconds());
        of("heapBytes", "heap for the log in an outage, at most", Amount::bytes)
                .are(NONE, sizing.heapBytes(), NONE);
        of("putsUsdPerMonth", "PUT, $ a month", Amount::number).are(putMoney, NONE, NONE);
        of("headsUsdPerMonth", "HEAD, $ a month", Amount::number).are(headMoney, NONE, NONE);
        of("logUsdPerMonth", "log in the bucket, $ a month", Amount::number)
                .are(logMoney, NONE, NONE);
        of("usdPerMonth", "in all, $ a month", Amount::number)
                .are(putMoney + headMoney + logMoney, NONE, NONE);
        settings = Advice.of(workload, tuning, sizing);
    }

    private static final double NONE = Double.NaN;

    private Figure of(String name, String label, DoubleFunction<String> format) {
        Figure figure = new Figure(name, label, format);
        figures.add(figure);
        return figure;
    }

    /** Lines, each ended by a line feed. */
    String table() {
        StringBuilder text = new StringBuilder();
        line(text, ROW, "", "job", "TaskManager", "task");
        for (Figure figure : figures) {
            line(
                    text,
                    ROW,
                    figure.label,
                    figure.text(figure.job),
                    figure.text(figure.taskManager),
                    figure.text(figure.task));
        }
        line(text, "");
        line(text, "Settings:");
        for (Advice.Setting setting : settings) {
            line(text, SETTING, setting.key + ":", setting.value, "# " + setting.reason);
        }
        line(text, "");
        NOT_COUNTED.forEach(note -> line(text, "%s", note));
        return text.toString();
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values).stripTrailing()).append('\n');
    }

    /** One object, with a figure left out where it has no meaning. */
    String json() {
        return figures.stream()
                        .map(Figure::json)
                        .collect(Collectors.joining(",\n", "{\n\"figures\": {\n", "\n},\n"))
                + settings.stream()
                        .map(
                                setting ->
                                        String.format(
                                                Locale.ROOT,
                                                "  {\"key\": \"%s\", \"value\": \"%s\", \"reason\":"
                                                        + " \"%s\"}",
                                                setting.key,
                                                setting.value,
                                                setting.reason))
                        .collect(Collectors.joining(",\n", "\"settings\": [\n", "\n]\n}\n"));
    }

    /** A row: one thing for the job, a TaskManager and a task, or for some of them. */
    private static final class Figure {
        private final String name;
        private final String label;
        private final DoubleFunction<String> format;
        private double job = NONE;
        private double taskManager = NONE;
        private double task = NONE;

        Figure(String name, String label, DoubleFunction<String> format) {
            this.name = name;
            this.label = label;
            this.format = format;
        }

        void are(double ofJob, double ofTaskManager, double ofTask) {
            job = ofJob;
            taskManager = ofTaskManager;
            task = ofTask;
        }

        String text(double value) {
            return Double.isNaN(value) ? "" : format.apply(value);
        }

        String json() {
            List<String> values = new ArrayList<>();
            add(values, "job", job);
            add(values, "taskManager", taskManager);
            add(values, "task", task);
            return "  \"" + name + "\": {" + String.join(", ", values) + "}";
        }

        private static void add(List<String> values, String of, double value) {
            if (!Double.isNaN(value)) {
                values.add(String.format(Locale.ROOT, "\"%s\": %.6g", of, value));
            }
        }
    }
}
