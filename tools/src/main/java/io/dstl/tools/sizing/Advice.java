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

import java.util.List;
import java.util.Locale;

/** The settings that a sizing takes, each with its reason in the figures of the job. */
final class Advice {
    private static final String OF_LOG = "state.changelog.dstl.dfs.";
    private static final String OF_MATERIALIZATION = "state.changelog.materialize.";

    /**
     * By docs/scale.md the first 16 threads of a JobManager took 19 to 56 s for 10,000 segments.
     */
    private static final double SAFE_DELETES_PER_SECOND = 200;

    private final Workload workload;
    private final Tuning tuning;
    private final Sizing sizing;

    private Advice(Workload workload, Tuning tuning, Sizing sizing) {
        this.workload = workload;
        this.tuning = tuning;
        this.sizing = sizing;
    }

    static List<Setting> of(Workload workload, Tuning tuning, Sizing sizing) {
        Advice advice = new Advice(workload, tuning, sizing);
        return List.of(
                advice.interval(),
                advice.period(),
                advice.factor(),
                advice.minimum(),
                advice.target(),
                advice.threshold(),
                advice.batch(),
                advice.inFlight(),
                advice.hedges());
    }

    private Setting interval() {
        return new Setting(
                "execution.checkpointing.interval",
                Amount.configured(workload.interval()),
                text(
                                "a checkpoint takes %s PUTs of a TaskManager; a longer interval saves"
                                        + " those that are not ahead of it",
                                Amount.number(sizing.putsPerSecond() * workload.intervalSeconds()))
                        + (sizing.setsAhead() == 0 ? deletions("a longer interval") : ""));
    }

    private Setting period() {
        String each = Amount.time(sizing.secondsBetweenMaterializations());
        return new Setting(
                "state.changelog.periodic-materialize.interval",
                Amount.configured(tuning.period),
                periodReason(each));
    }

    private String periodReason(String each) {
        switch (sizing.trigger()) {
            case PERIOD:
                return "it decides; half of it halves log and replay, for twice the uploads";
            case TURN:
                return text(
                        "a task has its turn each %s, as %d of the %d of a TaskManager materialize"
                                + " at a time: more cores, quicker uploads or fewer tasks shorten"
                                + " that",
                        each, tuning.turns(), workload.tasksOfTaskManager());
            default:
                return text("rarely reached: a task materializes each %s", each);
        }
    }

    private Setting factor() {
        return new Setting(
                OF_MATERIALIZATION + "log-size.factor",
                Amount.number(tuning.logSizeFactor),
                factorReason());
    }

    private String factorReason() {
        if (tuning.logSizeFactor == 0) {
            return "off";
        }
        if (workload.stateBytesOfTask().isEmpty()) {
            return "not counted: give --state-bytes or --distinct-keys";
        }
        switch (sizing.trigger()) {
            case LOG_SIZE:
                return text("it decides: a log of %s is due", Amount.bytes(sizing.limitBytes()));
            case PAUSE:
                return text(
                        "the log grows beyond %s in the pause after a materialization: quicker"
                                + " uploads or more tasks make it shorter, this does not",
                        Amount.bytes(sizing.limitBytes()));
            case TURN:
                return "its tasks wait for their turns, so without effect";
            case PERIOD:
                return "not reached in a period";
            case RECOVERY_TARGET:
                return "the recovery target is reached before it";
        }
        throw new AssertionError(sizing.trigger());
    }

    private Setting minimum() {
        return new Setting(
                OF_MATERIALIZATION + "log-size.min",
                Amount.configured(tuning.logSizeMin),
                sizing.limitBytes() == tuning.logSizeMin
                        ? "the limit of a task, as its state is small"
                        : "below the limit of a task, so without effect");
    }

    private Setting target() {
        boolean needed = sizing.trigger() == Sizing.Trigger.RECOVERY_TARGET;
        String replay = Amount.time(sizing.replaySeconds());
        return new Setting(
                OF_MATERIALIZATION + "recovery-target",
                needed ? Amount.configured(tuning.recoveryTarget) : "0 s",
                needed
                        ? text("it decides; a replay then takes %s, uploads included", replay)
                        : text("a replay takes %s at most without one", replay));
    }

    private Setting threshold() {
        return new Setting(
                OF_LOG + "preemptive-persist-threshold",
                Amount.configured(tuning.preemptiveThreshold),
                sizing.setsAhead() == 0
                        ? text(
                                "a task gathers %s between two checkpoints, so nothing is stored"
                                        + " ahead",
                                Amount.bytes(sizing.recordedPerCheckpoint()))
                        : text(
                                        "each task stores %.0f sets ahead of a checkpoint, which is left with"
                                                + " %s",
                                        sizing.setsAhead(), Amount.bytes(sizing.lastSetBytes()))
                                + deletions("raise this and batch.persist-size-threshold"));
    }

    private String deletions(String remedy) {
        double perSecond = sizing.ofJob(Sizing::segmentsPerSecond);
        return perSecond <= SAFE_DELETES_PER_SECOND
                ? ""
                : text(
                        "; the JobManager then deletes %s segments a second, and may not keep up: %s",
                        Amount.number(perSecond), remedy);
    }

    private Setting batch() {
        return new Setting(
                OF_LOG + "batch.persist-size-threshold",
                Amount.configured(tuning.batchSize),
                text(
                        "at a checkpoint %d of the %d tasks of a TaskManager share a segment",
                        sizing.tasksPerSegment(), workload.tasksOfTaskManager()));
    }

    private Setting inFlight() {
        return new Setting(
                OF_LOG + "upload.max-in-flight",
                Amount.configured(sizing.maxInFlightBytes()),
                "takes 10 s of changes or more while the store does not answer");
    }

    private Setting hedges() {
        return new Setting(
                OF_LOG + "upload.hedge.max-share",
                Amount.number(tuning.hedgeShare),
                "so many more PUTs, for checkpoints that do not wait for the slowest one");
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** A key, its value as Flink's configuration takes it, and why it is that. */
    static final class Setting {
        final String key;
        final String value;
        final String reason;

        private Setting(String key, String value, String reason) {
            this.key = key;
            this.value = value;
            this.reason = reason;
        }
    }
}
