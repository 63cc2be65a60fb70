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
package io.dstl.materializer;

import static java.util.Objects.requireNonNull;

import io.dstl.materializer.MaterializationPolicy.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.concurrent.FutureUtils;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the materializations of one task about, one at a time: when the {@link
 * MaterializationPolicy} says so and its turn has come, has done on another thread what can be done
 * ahead, begins one on the task thread, uploads it on another, has the {@link
 * MaterializationTarget} write what the log needs, part by part between other mails, and hands it
 * the result, on the task thread again.
 *
 * <p><b>Owns</b> the count of failures, and the upload's result until the target has taken it over:
 * a result that nobody takes is discarded. <b>Does not own</b> the policy's timing, the snapshot,
 * or the executors.
 *
 * <pre>
 *        due          turn        done          begun           uploaded
 *   IDLE ---&gt; WAITING ---&gt; AHEAD ---&gt; BEGINNING ---&gt; UPLOADING ---&gt; LOGGING
 *    ^                       |            |               |             |
 *    +-----------------------+------------+---------------+-------------+
 *          not ready, no room   nothing to do,   failed,        completed,
 *                               not ready, failed  hangs          failed
 *   any --- close ---&gt; CLOSED
 * </pre>
 *
 * <p><b>Not ready</b> is a target whose last materialization is not confirmed. What was due then is
 * tried again with each completed checkpoint, and the policy hears nothing of it.
 *
 * <p><b>An upload that hangs</b> is given up: that is a failure like any other. Its thread can only
 * be interrupted. Should it go on all the same, then nobody waits for it, and what it makes in the
 * end it has discarded.
 *
 * <p><b>Threading.</b> {@link #start}, {@link #checkpointed} and {@link #close} are called on the
 * task thread, where the state changes and nowhere else. The policy calls in on any thread.
 *
 * <p><b>Failure.</b> A failed materialization leaves the log as it was and the next one is tried as
 * planned; past {@code state.changelog.max-failures-allowed} in a row the job fails. An {@link
 * Error} counts as well; one that is fatal to the JVM is thrown on after it has been counted. One
 * that the {@link UploadLane} has no room for does not count.
 */
public final class Materializer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Materializer.class);

    private enum State {
        IDLE,
        WAITING,
        AHEAD,
        BEGINNING,
        UPLOADING,
        LOGGING,
        CLOSED
    }

    private final MaterializationTarget target;
    private final MaterializationPolicy policy;
    private final HostTask task;
    private final MaterializationMetrics metrics;
    private final FailureStreak failures;
    private final UnwantedResults results;
    private final StallWatch stallWatch;

    private MaterializationReason reason = MaterializationReason.PERIOD;

    /** Due, and waiting until the target is ready. */
    private Optional<MaterializationReason> deferred = Optional.empty();

    private Optional<UploadLane.Turn> turn = Optional.empty();
    private Optional<Upload> underWay = Optional.empty();
    private Optional<UploadLane.Ticket> ticket = Optional.empty();

    /** Written by the task thread only. */
    private volatile State state = State.IDLE;

    /** Written by any thread, once. */
    private volatile boolean taskCancelled;

    /**
     * @param maxFailuresAllowed in a row, without the job failing
     * @param stallWatch this materializer's alone
     */
    public Materializer(
            MaterializationTarget target,
            MaterializationPolicy policy,
            int maxFailuresAllowed,
            HostTask task,
            MaterializationMetrics metrics,
            StallWatch stallWatch) {
        this.target = requireNonNull(target);
        this.policy = requireNonNull(policy);
        this.task = requireNonNull(task);
        this.metrics = requireNonNull(metrics);
        this.stallWatch = requireNonNull(stallWatch);
        this.failures = new FailureStreak(task, maxFailuresAllowed);
        this.results = new UnwantedResults(task);
    }

    /** Once, when the target can be materialized. */
    public void start() {
        if (state == State.CLOSED) {
            throw new IllegalStateException("The materializer of " + task.name() + " is closed");
        }
        policy.start(this::due);
    }

    /**
     * The task ends: gives up the materialization under way, if any. Nothing is asked of the
     * mailbox or, but for one cancellation, of the target any more. Closing again has no effect.
     */
    @Override
    public void close() {
        if (state == State.CLOSED) {
            return;
        }
        become(State.CLOSED, "the task ends");
        policy.close();
        stallWatch.end();
        underWay.ifPresent(this::giveUp);
        ticket.ifPresent(UploadLane.Ticket::giveUp);
        endTurn();
    }

    /**
     * The task is being cancelled, and what it holds is being closed under it: nothing is begun any
     * more, and what fails from here on is no failure. {@link #close} follows. Any thread.
     */
    public void cancelTask() {
        taskCancelled = true;
    }

    /** A checkpoint has completed, and the target knows what it consists of. */
    public void checkpointed() {
        if (state == State.CLOSED) {
            return;
        }
        Optional<LogSize> size = target.size();
        size.ifPresent(metrics::checkpointed);
        size.ifPresent(policy::checkpointed);
        deferred.ifPresent(this::request);
    }

    private void due(MaterializationReason why) {
        if (state == State.IDLE && !taskCancelled) {
            post(() -> request(why), "Begin a materialization");
        }
    }

    private void request(MaterializationReason why) {
        if (state != State.IDLE || taskCancelled) {
            return;
        }
        reason = why;
        if (!target.ready()) {
            defer();
            return;
        }
        deferred = Optional.empty();
        become(State.WAITING, "due: " + why);
        UploadLane.Turn next = task.uploads().turn(policy::urgency);
        turn = Optional.of(next);
        next.await(() -> post(this::workAhead, "Prepare a materialization"));
    }

    private void defer() {
        LOG.debug("{} waits to be materialized, by {}", task.name(), reason);
        deferred = Optional.of(reason);
    }

    private void workAhead() {
        if (state != State.WAITING || taskCancelled) {
            return;
        }
        become(State.AHEAD, "its turn");
        metrics.beginning();
        Optional<Runnable> ahead = target.ahead();
        if (ahead.isEmpty()) {
            begin();
            return;
        }
        try {
            UploadLane.Ticket submitted = task.uploads().submit(() -> runAhead(ahead.get()));
            if (state == State.AHEAD) {
                ticket = Optional.of(submitted);
            }
        } catch (RejectedExecutionException e) {
            LOG.debug("A materialization waits for the end of {}", task.name(), e);
        } catch (UploadLane.FullException e) {
            foundNoRoom(e);
        } catch (Throwable t) {
            notBegun(t);
        }
    }

    /** On another thread than the task's. */
    private void runAhead(Runnable ahead) {
        try {
            ahead.run();
        } finally {
            post(this::begin, "Begin a materialization");
        }
    }

    private void begin() {
        if (state != State.AHEAD || taskCancelled) {
            return;
        }
        ticket = Optional.empty();
        if (!target.ready()) {
            endTurn();
            become(State.IDLE, "not ready any more");
            defer();
            return;
        }
        become(State.BEGINNING, "ready");
        metrics.synchronousPart();
        Optional<Materialization> begun;
        try {
            begun = target.begin();
        } catch (Throwable t) {
            notBegun(t);
            return;
        }
        metrics.endOfSynchronousPart();
        if (begun.isPresent()) {
            upload(begun.get());
        } else {
            endTurn();
            become(State.IDLE, "nothing to materialize");
            policy.ended(Outcome.NOTHING_TO_DO, Duration.ZERO);
        }
    }

    private void notBegun(Throwable cause) {
        metrics.started(reason);
        endTurn();
        failed("that was about to begin", cause);
    }

    private void upload(Materialization materialization) {
        Upload upload = new Upload(materialization);
        underWay = Optional.of(upload);
        become(State.UPLOADING, materialization.toString());
        try {
            UploadLane.Ticket submitted = task.uploads().submit(() -> runUpload(upload));
            metrics.started(reason);
            if (state == State.UPLOADING) {
                ticket = Optional.of(submitted);
                stallWatch.watch(upload, () -> post(() -> hangs(upload), "Give up " + upload));
            }
        } catch (RejectedExecutionException e) {
            metrics.started(reason);
            LOG.debug("{} waits for the end of {}", materialization, task.name(), e);
        } catch (UploadLane.FullException e) {
            materialization.upload().cancel(true);
            target.fail(materialization.id(), e);
            foundNoRoom(e);
        } catch (Throwable t) {
            metrics.started(reason);
            materialization.upload().cancel(true);
            uploadFailed(upload, t);
        }
    }

    /** What hangs was counted when it was given up. A restart of the job would not end it. */
    private void foundNoRoom(UploadLane.FullException cause) {
        ended();
        LOG.warn(
                "No materialization of {} has begun, and the log grows until one has: {}",
                task.name(),
                cause.getMessage());
        become(State.IDLE, "no room");
        policy.ended(Outcome.FAILED, Duration.ZERO);
    }

    /** On another thread than the task's. */
    private void runUpload(Upload upload) {
        upload.begin();
        try {
            SnapshotResult<KeyedStateHandle> result =
                    FutureUtils.runIfNotDoneAndGet(upload.materialization().upload());
            if (upload.end(result)) {
                post(() -> uploaded(upload), "Complete " + upload);
            } else {
                discardLate(upload, result);
            }
        } catch (Throwable t) {
            Throwable cause = t instanceof ExecutionException ? t.getCause() : t;
            if (upload.end()) {
                post(() -> uploadFailed(upload, cause), "Fail " + upload);
            } else {
                LOG.debug("{} had been given up, and has failed", upload, task.shown(cause));
            }
            if (t instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            ExceptionUtils.rethrowIfFatalError(cause);
        }
    }

    /**
     * No handle lists what an upload makes that was given up: only its result names the files. Not
     * deleted on this thread, which is interrupted about now.
     */
    private void discardLate(Upload upload, SnapshotResult<KeyedStateHandle> result) {
        LOG.info(
                "The upload of {} of {} has ended after it was given up: its files are deleted.",
                upload,
                task.name());
        results.discard(upload, result);
    }

    private void uploaded(Upload upload) {
        if (state != State.UPLOADING) {
            return;
        }
        stallWatch.end();
        become(State.LOGGING, "uploaded " + upload);
        prepareLog(upload);
    }

    /** One part of it, and the next with a mail of its own: checkpoints and records go between. */
    private void prepareLog(Upload upload) {
        if (state != State.LOGGING || taskCancelled) {
            return;
        }
        Optional<CompletableFuture<?>> nextPart;
        try {
            nextPart = target.prepareLog(upload.materialization());
            if (!nextPart.isPresent()) {
                target.complete(upload.materialization(), upload.result().orElseThrow());
            }
        } catch (Throwable t) {
            upload.result().ifPresent(result -> results.discard(upload, result));
            uploadFailed(upload, t);
            return;
        }
        if (nextPart.isPresent()) {
            nextPart.get()
                    .thenRun(() -> post(() -> prepareLog(upload), "Write the log: " + upload));
        } else {
            completed(upload);
        }
    }

    private void completed(Upload upload) {
        ended();
        Duration took = metrics.completed();
        failures.end();
        become(State.IDLE, "completed " + upload);
        policy.ended(Outcome.COMPLETED, took);
    }

    private void hangs(Upload upload) {
        boolean watched = state == State.UPLOADING && underWay.equals(Optional.of(upload));
        if (!watched || taskCancelled || stallWatch.goesOn() || !upload.giveUp()) {
            return;
        }
        ticket.ifPresent(UploadLane.Ticket::giveUp);
        uploadFailed(
                upload,
                new TimeoutException(
                        upload
                                + " of "
                                + task.name()
                                + " was given up: for "
                                + stallWatch.allowed().getSeconds()
                                + " s nothing that it writes has got anywhere. See that this"
                                + " TaskManager reaches the file system of "
                                + CheckpointingOptions.CHECKPOINTS_DIRECTORY.key()
                                + ", and where a thread dump shows threads named"
                                + " dstl-materialization. The thread was interrupted; if it hangs"
                                + " on, it stays until its file system lets it go, and other"
                                + " uploads take its place."));
    }

    private void uploadFailed(Upload upload, Throwable cause) {
        if (state != State.UPLOADING && state != State.LOGGING) {
            return;
        }
        ended();
        MaterializationId id = upload.materialization().id();
        target.fail(id, cause);
        failed(id.toString(), cause);
    }

    private void ended() {
        underWay = Optional.empty();
        ticket = Optional.empty();
        stallWatch.end();
        endTurn();
    }

    private void endTurn() {
        turn.ifPresent(UploadLane.Turn::end);
        turn = Optional.empty();
    }

    private void failed(String which, Throwable cause) {
        if (taskCancelled) {
            LOG.debug(
                    "{} was cancelled, and materialization {} with it",
                    task.name(),
                    which,
                    task.shown(cause));
            become(State.IDLE, "cancelled: " + which);
            ExceptionUtils.rethrowIfFatalError(cause);
            return;
        }
        metrics.failed();
        become(State.IDLE, "failed: " + which);
        failures.extend(which, cause);
        if (!failures.isTooLong()) {
            policy.ended(Outcome.FAILED, Duration.ZERO);
        }
        ExceptionUtils.rethrowIfFatalError(cause);
    }

    private void giveUp(Upload upload) {
        if (upload.giveUp()) {
            upload.materialization().upload().cancel(true);
            ticket.ifPresent(UploadLane.Ticket::giveUp);
        } else {
            // Its outcome is on the way, in a mail that will not be read any more.
            upload.result().ifPresent(result -> results.discard(upload, result));
        }
        ended();
        target.cancel(upload.materialization().id());
    }

    /** A mailbox that takes nothing any more belongs to a task that is about to close this. */
    private void post(ThrowingRunnable<Exception> command, String description) {
        if (state == State.CLOSED) {
            return;
        }
        try {
            task.mailbox().execute(command, description);
        } catch (RejectedExecutionException e) {
            LOG.debug("{}: not any more, {} ends", description, task.name(), e);
        }
    }

    private void become(State next, String reason) {
        if (state == State.CLOSED) {
            throw new IllegalStateException(
                    "The materializer of " + task.name() + " is closed: " + reason);
        }
        LOG.debug("Materializer of {}: {} -> {}: {}", task.name(), state, next, reason);
        state = next;
    }
}
