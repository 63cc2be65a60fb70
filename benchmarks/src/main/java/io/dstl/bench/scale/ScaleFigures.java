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
package io.dstl.bench.scale;

import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.run.Tally;
import io.dstl.harness.proxy.RequestJournal.RequestKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** What is looked for at one size, and how it is taken from what was measured. */
final class ScaleFigures {
    static final Quantity COMPLETED =
            Quantity.of("Checkpoints completed", "scale.completed", "%.0f");
    static final Quantity FAILED = Quantity.of("Checkpoints failed", "scale.failed", "%.0f");
    static final Quantity COMPLETION_50 =
            Quantity.of("Trigger to completion p50, ms", "scale.completionMillis.p50", "%.0f");
    static final Quantity COMPLETION_99 =
            Quantity.of("Trigger to completion p99, ms", "scale.completionMillis.p99", "%.0f");
    static final Quantity FINALIZATION =
            Quantity.of(
                    "of that, after the last acknowledgement p50, ms",
                    "scale.finalizationMillis.p50",
                    "%.0f");
    static final Quantity SENDING =
            Quantity.of(
                    "of that, the fleet's own until it has sent all p50, ms",
                    "scale.sendingMillis.p50",
                    "%.0f");
    static final Quantity TRIGGER_50 =
            Quantity.of(
                    "of that, until the first TaskManager is asked p50, ms",
                    "scale.triggerMillis.p50",
                    "%.0f");
    static final Quantity DELAY_50 =
            Quantity.of(
                    "Delay of the last acknowledgement p50, ms", "scale.delayMillis.p50", "%.0f");
    static final Quantity DELAY_99 =
            Quantity.of(
                    "Delay of the last acknowledgement p99, ms", "scale.delayMillis.p99", "%.0f");
    static final Quantity LOCK =
            Quantity.of(
                    "Under the coordinator's lock per checkpoint, ms",
                    "scale.lockMillis.held",
                    "%.1f");
    static final Quantity LOCK_METADATA =
            Quantity.of(
                    "of that, while the metadata are written, ms",
                    "scale.lockMillis.metadata",
                    "%.1f");
    static final Quantity WAITING =
            Quantity.of("Threads that wait for the lock, mean", "scale.lockWaiting", "%.2f");
    static final Quantity HEAP =
            Quantity.of(
                    "JobManager heap after a collection, MB", "scale.heapMegabytes.live", "%.0f");
    static final Quantity HEAP_MAX =
            Quantity.of("JobManager heap, at most, MB", "scale.heapMegabytes.max", "%.0f");
    static final Quantity CPU = Quantity.of("JobManager CPU s/s", "scale.cpu", "%.2f");
    static final Quantity CPU_EACH =
            Quantity.of("JobManager CPU s per checkpoint", "scale.cpuPerCheckpoint", "%.2f");
    static final Quantity ACKNOWLEDGEMENT =
            Quantity.of("One acknowledgement p50, KB", "scale.acknowledgementKilobytes", "%.1f");
    static final Quantity METADATA =
            Quantity.of("_metadata p50, KB", "scale.metadataKilobytes.p50", "%.1f");
    static final Quantity HA =
            Quantity.of("High availability, KB per checkpoint", "scale.haKilobytes", "%.1f");
    static final Quantity NAMED =
            Quantity.of(
                    "TaskManagers: objects per checkpoint, one PUT each",
                    "scale.taskManagerRequests.objects",
                    "%.2f");
    static final Quantity DELETION_SECONDS =
            Quantity.of("Truncation: until all are deleted, s", "scale.truncation.seconds", "%.1f");
    static final Quantity DELETIONS =
            Quantity.of("Truncation: objects deleted per s", "scale.truncation.rate", "%.0f");
    static final Quantity TRUNCATION_TRIGGER_MAX =
            Quantity.of(
                    "Truncation: until the first TaskManager is asked, longest, ms",
                    "scale.truncation.triggerMillis.max",
                    "%.0f");
    static final Quantity TRUNCATION_COMPLETED =
            Quantity.of(
                    "Truncation: checkpoints completed meanwhile",
                    "scale.truncation.completed",
                    "%.0f");
    static final Quantity TRUNCATION_DELAY_50 =
            Quantity.of(
                    "Truncation: delay of the last acknowledgement p50, ms",
                    "scale.truncation.delayMillis.p50",
                    "%.0f");
    static final Quantity TRUNCATION_DELAY_MAX =
            Quantity.of(
                    "Truncation: delay of the last acknowledgement, longest, ms",
                    "scale.truncation.delayMillis.max",
                    "%.0f");
    static final Quantity TRUNCATION_COMPLETION_MAX =
            Quantity.of(
                    "Truncation: trigger to completion, longest, ms",
                    "scale.truncation.completionMillis.max",
                    "%.0f");
    static final Quantity ENTRY_METADATA =
            Quantity.of("_metadata for each object more, B", "scale.entryBytes.metadata", "%.0f");
    static final Quantity ENTRY_HEAP =
            Quantity.of("JobManager heap for each object more, B", "scale.entryBytes.heap", "%.0f");

    private static final double KILOBYTE = 1e3;
    private static final double MEGABYTE = 1e6;
    private static final double MILLIS = 1e3;

    private ScaleFigures() {}

    /** All that a run of that size may find, in the order of the table. */
    static List<Quantity> all(ScaleSize size) {
        List<Quantity> all = new ArrayList<>();
        all.addAll(List.of(COMPLETED, FAILED, COMPLETION_50, COMPLETION_99, FINALIZATION));
        if (size.simulated) {
            all.addAll(List.of(TRIGGER_50, SENDING, DELAY_50, DELAY_99, ACKNOWLEDGEMENT));
        }
        all.addAll(List.of(CPU, CPU_EACH, METADATA, HA));
        for (RequestKind kind : RequestKind.values()) {
            all.add(requests("JobManager", "jobManagerRequests", kind));
        }
        if (size.simulated) {
            all.add(NAMED);
        } else {
            for (RequestKind kind : RequestKind.values()) {
                all.add(requests("TaskManagers", "taskManagerRequests", kind));
            }
        }
        all.addAll(List.of(LOCK, LOCK_METADATA, WAITING, HEAP, HEAP_MAX));
        if (size.simulated) {
            all.addAll(
                    List.of(
                            DELETION_SECONDS,
                            DELETIONS,
                            TRUNCATION_COMPLETED,
                            TRUNCATION_TRIGGER_MAX,
                            TRUNCATION_DELAY_50,
                            TRUNCATION_DELAY_MAX,
                            TRUNCATION_COMPLETION_MAX,
                            ENTRY_METADATA,
                            ENTRY_HEAP));
        }
        return all;
    }

    /** Requests of a kind per checkpoint, and who makes them. */
    static Quantity requests(String who, String key, RequestKind kind) {
        return Quantity.of(
                who + ": " + kind + " per checkpoint", "scale." + key + "." + kind, "%.2f");
    }

    static Quantity ofJobManager(RequestKind kind) {
        return requests("JobManager", "jobManagerRequests", kind);
    }

    /**
     * @param failed checkpoints meanwhile
     * @param cpu that the JobManager has used meanwhile
     */
    static List<Finding> measured(ScaleMeasured measured, int failed, Duration cpu) {
        List<Finding> found = new ArrayList<>();
        found.add(Finding.of(COMPLETED, measured.completed()));
        found.add(Finding.of(FAILED, failed));
        found.add(Finding.of(COMPLETION_50, measured.completionMillis(0.5)));
        found.add(Finding.of(COMPLETION_99, measured.completionMillis(0.99)));
        found.add(Finding.of(FINALIZATION, measured.finalizationMillis(0.5)));
        add(found, TRIGGER_50, measured.triggerMillis(0.5), 1);
        add(found, SENDING, measured.sendingMillis(0.5), 1);
        add(found, DELAY_50, measured.acknowledgementMillis(0.5), 1);
        add(found, DELAY_99, measured.acknowledgementMillis(0.99), 1);
        add(found, ACKNOWLEDGEMENT, measured.acknowledgementBytes(), KILOBYTE);
        found.add(Finding.of(CPU, cpu.toMillis() / (double) measured.span.length().toMillis()));
        found.add(Finding.of(CPU_EACH, measured.perCheckpoint(cpu.toMillis() / MILLIS)));
        found.add(Finding.of(METADATA, measured.metadataBytes() / KILOBYTE));
        found.add(Finding.of(HA, measured.highAvailabilityBytes() / KILOBYTE));
        addRequests(found, "JobManager", "jobManagerRequests", measured, measured.ofJobManager);
        if (measured.objects().isPresent()) {
            add(found, NAMED, measured.objects(), 1);
        } else {
            addRequests(
                    found,
                    "TaskManagers",
                    "taskManagerRequests",
                    measured,
                    measured.ofTaskManagers);
        }
        return found;
    }

    /**
     * @param time of the looks
     * @param completed checkpoints meanwhile
     * @param liveHeap of the JobManager after them, in bytes
     * @param maxHeap that it may have, in bytes
     */
    static List<Finding> lock(
            LockSamples samples, Duration time, int completed, long liveHeap, long maxHeap) {
        double perCheckpoint = (double) time.toMillis() / Math.max(1, completed);
        return List.of(
                Finding.of(LOCK, samples.heldShare() * perCheckpoint),
                Finding.of(LOCK_METADATA, samples.metadataShare() * perCheckpoint),
                Finding.of(WAITING, samples.waiting()),
                Finding.of(HEAP, liveHeap / MEGABYTE),
                Finding.of(HEAP_MAX, maxHeap / MEGABYTE));
    }

    /**
     * @param deleting from the checkpoint that gave the objects up until all were deleted
     * @param metadataEach bytes that each of them took in {@code _metadata}; empty if not known
     * @param heapEach bytes that each of them took in the JobManager's heap
     * @param objects that were given up
     */
    static List<Finding> truncation(
            ScaleMeasured deleting, OptionalDouble metadataEach, double heapEach, int objects) {
        List<Finding> found = new ArrayList<>();
        found.add(Finding.of(DELETION_SECONDS, deleting.span.length().toMillis() / MILLIS));
        found.add(Finding.of(DELETIONS, objects * MILLIS / deleting.span.length().toMillis()));
        found.add(Finding.of(TRUNCATION_COMPLETED, deleting.completed()));
        add(found, TRUNCATION_TRIGGER_MAX, deleting.triggerMillis(1), 1);
        add(found, TRUNCATION_DELAY_50, deleting.acknowledgementMillis(0.5), 1);
        add(found, TRUNCATION_DELAY_MAX, deleting.acknowledgementMillis(1), 1);
        found.add(Finding.of(TRUNCATION_COMPLETION_MAX, deleting.completionMillis(1)));
        add(found, ENTRY_METADATA, metadataEach, 1);
        found.add(Finding.of(ENTRY_HEAP, heapEach));
        return found;
    }

    private static void addRequests(
            List<Finding> to, String who, String key, ScaleMeasured measured, Tally requests) {
        for (RequestKind kind : RequestKind.values()) {
            to.add(
                    Finding.of(
                            requests(who, key, kind),
                            measured.perCheckpoint(requests.count(kind))));
        }
    }

    private static void add(
            List<Finding> to, Quantity quantity, OptionalDouble value, double unit) {
        value.ifPresent(number -> to.add(Finding.of(quantity, number / unit)));
    }
}
