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

import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The formulas, which docs/operations.md states in the section "Sizing", by the same letters. They
 * take tasks to be alike and load to be steady.
 *
 * <p>Owns no unit but bytes, seconds, and what is counted. Immutable; any thread.
 */
final class Sizing {
    /** A task is due at a random share of its limit, from 0.8 to 1. */
    private static final double MEAN_SHARE_OF_LIMIT = 0.9;

    /** Heap of a change until it is stored, beside its bytes: position, parts, order. */
    private static final int HEAP_BYTES_PER_CHANGE = 24;

    /** For so long a TaskManager takes changes while the store answers nothing. */
    private static final double OUTAGE_SECONDS = 10;

    private static final long IN_FLIGHT_STEP = 100L << 20;

    /**
     * What a restore reads of the end of a segment, to have the index: of a small one all of it.
     */
    private static final int INDEX_READ_BYTES = 1 << 20;

    /** In a checkpoint's metadata: mostly the path of its segment. Of docs/benchmarks.md, scale. */
    private static final int METADATA_BYTES_OF_SET = 126;

    private final Workload workload;
    private final Tuning tuning;
    private final int tasksOfTaskManager;

    /** What is of a TaskManager is then of the one that has most tasks. */
    Sizing(Workload workload, Tuning tuning) {
        this(workload, tuning, workload.tasksOfTaskManager());
    }

    private Sizing(Workload workload, Tuning tuning, int tasksOfTaskManager) {
        this.workload = workload;
        this.tuning = tuning;
        this.tasksOfTaskManager = tasksOfTaskManager;
    }

    /** The sum over all TaskManagers, of which some may have a task more than the others. */
    double ofJob(ToDoubleFunction<Sizing> ofTaskManager) {
        int managers = workload.taskManagers();
        int fewest = workload.tasks() / managers;
        int withMore = workload.tasks() % managers;
        return withMore * ofTaskManager.applyAsDouble(new Sizing(workload, tuning, fewest + 1))
                + (managers - withMore)
                        * ofTaskManager.applyAsDouble(new Sizing(workload, tuning, fewest));
    }

    /** What makes a task materialize. */
    enum Trigger {
        PERIOD,
        LOG_SIZE,
        RECOVERY_TARGET,
        /** The log outgrows its limit in the pause that is kept after each materialization. */
        PAUSE,
        /** Its turn comes: more tasks are due than may materialize at a time. */
        TURN
    }

    // ---------------------------------------------------------------- what is logged

    /** Recorded by a task from one checkpoint to the next, in bytes: c. */
    double recordedPerCheckpoint() {
        return workload.rateOfTask() * workload.intervalSeconds() * workload.changeBytes();
    }

    /** Change sets that a task stores ahead of each checkpoint. */
    double setsAhead() {
        return Math.floor(recordedPerCheckpoint() / tuning.preemptiveThreshold);
    }

    /** What the checkpoint itself has to store of a task, in bytes. */
    double lastSetBytes() {
        return recordedPerCheckpoint() - setsAhead() * tuning.preemptiveThreshold;
    }

    /**
     * Share of the changes that is stored. Of n changes to D keys at random D (1 - e^(-n/D)) are
     * the last of their key.
     */
    double storedShare() {
        Optional<Double> keys = workload.keysOfTask();
        if (keys.isEmpty()) {
            return 1;
        }
        double setBytes = Math.min(recordedPerCheckpoint(), tuning.preemptiveThreshold);
        double perKey = setBytes / workload.changeBytes() / keys.get();
        return -Math.expm1(-perKey) / perKey;
    }

    /** Of a task, in the log: r. */
    double bytesPerSecondOfTask() {
        return changesPerSecondOfTask() * workload.changeBytes();
    }

    double changesPerSecondOfTask() {
        return workload.rateOfTask() * storedShare();
    }

    // ---------------------------------------------------------------- requests

    /** Tasks whose last change sets go into one segment. */
    long tasksPerSegment() {
        double fill = Math.ceil(tuning.batchSize / Math.max(1, lastSetBytes()));
        return (long) Math.max(1, Math.min(fill, tasksOfTaskManager));
    }

    /** Stored by a TaskManager per second. */
    double segmentsPerSecond() {
        return (sharedSegments() + segmentsAhead()) / workload.intervalSeconds();
    }

    /** Of a TaskManager, for each checkpoint. */
    private double sharedSegments() {
        return Math.ceil(tasksOfTaskManager / (double) tasksPerSegment());
    }

    private double segmentsAhead() {
        return tasksOfTaskManager * setsAhead();
    }

    /** Of a TaskManager per second, hedges included. */
    double putsPerSecond() {
        return segmentsPerSecond() * (1 + tuning.hedgeShare);
    }

    /**
     * Of a TaskManager in a restore of the longest log, if its tasks were together before: then
     * they share its segments.
     */
    double restoreGets() {
        return restoreGets(sharedSegments());
    }

    /** The same if each of its tasks comes from another TaskManager. */
    double restoreGetsOfMovedTasks() {
        return restoreGets(tasksOfTaskManager);
    }

    private double restoreGets(double readShared) {
        double perCheckpoint =
                readShared * getsOf(tasksPerSegment() * lastSetBytes())
                        + segmentsAhead() * getsOf(tuning.preemptiveThreshold);
        return perCheckpoint / workload.intervalSeconds() * longestLogSeconds();
    }

    /** Of a large segment the end, with the index, and then the rest. */
    private int getsOf(double recordedBytes) {
        return recordedBytes * storedShare() > INDEX_READ_BYTES ? 2 : 1;
    }

    // ---------------------------------------------------------------- log and replay

    /** Bytes of log at which a task is due: L. Infinite if only the period counts. */
    double limitBytes() {
        return Math.min(sizeLimitBytes(), targetLimitBytes());
    }

    private double sizeLimitBytes() {
        Optional<Double> state = workload.stateBytesOfTask();
        return state.isEmpty() || tuning.logSizeFactor == 0
                ? Double.POSITIVE_INFINITY
                : Math.max(tuning.logSizeMin, tuning.logSizeFactor * state.get());
    }

    private double targetLimitBytes() {
        return tuning.recoveryTarget == null
                ? Double.POSITIVE_INFINITY
                : Math.max(
                        tuning.logSizeMin,
                        tuning.recoveryTarget.toMillis() / 1000.0 / replaySeconds(1));
    }

    /** From one begin to the next at the least: twice C or three times U, after the last end. */
    private double pauseSeconds() {
        double materialization = tuning.materializationSeconds();
        return Math.max(2 * workload.intervalSeconds(), 3 * materialization) + materialization;
    }

    /** From one begin to the next, if each task of the TaskManager has its turn in between. */
    private double turnSeconds() {
        return Math.ceil(tasksOfTaskManager / (double) tuning.turns())
                * tuning.materializationSeconds();
    }

    Trigger trigger() {
        double byLimit = dueSeconds(1);
        if (turnSeconds() > unlessInTurn(1)) {
            return Trigger.TURN;
        }
        if (tuning.periodSeconds() + tuning.materializationSeconds()
                <= Math.max(byLimit, pauseSeconds())) {
            return Trigger.PERIOD;
        }
        if (byLimit < pauseSeconds()) {
            return Trigger.PAUSE;
        }
        return targetLimitBytes() < sizeLimitBytes() ? Trigger.RECOVERY_TARGET : Trigger.LOG_SIZE;
    }

    /** From the begin of a materialization to that of the next, on average: G. */
    double secondsBetweenMaterializations() {
        return gap(MEAN_SHARE_OF_LIMIT);
    }

    private double gap(double shareOfLimit) {
        return Math.max(turnSeconds(), unlessInTurn(shareOfLimit));
    }

    private double unlessInTurn(double shareOfLimit) {
        return Math.min(
                tuning.periodSeconds() + tuning.materializationSeconds(),
                Math.max(dueSeconds(shareOfLimit), pauseSeconds()));
    }

    /**
     * Until the log is going to have a share of its limit at the end of a materialization, or has
     * half of that.
     */
    private double dueSeconds(double shareOfLimit) {
        double seconds = shareOfLimit * limitBytes() / bytesPerSecondOfTask();
        return Math.max(seconds - tuning.materializationSeconds(), seconds / 2);
    }

    /**
     * What the log at its longest covers, in seconds: up to the begin of a materialization, its
     * upload, and two checkpoints, one to confirm it and one to subsume the last without it.
     */
    double longestLogSeconds() {
        return gap(1) + secondsUntilTruncated();
    }

    private double secondsUntilTruncated() {
        return tuning.materializationSeconds() + 2 * workload.intervalSeconds();
    }

    /** Of a task, at its longest. */
    double longestLogBytes() {
        return bytesPerSecondOfTask() * longestLogSeconds();
    }

    /** What that log of a task adds to the metadata of each checkpoint. */
    double logMetadataBytes() {
        return (setsAhead() + 1)
                * METADATA_BYTES_OF_SET
                / workload.intervalSeconds()
                * longestLogSeconds();
    }

    /**
     * Of a TaskManager, on average. A segment stays until the last of the tasks that share it has
     * materialized: of w tasks at random moments of G that takes w / (w + 1) of it.
     */
    double meanLogBytes() {
        double sharing = tasksPerSegment();
        return tasksOfTaskManager
                * bytesPerSecondOfTask()
                * (gap(MEAN_SHARE_OF_LIMIT) * sharing / (sharing + 1) + secondsUntilTruncated());
    }

    /** Of the longest log of a task, on a core of its own. */
    double replaySeconds() {
        return replaySeconds(longestLogBytes());
    }

    /**
     * @param bytes of log: each change is applied, and each byte fetched and decoded
     */
    double replaySeconds(double bytes) {
        return tuning.replay.seconds(bytes / workload.changeBytes(), bytes);
    }

    // ---------------------------------------------------------------- heap

    /** For changes of a TaskManager that are not stored yet. */
    long maxInFlightBytes() {
        double needed =
                OUTAGE_SECONDS
                        * tasksOfTaskManager
                        * workload.rateOfTask()
                        * (workload.changeBytes() + HEAP_BYTES_PER_CHANGE);
        return (long) Math.max(1, Math.ceil(needed / IN_FLIGHT_STEP)) * IN_FLIGHT_STEP;
    }

    /**
     * Of a TaskManager in an outage, at most: open change sets, what is in flight at the hard
     * limit, what comes in at once as that is reached, what is kept for the next burst, what
     * requests hold that lost against another of their segment, and one encoded copy of what is
     * put.
     */
    double heapBytes() {
        double open = tasksOfTaskManager * (double) tuning.preemptiveThreshold * heapPerByte();
        double soft = maxInFlightBytes();
        double hard = 2 * soft;
        return 2 * open + hard + soft / 4 + soft / 4 + hard / heapPerByte();
    }

    private double heapPerByte() {
        return (workload.changeBytes() + HEAP_BYTES_PER_CHANGE) / workload.changeBytes();
    }
}
