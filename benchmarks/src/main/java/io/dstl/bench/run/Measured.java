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

import io.dstl.bench.report.Samples;
import io.dstl.bench.run.Phase.Unfinished;
import io.dstl.bench.run.Tally.Folder;
import io.dstl.harness.proxy.RequestJournal.RequestKind;
import io.dstl.harness.proxy.RequestJournal.ServedRequest;
import io.dstl.harness.proxy.RequestJournal.Span;
import io.dstl.harness.rest.CheckpointStatistics;
import io.dstl.harness.rest.CheckpointStatistics.CheckpointParts;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** The figures of an undisturbed stretch of a run. */
final class Measured {
    private final Span span;
    private final List<CompletedCheckpoint> checkpoints;
    private final Sample before;
    private final Sample after;
    private final Tally requests;
    private List<CheckpointParts> parts = List.of();
    private double[] completionsMillis = {};

    /**
     * @param before at the start
     * @param after at the end
     * @param checkpoints all that the job has completed; those triggered in between count
     * @param requests that arrived in between
     */
    static Measured between(
            Sample before, Sample after, List<CompletedCheckpoint> checkpoints, Tally requests)
            throws Unfinished {
        Measured measured = new Measured(before, after, checkpoints, requests);
        if (measured.checkpoints.isEmpty()) {
            String time = measured.span.length().toSeconds() + " s";
            throw new Unfinished(
                    "no checkpoint in " + time, "no checkpoint was completed in " + time);
        }
        return measured;
    }

    private Measured(
            Sample before, Sample after, List<CompletedCheckpoint> checkpoints, Tally requests) {
        this.span = Span.between(before.at, after.at);
        this.before = before;
        this.after = after;
        this.checkpoints =
                checkpoints.stream()
                        .filter(one -> span.contains(one.triggered))
                        .collect(Collectors.toList());
        this.requests = requests;
    }

    /** Those that were triggered in the measured time. */
    List<CompletedCheckpoint> checkpoints() {
        return checkpoints;
    }

    int completed() {
        return checkpoints.size();
    }

    int failed() {
        return after.checkpoints.failed - before.checkpoints.failed;
    }

    int restarts() {
        return after.checkpoints.restored - before.checkpoints.restored;
    }

    Tally requests() {
        return requests;
    }

    double perCheckpoint(int count) {
        return (double) count / completed();
    }

    /** End to end, in milliseconds, each of them. */
    double[] durationsMillis() {
        return checkpoints.stream().mapToDouble(one -> one.duration.toMillis()).toArray();
    }

    /** End to end, in milliseconds: the smallest that so great a share do not exceed. */
    double durationMillis(double share) {
        return quantile(share, one -> one.duration.toMillis());
    }

    /** Of everything that a checkpoint refers to, in bytes. */
    double fullSize(double share) {
        return quantile(share, one -> one.fullSize);
    }

    /** Of what a checkpoint added, in bytes. */
    double checkpointedSize(double share) {
        return quantile(share, one -> one.checkpointedSize);
    }

    double recordsPerSecond() {
        return (after.records - before.records) / seconds(span.length());
    }

    /** 0 where there were no records. */
    double perRecord(double amount) {
        long records = after.records - before.records;
        return records == 0 ? 0 : amount / records;
    }

    /** Seconds of CPU that the TaskManager used for a million records. */
    double cpuPerMillionRecords() {
        return perRecord(seconds(after.cpu.minus(before.cpu)) * 1e6);
    }

    /** Seconds of CPU that the TaskManager used per second. */
    double cpu() {
        return seconds(after.cpu.minus(before.cpu)) / seconds(span.length());
    }

    /** Adds when the checkpoints were complete. */
    Measured with(CompletionLog log) {
        completionsMillis = log.millis(checkpoints.stream().mapToLong(one -> one.id).toArray());
        return this;
    }

    /** From the trigger until the sinks may commit: with the metadata written. */
    double completionMillis(double share) {
        return Samples.quantile(completionsMillis, share);
    }

    /** Adds what Flink itself says of where the durations come from. */
    Measured with(List<CheckpointParts> known) {
        parts = List.copyOf(known);
        return this;
    }

    /**
     * A percentile of a part, in milliseconds; 0 where it is not known.
     *
     * @param share 0.5 for the median
     */
    double partMillis(Function<CheckpointParts, Duration> part, double share) {
        double[] millis = parts.stream().mapToDouble(one -> part.apply(one).toMillis()).toArray();
        return millis.length == 0 ? 0 : Samples.quantile(millis, share);
    }

    /** Where the durations come from. */
    Stretches stretches() {
        return Stretches.of(checkpoints, requests.in(Folder.LOG));
    }

    private double quantile(double share, ToDoubleFunction<CompletedCheckpoint> figure) {
        return Samples.quantile(checkpoints.stream().mapToDouble(figure).toArray(), share);
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }

    /** What is known of a running job at one moment. */
    static final class Sample {
        final Instant at;
        final CheckpointStatistics checkpoints;
        final long records;
        final Duration cpu;

        /**
         * @param records that the tasks with the state have read since they were last started
         * @param cpu that the TaskManager has used since it was started
         */
        Sample(Instant at, CheckpointStatistics checkpoints, long records, Duration cpu) {
            this.at = at;
            this.checkpoints = checkpoints;
            this.records = records;
            this.cpu = cpu;
        }
    }

    /**
     * What a checkpoint's duration consists of, as seen from the log: the medians, in milliseconds,
     * of three stretches one after the other. All are 0 where no checkpoint put anything into the
     * log.
     */
    static final class Stretches {
        private final List<Long> toFirstRequest = new ArrayList<>();
        private final List<Long> toLastPut = new ArrayList<>();
        private final List<Long> toAcknowledgement = new ArrayList<>();

        private Stretches() {}

        /**
         * Counts the requests that came between a checkpoint's trigger and its last
         * acknowledgement; a checkpoint without a put among them is left out.
         */
        static Stretches of(List<CompletedCheckpoint> checkpoints, Tally log) {
            Stretches stretches = new Stretches();
            for (CompletedCheckpoint checkpoint : checkpoints) {
                Span span = new Span(checkpoint.triggered, checkpoint.duration);
                stretches.add(
                        span,
                        log.requests().stream()
                                .filter(request -> request.kind != RequestKind.DELETE)
                                .filter(request -> span.contains(request.arrived()))
                                .collect(Collectors.toList()));
            }
            return stretches;
        }

        double toFirstRequest() {
            return median(toFirstRequest);
        }

        double toLastPut() {
            return median(toLastPut);
        }

        double toAcknowledgement() {
            return median(toAcknowledgement);
        }

        private void add(Span checkpoint, List<ServedRequest> requests) {
            Instant lastPut =
                    requests.stream()
                            .filter(request -> request.kind == RequestKind.PUT)
                            .map(request -> request.arrived().plus(request.took()))
                            .max(Instant::compareTo)
                            .orElse(null);
            if (lastPut == null) {
                return;
            }
            Instant first = requests.get(0).arrived();
            toFirstRequest.add(Duration.between(checkpoint.start(), first).toMillis());
            toLastPut.add(Duration.between(first, lastPut).toMillis());
            toAcknowledgement.add(Duration.between(lastPut, checkpoint.end()).toMillis());
        }

        private static double median(List<Long> values) {
            List<Long> sorted = new ArrayList<>(values);
            Collections.sort(sorted);
            return sorted.isEmpty() ? 0 : sorted.get((sorted.size() - 1) / 2);
        }
    }
}
