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
package io.dstl.bench.run;

import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.run.Measured.Sample;
import io.dstl.bench.run.Phase.Unfinished;
import io.dstl.bench.run.Tally.Folder;
import io.dstl.harness.proxy.FaultProxy;
import io.dstl.harness.proxy.RequestJournal.RequestKind;
import io.dstl.harness.proxy.RequestJournal.Span;
import io.dstl.harness.rest.CheckpointStatistics.CheckpointParts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Warms the job up, and then measures it undisturbed. */
final class MeasuredPhase implements Phase {
    /** In place of a figure whose counters have begun anew. */
    static final String RESTARTED = "restarted";

    /** The key of what the longest checkpoints take of the task thread. */
    static final String SYNCHRONOUS_P99 = "partMillis.sync.p99";

    private final Timing timing;
    private final FaultProxy proxy;
    private final Duration between;
    private final BenchJob.Look look;

    MeasuredPhase(Timing timing, FaultProxy proxy) {
        this(timing, proxy, timing.measured(), now -> {});
    }

    /**
     * @param look is taken again and again in the measured time
     * @param between two looks
     */
    MeasuredPhase(Timing timing, FaultProxy proxy, Duration between, BenchJob.Look look) {
        this.timing = timing;
        this.proxy = proxy;
        this.between = between;
        this.look = look;
    }

    @Override
    public String title() {
        return "undisturbed";
    }

    @Override
    public List<Quantity> quantities() {
        return MeasuredFigure.all().stream()
                .map(MeasuredFigure::quantity)
                .collect(Collectors.toList());
    }

    @Override
    public List<Finding> of(BenchJob job) throws Unfinished, IOException, InterruptedException {
        job.runFor("warm-up", timing.warmUp());
        Sample before = job.sample();
        job.runFor("measured", timing.measured(), between, look);
        Sample after = job.sample();
        job.awaitTriggeredAfter(after.at);
        Measured measured =
                Measured.between(
                        before,
                        after,
                        job.checkpoints().history,
                        new Tally(proxy.journal().during(Span.between(before.at, after.at))));
        job.say(
                String.format(
                        Locale.ROOT,
                        "%d checkpoints, p50 %.0f ms, p99 %.0f ms, longest %.0f ms",
                        measured.completed(),
                        measured.durationMillis(0.5),
                        measured.durationMillis(0.99),
                        measured.durationMillis(1)));
        measured.with(job.parts(measured.checkpoints()));
        measured.with(CompletionLog.read(job.jobManagerLog()));
        return MeasuredFigure.all().stream()
                .map(figure -> figure.of(measured))
                .collect(Collectors.toList());
    }

    /** A quantity, and how it is taken from what was measured. */
    static final class MeasuredFigure {
        private static final double MEGABYTE = 1e6;

        private final Quantity quantity;
        private final Function<Measured, double[]> samples;
        private final boolean counted;

        /**
         * @param counted by the tasks since they were started: unknown where the job has restarted
         */
        private MeasuredFigure(
                Quantity quantity, Function<Measured, double[]> samples, boolean counted) {
            this.quantity = quantity;
            this.samples = samples;
            this.counted = counted;
        }

        /** All of them, in the order of the table. */
        static List<MeasuredFigure> all() {
            List<MeasuredFigure> rows = new ArrayList<>();
            rows.add(row("Checkpoints completed", "completed", "%.0f", Measured::completed));
            rows.add(row("Checkpoints failed", "failed", "%.0f", Measured::failed));
            rows.add(row("Job restarts", "restarts", "%.0f", Measured::restarts));
            addDurations(rows);
            addStretches(rows);
            addParts(rows);
            addSizes(rows);
            addRequests(rows);
            rows.add(counted("Records/s", "recordsPerSecond", "%.0f", Measured::recordsPerSecond));
            rows.add(row("TaskManager CPU s/s", "taskManagerCpu", "%.2f", Measured::cpu));
            rows.add(
                    counted(
                            "TaskManager CPU s per million records",
                            "taskManagerCpuPerMillionRecords",
                            "%.2f",
                            Measured::cpuPerMillionRecords));
            return rows;
        }

        Quantity quantity() {
            return quantity;
        }

        Finding of(Measured measured) {
            return counted && measured.restarts() > 0
                    ? Finding.none(quantity, RESTARTED)
                    : Finding.of(quantity, samples.apply(measured));
        }

        private static void addDurations(List<MeasuredFigure> rows) {
            rows.add(duration("p50", 0.5));
            rows.add(duration("p90", 0.9));
            rows.add(duration("p99", 0.99));
            rows.add(pooledDuration("p99.9", 0.999));
            rows.add(pooledDuration("max", 1));
            rows.add(completion("p50", 0.5));
            rows.add(completion("p99", 0.99));
        }

        private static void addStretches(List<MeasuredFigure> rows) {
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

        private static void addParts(List<MeasuredFigure> rows) {
            rows.add(part("trigger to first barrier", "startDelay", one -> one.startDelay));
            rows.add(part("to the last barrier", "alignment", one -> one.alignment));
            rows.add(part("in the task thread", "sync", one -> one.sync));
            rows.add(
                    row(
                            "as Flink has it, in the task thread p99, ms",
                            SYNCHRONOUS_P99,
                            "%.0f",
                            measured -> measured.partMillis(one -> one.sync, 0.99)));
            rows.add(part("in the background", "async", one -> one.async));
        }

        private static MeasuredFigure part(
                String title, String key, Function<CheckpointParts, Duration> part) {
            return row(
                    "as Flink has it, " + title + " p50, ms",
                    "partMillis." + key,
                    "%.0f",
                    measured -> measured.partMillis(part, 0.5));
        }

        private static void addSizes(List<MeasuredFigure> rows) {
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

        private static void addRequests(List<MeasuredFigure> rows) {
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
                            "logRequests.repeatedPutPercent",
                            "%.2f",
                            MeasuredFigure::repeatedPercent));
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
                    counted(
                            "Log: B put per record",
                            "logRequests.bytesPutPerRecord",
                            "%.1f",
                            measured ->
                                    measured.perRecord(
                                            measured.requests().in(Folder.LOG).bytesPut())));
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

        private static MeasuredFigure duration(String name, double share) {
            return row(
                    "End to end " + name + ", ms",
                    "durationMillis." + name,
                    "%.0f",
                    measured -> measured.durationMillis(share));
        }

        private static MeasuredFigure completion(String name, double share) {
            return row(
                    "Trigger to completion " + name + ", ms",
                    "completionMillis." + name,
                    "%.0f",
                    measured -> measured.completionMillis(share));
        }

        /** Of the checkpoints of all runs together: one run has too few of them. */
        private static MeasuredFigure pooledDuration(String name, double share) {
            return new MeasuredFigure(
                    Quantity.pooled(
                            "End to end " + name + " of all runs together, ms",
                            "durationMillis." + name,
                            "%.0f",
                            share),
                    Measured::durationsMillis,
                    false);
        }

        private static MeasuredFigure counted(
                String title, String key, String format, ToDoubleFunction<Measured> figure) {
            return new MeasuredFigure(Quantity.of(title, key, format), one(figure), true);
        }

        private static MeasuredFigure row(
                String title, String key, String format, ToDoubleFunction<Measured> figure) {
            return new MeasuredFigure(Quantity.of(title, key, format), one(figure), false);
        }

        private static Function<Measured, double[]> one(ToDoubleFunction<Measured> figure) {
            return measured -> new double[] {figure.applyAsDouble(measured)};
        }
    }
}
