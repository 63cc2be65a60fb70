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
package io.dstl.e2e.chaos;

import io.dstl.e2e.chaos.ChaosPlan.ChaosInput;
import io.dstl.e2e.chaos.RestartCause.Restart;
import io.dstl.e2e.chaos.Schedule.FaultKind;
import io.dstl.e2e.chaos.Schedule.PlannedFault;
import io.dstl.e2e.chaos.Schedule.Round;
import io.dstl.e2e.flights.ResultCheck.Comparison;
import io.dstl.e2e.scenario.BucketAudit;
import io.dstl.e2e.scenario.Cleanup;
import io.dstl.e2e.scenario.RunPlan;
import io.dstl.harness.net.ServerProcess;
import io.dstl.harness.progress.Instruments;
import io.dstl.harness.rest.FlinkRest.ClusterOverview;
import io.dstl.harness.rest.JobSubmission.ClaimMode;
import io.dstl.harness.rest.JobSubmission.JobId;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The flights job under faults drawn from a seed, on a cluster with high availability: rounds of
 * them until the time is over, then quiet, and then all that must hold is looked at.
 *
 * <p>Owns everything that is started; closing stops it, from any thread. For one thread otherwise.
 */
public final class ChaosScenario implements AutoCloseable {
    /** What the run did and when, in its directory. */
    public static final String SCHEDULE = "schedule.txt";

    private static final int PARALLELISM = 3;
    private static final int LARGEST_PARALLELISM = 4;

    /** Of one cause or kind; those beyond are counted. */
    private static final int SHOWN = 5;

    private final RunPlan plan;
    private final ChaosPlan chaos;
    private final Instruments instruments;
    private final Cleanup cleanup = new Cleanup();
    private final ChaosOutcome outcome;
    private final ChaosJournal journal;
    private final JobHistory history = new JobHistory();
    private final List<RestartCause.Spell> spells = new ArrayList<>();
    private Optional<RestartCause.Spell> open = Optional.empty();
    private ChaosHost host;
    private FaultInjector injector;
    private Supervision supervision;
    private ChaosJob job;

    public ChaosScenario(RunPlan plan, ChaosPlan chaos, Instruments instruments) {
        this.plan = plan;
        this.chaos = chaos;
        this.instruments = instruments;
        this.outcome = new ChaosOutcome(chaos.seed());
        this.journal =
                new ChaosJournal(
                        plan.directory().resolve(SCHEDULE),
                        instruments.progress(),
                        instruments.clock());
    }

    /** Runs to the end. What fails on the way is in the outcome, with what was seen before. */
    public ChaosOutcome run() throws Exception {
        try {
            start();
            int rounds = playRounds();
            outcome.fact(rounds + " rounds");
            calm();
            compare();
            audit();
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                throw e;
            }
            journal.note(stackTrace(e));
            outcome.failure(e.toString());
        }
        conclude();
        return outcome;
    }

    @Override
    public void close() throws Exception {
        cleanup.close();
    }

    private void start() throws Exception {
        boolean tolerant = chaos.tolerant();
        Files.createDirectories(plan.directory());
        journal.say(
                "seed "
                        + chaos.seed()
                        + ": faults for "
                        + chaos.faults().toSeconds()
                        + " s, "
                        + chaos.rate()
                        + " flights/s; a leader "
                        + (tolerant ? "stays" : "does not stay")
                        + " one while its connection to ZooKeeper is away");
        journal.show("the store, ZooKeeper and the cluster start");
        host = new ChaosHost(plan, chaos.seed(), tolerant, instruments, cleanup);
        journal.say("object store: " + host.store + " behind a proxy");
        host.disk
                .obstacle()
                .ifPresent(
                        why ->
                                instruments
                                        .progress()
                                        .say("skipped: " + FaultKind.DISK_FULL.title + ": " + why));
        injector = new FaultInjector(host, history, journal, instruments.time()::nanos);
        supervision = new Supervision(host, history, injector, instruments.time());
        ChaosInput input =
                ChaosInput.cut(
                        plan.input(), chaos.flights(), plan.directory().resolve("flights.csv.gz"));
        job = new ChaosJob(plan, chaos, input, host, supervision, journal);
        awaitCluster();
        job.start(PARALLELISM);
        job.awaitCheckpoints(2);
    }

    private void awaitCluster() throws Exception {
        supervision.until(
                "a leader with " + ChaosHost.TASK_MANAGERS + " TaskManagers",
                () -> {
                    try {
                        return host.cluster.rest().overviewIfUp().filter(seen -> complete(seen));
                    } catch (IOException e) {
                        return Optional.empty();
                    }
                });
    }

    private static boolean complete(ClusterOverview seen) {
        return seen.taskManagers >= ChaosHost.TASK_MANAGERS;
    }

    private int playRounds() throws Exception {
        Schedule schedule = new Schedule(chaos.seed(), PARALLELISM, LARGEST_PARALLELISM);
        long end = supervision.nanos() + chaos.faults().toNanos();
        int rounds = 0;
        while (supervision.nanos() - end < 0 && !job.finished()) {
            play(schedule.next());
            rounds++;
        }
        return rounds;
    }

    private void play(Round round) throws Exception {
        supervision.pass(round.pause);
        journal.say(round.toString());
        RestartCause.Spell.Type type =
                round.storageAlone()
                        ? RestartCause.Spell.Type.STORAGE
                        : RestartCause.Spell.Type.PROCESS;
        Instant start = supervision.now();
        open = Optional.of(new RestartCause.Spell(type, start, Instant.MAX));
        long begin = supervision.nanos();
        for (Step step : steps(round)) {
            supervision.passUntil(begin + step.at.toNanos());
            step.action.run();
        }
        boolean atOnce = !round.storageAlone() && round.number % 2 == 0;
        if (atOnce) {
            operate(round);
        }
        journal.show("round " + round.number + ": the job gets over it");
        job.awaitCheckpoints(1);
        spells.add(new RestartCause.Spell(type, start, supervision.now()));
        open = Optional.empty();
        if (!atOnce) {
            operate(round);
        }
        journal.note("  settled: " + history.completed() + " checkpoints completed so far");
    }

    private List<Step> steps(Round round) {
        List<Step> steps = new ArrayList<>();
        for (PlannedFault fault : round.faults) {
            steps.add(new Step(fault.offset, () -> injector.begin(fault)));
            steps.add(new Step(fault.end(), () -> injector.end(fault)));
        }
        steps.sort(Comparator.comparing(step -> step.at));
        return steps;
    }

    private void operate(Round round) throws Exception {
        if (job.finished()) {
            return;
        }
        switch (round.operation) {
            case RESCALE_CLAIM:
                job.rescale(round.parallelism, ClaimMode.CLAIM);
                break;
            case RESCALE_NO_CLAIM:
                job.rescale(round.parallelism, ClaimMode.NO_CLAIM);
                break;
            case SAVEPOINT:
                job.savepoint();
                break;
            default:
                break;
        }
    }

    /** Waits until all is well again. */
    private void calm() throws Exception {
        journal.say("quiet: the job gets over it all");
        awaitCluster();
        job.awaitCheckpoints(3);
        List<ServerProcess> processes = new ArrayList<>(host.cluster.jobManagers());
        processes.addAll(host.cluster.taskManagers());
        for (ServerProcess process : processes) {
            Vitals vitals = Vitals.of(process, plan.javaHome(), plan.directory());
            journal.note("  " + vitals);
            if (!vitals.withinBounds()) {
                outcome.failure("out of bounds: " + vitals);
            }
        }
    }

    private void compare() throws Exception {
        if (job.finished()) {
            outcome.inputEndedEarly();
        } else {
            String last = job.cancel();
            journal.say("the rest of the input, from " + last);
            job.finish(last, LARGEST_PARALLELISM);
        }
        Comparison comparison = job.compare();
        outcome.fact("rows: " + comparison.summary());
        if (!comparison.isClean()) {
            outcome.failure("the rows differ: " + String.join("; ", comparison.shown()));
        }
    }

    private void audit() throws Exception {
        removeByHand();
        supervision.pass(ChaosHost.CHECKPOINT_TIMEOUT.plusSeconds(1));
        BucketAudit before = BucketAudit.of(host.bucket, ChaosHost.ROOT);
        journal.say(orphans(before));
        BucketAudit after = BucketAudit.of(host.bucket, ChaosHost.ROOT);
        outcome.fact(
                before.stored()
                        + " objects, of them "
                        + before.leftOver().size()
                        + " orphans: "
                        + (before.stored() - after.stored())
                        + " removed by 'orphans --delete', "
                        + after.leftOver().size()
                        + " left");
        if (!after.missing().isEmpty()) {
            outcome.failure("referred to and gone: " + few(after.missing()));
        }
        if (!after.leftOver().isEmpty()) {
            outcome.failure("referred to by nobody and left: " + few(after.leftOver()));
        }
        for (String checkpoint : after.retained()) {
            journal.show("restores from " + checkpoint);
            job.tryRestore(checkpoint, PARALLELISM);
            journal.note("  restored from " + checkpoint);
        }
        outcome.fact(
                after.retained().size()
                        + " retained checkpoints and savepoints, the job restored from each");
    }

    /**
     * Does what is left to the operator: Flink's log tells of checkpoints in doubt. One that was
     * superseded may have its metadata left, as by a leader that died over it. A checkpoint that a
     * job has claimed shares files with the ones before it, which are void from then on; it is so
     * itself once that job has completed one of its own, and after a change of leader Flink leaves
     * its metadata behind.
     */
    private void removeByHand() throws IOException {
        Set<String> checkpoints = new TreeSet<>(history.inDoubt());
        checkpoints.addAll(job.superseded());
        for (String claimed : job.claimed()) {
            String siblings = key(claimed.substring(0, claimed.lastIndexOf('/')) + "/chk-");
            for (String key : host.bucket.list(siblings).keySet()) {
                checkpoints.add(
                        "s3://" + ChaosHost.BUCKET + "/" + key.substring(0, key.lastIndexOf('/')));
            }
        }
        checkpoints.removeIf(job::needs);
        int removed = 0;
        for (String checkpoint : checkpoints) {
            for (String key : host.bucket.list(key(checkpoint) + "/").keySet()) {
                host.bucket.remove(key);
                removed++;
            }
        }
        journal.note("  removed by hand: " + checkpoints);
        outcome.fact(
                removed
                        + " files removed by hand, of checkpoints in doubt or superseded and of those"
                        + " beside one that was claimed");
    }

    private static String few(Set<String> names) {
        return names.size() + ", as " + names.stream().limit(SHOWN).collect(Collectors.toList());
    }

    private static String key(String path) {
        return path.substring(("s3://" + ChaosHost.BUCKET + "/").length());
    }

    private String orphans(BucketAudit bucket) throws Exception {
        List<JobId> known =
                job.all().stream()
                        .filter(one -> bucket.knows(one.toString()))
                        .collect(Collectors.toList());
        List<String> arguments = new ArrayList<>(List.of("orphans", "--state-files", "--delete"));
        arguments.addAll(List.of("--min-age", ChaosHost.CHECKPOINT_TIMEOUT.toSeconds() + " s"));
        for (JobId one : known) {
            // All that was kept is in this bucket. The last one may be older than the minimum age.
            arguments.addAll(List.of("--ended", one.toString()));
            arguments.addAll(List.of("--no-checkpoints-of", one.toString()));
        }
        String output = host.cluster.runTool(arguments.toArray(new String[0]));
        Files.writeString(plan.directory().resolve("orphans.txt"), output, StandardCharsets.UTF_8);
        List<String> lines = output.lines().collect(Collectors.toList());
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
    }

    /** What is known at the end of every run, also of one that has failed half-way. */
    private void conclude() throws IOException {
        if (injector == null) {
            return;
        }
        history.read(host.cluster.jobManagerLogs());
        open.ifPresent(spells::add);
        outcome.faults(injector.begun(), injector.withoutEffect());
        for (Restart restart : history.restarts()) {
            RestartCause cause = RestartCause.of(restart, spells);
            outcome.restart(cause);
            journal.note(cause + " " + restart);
            if (cause.isFailure() && outcome.count(cause) <= SHOWN) {
                outcome.failure("restarted " + cause.title() + ": " + restart);
            }
        }
        Map<RestartCause, Integer> ends = new EnumMap<>(RestartCause.class);
        for (FaultInjector.ProcessEnd end : injector.ends()) {
            Restart asRestart = new Restart(end.at, false, end.name + " has ended by itself");
            RestartCause cause = RestartCause.of(asRestart, spells);
            journal.note(cause + " " + asRestart);
            ends.merge(cause, 1, Integer::sum);
            if (cause.isFailure()) {
                outcome.failure(end.name + " ended by itself " + cause.title());
            }
        }
        ends.forEach(
                (cause, count) ->
                        outcome.fact(
                                "processes that ended by themselves, "
                                        + cause.title()
                                        + ": "
                                        + count));
        if (injector.leadersKilled() > 0) {
            outcome.fact(
                    injector.leadersKilled()
                            + " times two JobManagers led at once (CURATOR-696), until one was"
                            + " killed");
        }
        outcome.fact(
                history.completed()
                        + " checkpoints completed, "
                        + history.failed()
                        + " failed, "
                        + history.inDoubt().size()
                        + " in doubt; "
                        + host.zooKeeperProxy.lost()
                        + " answers of ZooKeeper lost after the write");
        outcome.fact(
                job.all().size()
                        + " jobs, one after the other; "
                        + job.savepoints().size()
                        + " savepoints made, "
                        + job.savepointsFailed()
                        + " not");
        Files.writeString(
                plan.directory().resolve("objects.txt"),
                String.join("\n", host.bucket.list("").keySet()),
                StandardCharsets.UTF_8);
    }

    private static String stackTrace(Exception e) {
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    /** Something that is due at a moment of a round. */
    private static final class Step {
        private final Duration at;
        private final Action action;

        Step(Duration at, Action action) {
            this.at = at;
            this.action = action;
        }
    }

    private interface Action {
        void run() throws Exception;
    }
}
