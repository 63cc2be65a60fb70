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
import io.dstl.bench.run.KillPhase.Recovery;
import io.dstl.bench.run.Phase.Unfinished;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The TaskManager is killed again and again, each time when the {@link OldestLog} is due. */
final class RecoveryPhase implements Phase {
    /** By default Flink waits longer before each restart. */
    static final Map<String, String> CLUSTER_SETTINGS =
            Map.of(
                    "restart-strategy.type", "fixed-delay",
                    "restart-strategy.fixed-delay.attempts", "1000",
                    "restart-strategy.fixed-delay.delay", "1 s");

    private static final double PERCENT = 100;

    private static final Quantity KILLS = Quantity.of("Kills", "recovery.kills", "%.0f");
    private static final Quantity INITIALIZING =
            Quantity.of(
                    "Longest INITIALIZING of a task, ms", "recovery.initializingMillis", "%.0f");
    private static final Quantity NEXT_CHECKPOINT =
            Quantity.of(
                    "Kill to the end of the next checkpoint, ms",
                    "recovery.nextCheckpointMillis",
                    "%.0f");
    private static final Quantity AGAIN =
            Quantity.of(
                    "Killed again after that checkpoint: longest INITIALIZING of a task, ms",
                    "recovery.againMillis",
                    "%.0f");
    private static final Quantity LOG =
            Quantity.of("Log at the kill, all tasks, MB", "recovery.logMegabytes", "%.2f");
    private static final Quantity LARGEST =
            Quantity.of("of that the task with most, MB", "recovery.largestLogMegabytes", "%.2f");
    private static final Quantity AGE =
            Quantity.of(
                    "of that, % of the most that a task had in the run",
                    "recovery.logPercent", "%.0f");
    private static final Quantity OLDEST =
            Quantity.of(
                    String.format(
                            Locale.ROOT,
                            "Kills with %.0f%% of it or more",
                            PERCENT * OldestLog.SHARE),
                    "recovery.oldestKills",
                    "%.0f");
    private static final Quantity FULL =
            Quantity.of("Full size at the kill, MB", "recovery.fullMegabytes", "%.1f");
    private static final Quantity CHANGES =
            Quantity.of("Changes replayed, all tasks", "recovery.changes", "%.0f");
    private static final Quantity WHOLE =
            Quantity.of(
                    "Begin of INITIALIZING to the end of the last task's replay, ms",
                    "recovery.wholeMillis",
                    "%.0f");
    private static final Quantity REPLAY =
            Quantity.of(
                    "Fetch and replay of its log, the task with the longest, mostly beside the base, ms",
                    "recovery.replayMillis",
                    "%.0f");
    private static final Quantity RATE =
            Quantity.of(
                    "Changes a second in that time, the task with most changes",
                    "recovery.changesPerSecond",
                    "%.0f");

    private static final String LOG_SIZE = "lastFullSizeOfNonMaterialization";
    private static final String MATERIALIZATIONS = "completedMaterialization";
    private static final double MEGABYTE = 1e6;
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    private final Variant variant;
    private final int kills;
    private final boolean again;
    private final Duration warmUp;
    private final Duration period;
    private final Map<Quantity, List<Double>> samples = new LinkedHashMap<>();
    private Optional<Instant> materialized = Optional.empty();

    /**
     * @param again whether each kill is followed by another one
     * @param warmUp before all else
     * @param period the longest from one materialization of a task to the next
     */
    RecoveryPhase(Variant variant, int kills, boolean again, Duration warmUp, Duration period) {
        this.variant = variant;
        this.kills = kills;
        this.again = again;
        this.warmUp = warmUp;
        this.period = period;
        List.of(
                        INITIALIZING,
                        NEXT_CHECKPOINT,
                        LOG,
                        LARGEST,
                        AGE,
                        FULL,
                        CHANGES,
                        WHOLE,
                        REPLAY,
                        RATE)
                .forEach(quantity -> samples.put(quantity, new ArrayList<>()));
        if (again) {
            samples.put(AGAIN, new ArrayList<>());
        }
    }

    /** What is measured, for the reader of the report. */
    static String describe(int kills, boolean again, Duration warmUp, String periodSeconds) {
        return String.format(
                Locale.ROOT,
                "%d kills of each run after %d s of warm-up, each when the job was at work for"
                        + " %s s, all tasks had materialized, and the log of a task had %.0f%%"
                        + " of the most that one had in the run, or twice that time later%s",
                kills,
                warmUp.toSeconds(),
                periodSeconds,
                PERCENT * OldestLog.SHARE,
                again ? "; another kill after the next checkpoint" : "");
    }

    @Override
    public String title() {
        return "recovery";
    }

    @Override
    public List<Quantity> quantities() {
        List<Quantity> all = new ArrayList<>(List.of(KILLS, OLDEST));
        all.addAll(samples.keySet());
        return all;
    }

    /**
     * What the kills found that the job came back from counts even when it fails at a later one.
     */
    @Override
    public List<Finding> of(BenchJob job) throws Unfinished, IOException, InterruptedException {
        job.runFor("warm-up", warmUp);
        OldestLog oldest = new OldestLog(period);
        oldest.backAtWork(job.now());
        int survived = 0;
        while (survived < kills) {
            try {
                awaitDue(job, oldest);
                take(Recovery.ofKill(job), job);
                if (again) {
                    takeAgain(Recovery.ofKill(job), job);
                }
                oldest.backAtWork(job.now());
                survived++;
            } catch (Unfinished e) {
                if (survived == 0) {
                    throw e;
                }
                job.say("kill " + (survived + 1) + " of " + kills + ": " + e.getMessage());
                return findings(survived);
            }
        }
        return findings(survived);
    }

    private void awaitDue(BenchJob job, OldestLog oldest)
            throws Unfinished, IOException, InterruptedException {
        double[] largest = new double[1];
        materialized = Optional.empty();
        job.runUntil(
                "the oldest log",
                OldestLog.longest(period).plus(period.multipliedBy(2)),
                BETWEEN_LOOKS,
                now -> {
                    largest[0] = job.largest(LOG_SIZE).orElse(0);
                    return oldest.isDue(now, largest[0], materialized(job, now));
                });
        double most = oldest.most();
        samples.get(LOG).add(job.total(LOG_SIZE) / MEGABYTE);
        samples.get(LARGEST).add(largest[0] / MEGABYTE);
        samples.get(AGE).add(most == 0 ? 0 : PERCENT * largest[0] / most);
        samples.get(FULL)
                .add(job.checkpoints().latest.map(one -> one.fullSize).orElse(0L) / MEGABYTE);
    }

    /** Until a checkpoint was triggered after it, the log's size is that of before. */
    private boolean materialized(BenchJob job, Instant now)
            throws IOException, InterruptedException {
        if (!variant.changelog()) {
            return true;
        }
        if (materialized.isEmpty()) {
            if (job.smallest(MATERIALIZATIONS).orElse(0) >= 1) {
                materialized = Optional.of(now);
            }
            return false;
        }
        return job.checkpoints()
                .latest
                .filter(latest -> !latest.triggered.isBefore(materialized.orElseThrow()))
                .isPresent();
    }

    private void take(Recovery recovery, BenchJob job) throws IOException {
        samples.get(INITIALIZING).add((double) recovery.initializing.toMillis());
        samples.get(NEXT_CHECKPOINT).add((double) recovery.toNextCheckpoint.toMillis());
        ReplayLines replayed = ReplayLines.of(job.taskManagerLog());
        if (replayed.found) {
            samples.get(CHANGES).add((double) replayed.changes);
            replayed.wholeMillis.ifPresent(each -> samples.get(WHOLE).add((double) each));
            samples.get(REPLAY).add((double) replayed.longestMillis);
            replayed.largestPerSecond.ifPresent(samples.get(RATE)::add);
        }
        List<Double> logs = samples.get(LOG);
        job.say(
                String.format(
                        Locale.ROOT,
                        "kill %d of %d, %.1f MB of log: %s",
                        samples.get(INITIALIZING).size(),
                        kills,
                        logs.get(logs.size() - 1),
                        recovery));
    }

    private void takeAgain(Recovery recovery, BenchJob job) {
        samples.get(AGAIN).add((double) recovery.initializing.toMillis());
        job.say("killed again: " + recovery);
    }

    /** The others came as patience with the log's size ended. */
    private long withTheOldestLog() {
        return samples.get(AGE).stream().filter(age -> age >= PERCENT * OldestLog.SHARE).count();
    }

    /** What nobody tells of is left out: there the table has no figure. */
    private List<Finding> findings(int survived) {
        List<Finding> findings = new ArrayList<>(List.of(Finding.of(KILLS, survived)));
        if (variant.changelog()) {
            findings.add(Finding.of(OLDEST, withTheOldestLog()));
        }
        samples.forEach(
                (quantity, found) -> {
                    if (!found.isEmpty()) {
                        findings.add(
                                Finding.of(
                                        quantity,
                                        found.stream().mapToDouble(Double::doubleValue).toArray()));
                    }
                });
        return findings;
    }
}
