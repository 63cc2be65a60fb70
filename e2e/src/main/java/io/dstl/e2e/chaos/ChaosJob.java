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
import io.dstl.e2e.chaos.JobManagerEvent.Kind;
import io.dstl.e2e.flights.FlightsJob;
import io.dstl.e2e.flights.ResultCheck;
import io.dstl.e2e.flights.ResultCheck.Comparison;
import io.dstl.e2e.scenario.RunPlan;
import io.dstl.harness.rest.FlinkRest;
import io.dstl.harness.rest.FlinkRest.RestFailure;
import io.dstl.harness.rest.JobStatus;
import io.dstl.harness.rest.JobSubmission;
import io.dstl.harness.rest.JobSubmission.ClaimMode;
import io.dstl.harness.rest.JobSubmission.JobId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The flights job as an operator has it under chaos: each request is made until it is known to have
 * been heard, as the leader may have died over it. For one thread.
 */
final class ChaosJob {
    private static final String COUNTING_OPERATOR = "aircraft";
    private static final int NOT_FOUND = 404;
    private static final int ATTEMPTS = 5;

    /** More restarts than that without a checkpoint between: it will not come back. */
    private static final int HOPELESS = 4;

    /** The same while some of the faults may still be felt. */
    private static final int HOPELESS_AFTER_FAULTS = 40;

    private static final Duration BETWEEN = Duration.ofMillis(500);
    private static final Duration SAVEPOINT_LIMIT = Duration.ofSeconds(60);

    private final RunPlan plan;
    private final ChaosInput input;
    private final int rate;
    private final int rateAtEnd;
    private final ChaosHost host;
    private final JobHistory history;
    private final Supervision supervision;
    private final ChaosJournal journal;
    private final Random ids;
    private final List<JobId> jobs = new ArrayList<>();
    private final List<String> savepoints = new ArrayList<>();
    private final Set<String> left = new HashSet<>();
    private final Map<String, JobId> claimed = new HashMap<>();
    private JobId current;
    private Optional<String> origin = Optional.empty();
    private int savepointsFailed;
    private long recordsRead;

    ChaosJob(
            RunPlan plan,
            ChaosPlan chaos,
            ChaosInput input,
            ChaosHost host,
            Supervision supervision,
            ChaosJournal journal) {
        this.plan = plan;
        this.rate = chaos.rate();
        this.rateAtEnd = chaos.rateAtEnd();
        this.input = input;
        this.host = host;
        this.history = supervision.history();
        this.supervision = supervision;
        this.journal = journal;
        this.ids = new Random(chaos.seed());
    }

    /** All that there have been, in order. */
    List<JobId> all() {
        return List.copyOf(jobs);
    }

    /**
     * Whether a job was started from that checkpoint that has left it to the operator, or that has
     * claimed it and has none of its own yet.
     */
    boolean needs(String checkpoint) {
        JobId owner = claimed.get(checkpoint);
        return left.contains(checkpoint)
                || (owner != null && history.completedSince(owner, Instant.EPOCH) == 0);
    }

    /** The checkpoints that one of them has taken over from the one before. */
    Set<String> claimed() {
        return Set.copyOf(claimed.keySet());
    }

    /** The checkpoints of all jobs that newer ones have taken the place of. */
    Set<String> superseded() {
        Set<String> paths = new HashSet<>();
        for (JobId job : jobs) {
            for (long number : history.checkpointsOf(job).superseded()) {
                paths.add(ChaosHost.checkpoint(job, number));
            }
        }
        return paths;
    }

    /** Where the savepoints are. */
    List<String> savepoints() {
        return List.copyOf(savepoints);
    }

    int savepointsFailed() {
        return savepointsFailed;
    }

    /** Starts it at the pace that is wanted under faults. */
    void start(int parallelism) throws IOException, InterruptedException {
        submit(arguments(output(), rate), parallelism, Optional.empty(), ClaimMode.NO_CLAIM);
    }

    /** Stops it and starts it at that parallelism. */
    void rescale(int parallelism, ClaimMode mode) throws IOException, InterruptedException {
        String from = cancel();
        journal.note("  rescales to " + parallelism + " from " + from + ", " + mode);
        submit(arguments(output(), rate), parallelism, Optional.of(from), mode);
    }

    /**
     * Starts it from that checkpoint at the pace of the end, and waits for the end of its input.
     */
    void finish(String from, int parallelism) throws IOException, InterruptedException {
        submit(arguments(output(), rateAtEnd), parallelism, Optional.of(from), ClaimMode.NO_CLAIM);
        awaitNotHopeless(
                "the end of its input",
                HOPELESS,
                () -> finished() && history.count(current, Kind.REMOVED) > 0,
                this::recordsRead);
    }

    /** Starts it from that checkpoint, waits for one of its own, and cancels it. */
    void tryRestore(String from, int parallelism) throws IOException, InterruptedException {
        submit(
                arguments(plan.directory().resolve("result-restored"), rate),
                parallelism,
                Optional.of(from),
                ClaimMode.NO_CLAIM);
        awaitNotHopeless(
                "a checkpoint after its restore from " + from,
                HOPELESS,
                () -> history.completedSince(current, Instant.EPOCH) > 0);
        cancel();
    }

    /** Waits for so many checkpoints that were triggered from now on. */
    void awaitCheckpoints(int number) throws IOException, InterruptedException {
        Instant now = supervision.now();
        awaitNotHopeless(
                "checkpoint " + number + " after the faults",
                HOPELESS_AFTER_FAULTS,
                () -> history.completedSince(current, now) >= number || finished());
    }

    /** Whether it has come to the end of its input. */
    boolean finished() {
        return history.count(current, Kind.FINISHED) > 0;
    }

    /** Asks for a savepoint; one that can't be made under the faults is none. */
    void savepoint() throws IOException, InterruptedException {
        String directory = "s3://" + ChaosHost.BUCKET + "/" + ChaosHost.ROOT + "/savepoints";
        long limit = supervision.nanos() + SAVEPOINT_LIMIT.toNanos();
        Optional<String> trigger = Optional.empty();
        String failure = "not in time";
        while (supervision.nanos() - limit < 0) {
            try {
                if (trigger.isEmpty()) {
                    trigger = Optional.of(rest().triggerSavepoint(current, directory));
                }
                Optional<String> made = rest().savepoint(current, trigger.get());
                if (made.isPresent()) {
                    savepoints.add(made.get());
                    journal.note("  savepoint " + made.get());
                    return;
                }
            } catch (IOException e) {
                trigger = Optional.empty();
                failure = firstLine(e);
            }
            supervision.pass(BETWEEN);
        }
        savepointsFailed++;
        journal.note("  no savepoint: " + failure);
    }

    /** Cancels it; returns the checkpoint that it is to be started from. */
    String cancel() throws IOException, InterruptedException {
        supervision.until(
                "job " + current + " to be cancelled",
                () -> {
                    try {
                        return cancelled();
                    } catch (IOException e) {
                        supervision.pass(BETWEEN);
                        return Optional.empty();
                    }
                });
        // What a leader has completed it has logged before any task heard of it.
        supervision.pass(Duration.ZERO);
        String retained = history.checkpointsOf(current).last().or(() -> origin).orElseThrow();
        journal.note("  cancelled " + current + ", retained " + retained);
        return retained;
    }

    /**
     * What the REST API says is not enough: a leader that dies can have called the job cancelled
     * without having told ZooKeeper, and the next one runs it again.
     */
    private Optional<Boolean> cancelled() throws IOException, InterruptedException {
        if (history.count(current, Kind.REMOVED) > 0) {
            return Optional.of(true);
        }
        JobStatus status = rest().status(current);
        if (status.finished() || status.failed()) {
            throw new IllegalStateException(
                    "job " + current + " is " + status.state() + ", not to be cancelled");
        }
        if (!status.canceled() && !status.state().equals("CANCELLING")) {
            rest().cancel(current);
        }
        supervision.pass(BETWEEN);
        return Optional.empty();
    }

    private void submit(
            List<String> arguments, int parallelism, Optional<String> from, ClaimMode mode)
            throws IOException, InterruptedException {
        JobSubmission fresh =
                JobSubmission.fresh(FlightsJob.class.getName(), arguments, parallelism);
        JobSubmission submission =
                from.isPresent() ? fresh.from(from.get(), parallelism, mode) : fresh;
        origin = from;
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            current =
                    new JobId(
                            String.format(
                                    Locale.ROOT, "%016x%016x", ids.nextLong(), ids.nextLong()));
            jobs.add(current);
            if (started(submission.as(current))) {
                from.ifPresent(checkpoint -> remember(checkpoint, mode));
                journal.note("  job " + current + " runs");
                return;
            }
            journal.note("  job " + current + " could not be started");
        }
        throw new IOException(
                "the job can't be started from " + from + ", in " + ATTEMPTS + " attempts");
    }

    private void remember(String checkpoint, ClaimMode mode) {
        if (mode == ClaimMode.CLAIM) {
            claimed.put(checkpoint, current);
        } else {
            left.add(checkpoint);
        }
    }

    private boolean started(JobSubmission submission) throws IOException, InterruptedException {
        return supervision.until(
                "job " + current + " to start",
                () -> {
                    if (history.count(current, Kind.STARTED) > 0) {
                        return Optional.of(true);
                    }
                    try {
                        JobStatus status = rest().status(current);
                        if (status.failed()) {
                            return Optional.of(false);
                        }
                    } catch (RestFailure e) {
                        if (e.status() == NOT_FOUND) {
                            run(submission);
                        }
                    } catch (IOException e) {
                        journal.note("  asked in vain: " + firstLine(e));
                    }
                    supervision.pass(BETWEEN);
                    return Optional.empty();
                });
    }

    private void run(JobSubmission submission) throws InterruptedException, IOException {
        try {
            rest().run(rest().upload(plan.jobJar()), submission);
        } catch (IOException e) {
            // Whether it was heard is seen by asking for the job.
            journal.note("  submission: " + firstLine(e));
        }
    }

    /** On a busy machine no checkpoint may come through beside so many records. */
    private long recordsRead() {
        try {
            recordsRead = rest().status(current).recordsRead(COUNTING_OPERATOR);
        } catch (IOException e) {
            // As many as before, as far as is known.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return recordsRead;
    }

    private void awaitNotHopeless(String what, int hopeless, BooleanSupplier there)
            throws IOException, InterruptedException {
        awaitNotHopeless(what, hopeless, there, history::completed);
    }

    private void awaitNotHopeless(
            String what, int hopeless, BooleanSupplier there, LongSupplier progress)
            throws IOException, InterruptedException {
        int completed = history.completed();
        long restarts = history.count(current, Kind.RESTARTING);
        supervision.until(
                "job " + current + " to get to " + what,
                () -> {
                    boolean stuck =
                            history.completed() == completed
                                    && history.count(current, Kind.RESTARTING) - restarts
                                            > hopeless;
                    if (stuck || history.count(current, Kind.FAILED) > 0) {
                        throw new IOException(
                                "job "
                                        + current
                                        + " doesn't get to "
                                        + what
                                        + ", last: "
                                        + history.lastRestart());
                    }
                    return when(there.getAsBoolean());
                },
                progress);
    }

    private static Optional<Boolean> when(boolean condition) {
        return condition ? Optional.of(true) : Optional.empty();
    }

    private static String firstLine(IOException e) {
        String message = String.valueOf(e.getMessage());
        return e.getClass().getSimpleName() + ": " + message.lines().findFirst().orElse("");
    }

    private FlinkRest rest() {
        return host.cluster.rest();
    }

    /** Holds the rows written against those computed without Flink. */
    Comparison compare() throws IOException {
        return ResultCheck.compare(input.file, input.scale, output());
    }

    /** Where the rows go. */
    private Path output() {
        return plan.directory().resolve("result");
    }

    private List<String> arguments(Path output, int flightsPerSecond) {
        return List.of(
                "--input", input.file.toUri().toString(),
                "--output", output.toUri().toString(),
                "--scale", Integer.toString(input.scale),
                "--rate", Integer.toString(flightsPerSecond),
                "--tolerable-failed-checkpoints", "1000");
    }
}
