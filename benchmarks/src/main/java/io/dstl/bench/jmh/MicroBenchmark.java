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
package io.dstl.bench.jmh;

import io.dstl.bench.jmh.JmhFork.Result;
import io.dstl.bench.jmh.JmhPlan.JmhCase;
import io.dstl.bench.jmh.MicroBenchmark.MicroQuantity;
import io.dstl.bench.report.BarChart;
import io.dstl.bench.report.Column;
import io.dstl.bench.report.Comparison;
import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.report.ResultFiles;
import io.dstl.bench.run.Variant;
import io.dstl.harness.progress.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What one update costs on each variant, case by case: the forks of the variants take {@link
 * Turns}, so that a machine that grows slower or faster does so for all of them.
 */
public final class MicroBenchmark {
    private final JmhPlan plan;
    private final List<JmhCase> timed;
    private final List<JmhCase> logged;
    private final List<JmhCase> started;
    private final JmhRunner runner;

    /**
     * @param timed whose updates are timed
     * @param logged whose logs are weighed and replayed, where there is a log: in one fork of each,
     *     as their size is the same each time
     * @param started of whose logs the first replay in a JVM is timed, where there is a log
     */
    public MicroBenchmark(
            JmhPlan plan,
            List<JmhCase> timed,
            List<JmhCase> logged,
            List<JmhCase> started,
            Progress progress) {
        this.plan = plan;
        this.timed = List.copyOf(timed);
        this.logged = List.copyOf(logged);
        this.started = List.copyOf(started);
        this.runner = new JmhRunner(plan, progress);
    }

    /** Runs it all; what was found so far is in the files after each round of forks. */
    public MicroReport run(ResultFiles files) throws IOException, InterruptedException {
        Map<Variant, Column> columns = new LinkedHashMap<>();
        plan.variants().forEach(each -> columns.put(each, new Column(each.label())));
        MicroReport report = report(columns);
        for (int round = 0; round < plan.scale().forks(); round++) {
            Map<Variant, List<Finding>> found = new LinkedHashMap<>();
            plan.variants().forEach(each -> found.put(each, new ArrayList<>()));
            for (JmhCase of : timed) {
                runner.updates(plan.variants(), of)
                        .forEach((variant, result) -> found.get(variant).addAll(timed(of, result)));
            }
            for (Variant variant : plan.variants()) {
                if (variant.changelog()) {
                    found.get(variant).addAll(ofLogs(variant, round == 0));
                }
            }
            found.forEach((variant, findings) -> columns.get(variant).add(sorted(findings)));
            report = report(columns);
            report.write(files);
        }
        return report;
    }

    private List<Finding> ofLogs(Variant variant, boolean first)
            throws IOException, InterruptedException {
        List<Finding> found = new ArrayList<>();
        for (JmhCase of : first ? logged : List.<JmhCase>of()) {
            found.addAll(logged(of, runner.replay(variant, of)));
        }
        for (JmhCase of : started) {
            found.add(
                    Finding.of(
                            MicroQuantity.FIRST_REPLAY.of(of),
                            replayed(runner.firstReplay(variant, of))));
        }
        return found;
    }

    private static List<Finding> timed(JmhCase of, Result result) {
        double updates = result.sum("updates");
        return List.of(
                Finding.of(MicroQuantity.NANOS.of(of), result.mean()),
                Finding.of(MicroQuantity.CPU_NANOS.of(of), result.sum("taskCpuNanos") / updates),
                Finding.of(MicroQuantity.TASK_BYTES.of(of), result.sum("taskBytes") / updates),
                Finding.of(MicroQuantity.ALL_BYTES.of(of), result.allocated()));
    }

    private static List<Finding> logged(JmhCase of, Result result) {
        double updates = result.sum("updates");
        return List.of(
                Finding.of(MicroQuantity.LOG_BYTES.of(of), result.sum("logBytes") / updates),
                Finding.of(MicroQuantity.REPLAY.of(of), replayed(result)),
                Finding.of(
                        MicroQuantity.REPLAY_BY_CPU.of(of),
                        updates * 1e9 / result.sum("cpuNanos")));
    }

    /** Updates per second. */
    private static double replayed(Result result) {
        return result.sum("updates") / result.shots() / (result.median() / 1000);
    }

    /** All of one quantity together, so that they can be read down the table. */
    private static List<Finding> sorted(List<Finding> findings) {
        return findings.stream()
                .sorted((one, other) -> Integer.compare(place(one), place(other)))
                .collect(Collectors.toList());
    }

    private static int place(Finding finding) {
        for (MicroQuantity quantity : MicroQuantity.values()) {
            if (quantity.isOf(finding.quantity())) {
                return quantity.ordinal();
            }
        }
        throw new IllegalStateException(finding.quantity().key() + " is in no table");
    }

    private List<JmhCase> casesOf(MicroQuantity quantity) {
        if (quantity == MicroQuantity.FIRST_REPLAY) {
            return started;
        }
        return quantity.isOfLog() ? logged : timed;
    }

    private MicroReport report(Map<Variant, Column> columns) throws IOException {
        List<Column> all = List.copyOf(columns.values());
        List<BarChart> charts = new ArrayList<>();
        for (MicroQuantity quantity : MicroQuantity.values()) {
            BarChart chart = new BarChart(quantity.title, all);
            for (JmhCase of : casesOf(quantity)) {
                Quantity row = quantity.of(of);
                chart.add(Quantity.of(quantity.rowTitle(of), row.key(), quantity.format));
            }
            charts.add(chart);
        }
        return new MicroReport(plan.conditions(), runner.loaded(), all, charts);
    }

    /** What the micro benchmark finds of a case. In the order of the table. */
    enum MicroQuantity {
        NANOS("ns/op", "nanos", "%.0f"),
        CPU_NANOS("CPU of the task's thread, ns/op", "taskCpuNanos", "%.0f"),
        TASK_BYTES("allocated by the task's thread, B/op", "taskBytes", "%.0f"),
        ALL_BYTES("allocated by all threads, B/op", "allBytes", "%.0f"),
        LOG_BYTES("log, B/op", "logBytes", "%.1f"),
        REPLAY("replay, updates/s", "replayedUpdates", "%.0f"),
        REPLAY_BY_CPU("replay, updates per second of CPU", "replayedUpdatesByCpu", "%.0f"),
        FIRST_REPLAY("first replay of a JVM, updates/s", "firstReplayedUpdates", "%.0f");

        final String title;
        private final String key;
        final String format;

        MicroQuantity(String title, String key, String format) {
            this.title = title;
            this.key = key;
            this.format = format;
        }

        /** Of a log of a number of updates, as against single updates. */
        boolean isOfLog() {
            return compareTo(LOG_BYTES) >= 0;
        }

        Quantity of(JmhCase of) {
            return Quantity.of(rowTitle(of) + ": " + title, of.key() + "." + key, format);
        }

        boolean isOf(Quantity quantity) {
            return quantity.key().endsWith("." + key);
        }

        /** Where the heading says the rest. */
        String rowTitle(JmhCase of) {
            return of.subject() + (isOfLog() ? " (" + of.circumstances() + ")" : of.exception());
        }
    }

    /** The figures of the micro benchmark so far. */
    public static final class MicroReport implements ResultFiles.Report {
        private final Map<String, String> conditions;
        private final Map<String, Map<String, String>> loaded;
        private final Comparison comparison;
        private final List<BarChart> charts;

        /**
         * @param loaded which classes did the work, by variant and role
         */
        MicroReport(
                Map<String, String> conditions,
                Map<String, Map<String, String>> loaded,
                List<Column> columns,
                List<BarChart> charts) {
            this.conditions = conditions;
            this.loaded = new LinkedHashMap<>(loaded);
            this.comparison = Comparison.ofVariants(conditions, columns);
            this.charts = new ArrayList<>(charts);
        }

        @Override
        public String markdown() {
            return comparison.markdown();
        }

        @Override
        public void write(ResultFiles files) throws IOException {
            Map<String, Object> json = new LinkedHashMap<>(comparison.json());
            json.put("loaded", loaded);
            files.write(markdown(), json);
            files.writePage(
                    BarChart.page("Micro benchmark: off, stock and dstl", conditions, charts));
        }
    }
}
