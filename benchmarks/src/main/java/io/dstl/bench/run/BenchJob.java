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

import io.dstl.bench.job.StateJob;
import io.dstl.bench.run.Measured.Sample;
import io.dstl.bench.run.Phase.Unfinished;
import io.dstl.bench.run.Variant.RunName;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.progress.Instruments;
import io.dstl.harness.report.RunReport.Event;
import io.dstl.harness.rest.CheckpointStatistics;
import io.dstl.harness.rest.CheckpointStatistics.CheckpointParts;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import io.dstl.harness.rest.JobStatus;
import io.dstl.harness.rest.JobSubmission;
import io.dstl.harness.rest.JobSubmission.JarId;
import io.dstl.harness.rest.JobSubmission.JobId;
import io.dstl.harness.wait.Await.DeadlineExpired;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** A job on a cluster of one TaskManager, watched from outside. For one thread. */
public final class BenchJob {
    /** How much longer than asked for the wait for a moment may take. */
    private static final Duration MARGIN = Duration.ofMinutes(1);

    private final RunName name;
    private final LocalCluster cluster;
    private final JobId job;
    private final Instruments instruments;
    private final Duration limit;
    private final List<String> vertices;
    private final List<Event> events = new ArrayList<>();
    private int restoredBefore;

    private BenchJob(
            RunName name,
            LocalCluster cluster,
            JobId job,
            Instruments instruments,
            BenchPlan plan) {
        this.name = name;
        this.cluster = cluster;
        this.job = job;
        this.instruments = instruments;
        this.limit = plan.recoveryLimit();
        this.vertices = plan.job(name).kind().vertices();
    }

    public static BenchJob submit(
            RunName name, LocalCluster cluster, BenchPlan plan, Instruments instruments)
            throws IOException, InterruptedException {
        JobSubmission submission =
                JobSubmission.fresh(
                        StateJob.class.getName(), plan.job(name).commandLine(), plan.parallelism());
        JarId jar = cluster.rest().upload(plan.paths().jobJar());
        JobId job = cluster.rest().run(jar, submission);
        return new BenchJob(name, cluster, job, instruments, plan);
    }

    /** Waits until the first checkpoint is complete. */
    public void awaitFirstCheckpoint() throws Unfinished, IOException, InterruptedException {
        awaitSeen("the first checkpoint", limit, seen -> seen.latest);
    }

    /** Waits until a checkpoint triggered from now on is complete: nothing holds the job up. */
    void awaitCalm() throws Unfinished, IOException, InterruptedException {
        awaitTriggeredAfter(clock().instant());
    }

    /** Lets that much time pass while the job runs. */
    public void runFor(String what, Duration time)
            throws Unfinished, IOException, InterruptedException {
        runFor(what, time, time, now -> {});
    }

    /** The same, with a look at something again and again; the first look is at the beginning. */
    public void runFor(String what, Duration time, Duration between, Look look)
            throws Unfinished, IOException, InterruptedException {
        Instant end = clock().instant().plus(time);
        runUntil(
                what,
                time,
                between,
                now -> {
                    look.at(now);
                    return false;
                },
                end);
    }

    /** Lets time pass until a look finds what it is for, but no longer than that. */
    public void runUntil(String what, Duration longest, Duration between, Find find)
            throws Unfinished, IOException, InterruptedException {
        runUntil(what, longest, between, find, Instant.MAX);
    }

    private void runUntil(String what, Duration longest, Duration between, Find find, Instant end)
            throws Unfinished, IOException, InterruptedException {
        Instant[] next = {clock().instant()};
        awaitSeen(
                what,
                longest.plus(MARGIN),
                seen -> {
                    Instant now = clock().instant();
                    if (!now.isBefore(end)) {
                        return Optional.of(now);
                    }
                    if (now.isBefore(next[0])) {
                        return Optional.empty();
                    }
                    next[0] = now.plus(between);
                    return find.found(now) ? Optional.of(now) : Optional.empty();
                });
    }

    /** Something to look at while the job runs. */
    public interface Look {
        void at(Instant now) throws IOException, InterruptedException;
    }

    /** Something to find while the job runs. */
    public interface Find {
        boolean found(Instant now) throws IOException, InterruptedException;
    }

    /**
     * Waits until a checkpoint that was triggered at or after that moment is complete, and with it,
     * as only one is under way at a time, all that were triggered before.
     */
    public CompletedCheckpoint awaitTriggeredAfter(Instant moment)
            throws Unfinished, IOException, InterruptedException {
        return awaitSeen(
                "a checkpoint",
                limit,
                seen ->
                        seen.history.stream()
                                .filter(one -> !one.triggered.isBefore(moment))
                                .findFirst());
    }

    /** Remembers how often the job was restored up to now. */
    void expectRestart() throws IOException, InterruptedException {
        restoredBefore = checkpoints().restored;
    }

    /** Kills the TaskManager and starts another; returns when the first died. */
    Instant killTaskManager() throws IOException, InterruptedException {
        expectRestart();
        cluster.kill(cluster.taskManagers().get(0));
        Instant killed = clock().instant();
        cluster.startTaskManager();
        return killed;
    }

    /** What a killed TaskManager has left on the local disk: all of its state. */
    void deleteFilesOfKilled() throws IOException {
        cluster.deleteFilesOfKilled();
    }

    /** Waits until the tasks have their state back since then. */
    Instant awaitBackAtWork() throws Unfinished, IOException, InterruptedException {
        return awaitSeen(
                "the restart",
                limit,
                seen ->
                        seen.restored > restoredBefore
                                        && cluster.rest().status(job).allTasksAtWork()
                                ? Optional.of(clock().instant())
                                : Optional.empty());
    }

    /**
     * Waits until the tasks with the state, started at or after that moment, have it back; returns
     * how long the slowest of them took.
     */
    Duration awaitInitialized(Instant startedFrom)
            throws Unfinished, IOException, InterruptedException {
        return awaitSeen(
                "the state",
                limit,
                seen -> cluster.rest().initializing(job, vertices, startedFrom));
    }

    /** The sum of a metric whose id ends like that, over all subtasks; 0 where none has it. */
    double total(String metric) throws IOException, InterruptedException {
        return cluster.rest().total(job, metric);
    }

    /** The smallest value that a subtask reports for it. */
    OptionalDouble smallest(String metric) throws IOException, InterruptedException {
        return cluster.rest().smallest(job, metric);
    }

    /** The largest value that a subtask reports for it. */
    OptionalDouble largest(String metric) throws IOException, InterruptedException {
        return cluster.rest().largest(job, metric);
    }

    /** What each operator of each subtask reports for these, by a name of its own. */
    Map<String, List<Double>> bySubtask(String... metrics)
            throws IOException, InterruptedException {
        return cluster.rest().bySubtask(job, List.of(metrics));
    }

    /** What the time of those checkpoints was spent on, at the tasks with the state. */
    List<CheckpointParts> parts(List<CompletedCheckpoint> of)
            throws IOException, InterruptedException {
        return cluster.rest().parts(job, vertices.get(0), of);
    }

    /** Ends the job's input; returns when it has processed it all and written down its totals. */
    void drain() throws Unfinished, IOException, InterruptedException {
        Drain drain = new Drain(cluster.rest(), job, name.variant.savepointFormat(), this::say);
        try {
            JobStatus end =
                    instruments
                            .await()
                            .until("the end (" + name + ")", limit, cluster.probe(drain::ended));
            if (!end.finished()) {
                throw new Unfinished("the job failed", ended());
            }
        } catch (DeadlineExpired e) {
            throw new Unfinished(
                    "no end in " + limit.toSeconds() + " s", e.getMessage() + "; " + drain.seen());
        }
    }

    Sample sample() throws IOException, InterruptedException {
        JobStatus status = cluster.rest().status(job);
        return new Sample(
                clock().instant(), checkpoints(), status.recordsRead(vertices.get(0)), cpu());
    }

    public CheckpointStatistics checkpoints() throws IOException, InterruptedException {
        return cluster.rest().checkpoints(job);
    }

    /** Notes what was done to the job, for the plots. */
    void happened(String what) {
        events.add(new Event(clock().instant(), what));
    }

    List<Event> events() {
        return List.copyOf(events);
    }

    /** A line for whoever watches. */
    public void say(String line) {
        instruments.progress().say(name + ": " + line);
    }

    private Clock clock() {
        return instruments.clock();
    }

    /** The moment. */
    public Instant now() {
        return clock().instant();
    }

    /** What the TaskManager that runs now has logged. */
    Path taskManagerLog() {
        return cluster.taskManagers().get(0).log();
    }

    Path jobManagerLog() {
        return cluster.jobManager().log();
    }

    /** What the names of the vertices with state begin with. */
    List<String> vertices() {
        return vertices;
    }

    long taskManagerPid() {
        return cluster.taskManagers().get(0).pid();
    }

    private Duration cpu() {
        return cluster.taskManagers().get(0).cpu();
    }

    /** What is looked for among the checkpoints; empty while it is not there. */
    private interface Wanted<T> {
        Optional<T> in(CheckpointStatistics seen) throws IOException, InterruptedException;
    }

    private <T> T awaitSeen(String what, Duration longest, Wanted<T> wanted)
            throws Unfinished, IOException, InterruptedException {
        try {
            Optional<T> found =
                    instruments
                            .await()
                            .until(
                                    what + " (" + name + ")",
                                    longest,
                                    cluster.probe(() -> look(what, wanted)));
            if (found.isEmpty()) {
                throw new Unfinished("the job failed", ended());
            }
            return found.get();
        } catch (DeadlineExpired e) {
            throw new Unfinished("none in " + longest.toSeconds() + " s", e);
        }
    }

    /** Outer empty: ask again; inner empty: the job has ended. */
    private <T> Optional<Optional<T>> look(String what, Wanted<T> wanted)
            throws IOException, InterruptedException {
        JobStatus status = cluster.rest().status(job);
        if (status.failed() || status.finished()) {
            return Optional.of(Optional.empty());
        }
        CheckpointStatistics seen = checkpoints();
        instruments
                .progress()
                .show(
                        String.format(
                                Locale.ROOT,
                                "%-8s %-20s %s, %d checkpoints, %d failed, %d restarts",
                                name,
                                what,
                                status.state().toLowerCase(Locale.ROOT),
                                seen.completed,
                                seen.failed,
                                seen.restored));
        return wanted.in(seen).map(Optional::of);
    }

    private String ended() throws IOException, InterruptedException {
        return "job "
                + job
                + " has ended: "
                + cluster.rest().rootException(job).orElse("no reason is known");
    }
}
