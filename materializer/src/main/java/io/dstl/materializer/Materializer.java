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

import io.dstl.materializer.BackgroundWork.FlushAhead;
import io.dstl.materializer.MaterializationPolicy.Outcome;
import io.dstl.materializer.MaterializationPolicy.Took;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the materializations of one task, one at a time. When the {@link MaterializationPolicy}
 * calls and the task has its turn, another thread flushes ahead, the task thread begins the
 * snapshot, and another thread uploads it. Then, on the task thread, the {@link
 * MaterializationTarget} writes its part of the log, piece by piece between mails, and takes over.
 *
 * <p><b>Owns</b> the count of failures, and the upload's result until the target has taken it over,
 * or it is discarded. <b>Does not own</b> the policy's timing, the snapshot, or the executors.
 *
 * <pre>
 *        due          turn        done          begun           uploaded
 *   IDLE ---&gt; WAITING ---&gt; AHEAD ---&gt; BEGINNING ---&gt; UPLOADING ---&gt; LOGGING
 *    ^                       |            |               |             |
 *    +-----------------------+------------+---------------+-------------+
 *          not ready, no room   nothing to do,   failed,        completed,
 *                               failed           hangs          failed
 *   AHEAD --- turn lost, hangs ---&gt; WAITING
 *   any --- close ---&gt; CLOSED
 * </pre>
 *
 * <p><b>Not ready</b> is a target whose last materialization is not confirmed, or that puts it off.
 * Each completed checkpoint tries the deferred one again; the policy is not notified of this.
 *
 * <p><b>An upload that hangs</b> is given up and counts as a failure. Its thread can only be
 * interrupted, and discards a late result. After a flush that hangs, all is tried again at the
 * first completed checkpoint after its end: a snapshot would hang too, on the task thread.
 *
 * <p><b>The turn</b> covers the background work and the begin. The next task gets it if a task
 * thread that is busy does not claim it in time, and when an upload has ended or hangs.
 *
 * <p><b>Threading.</b> {@link #start}, {@link #checkpointed} and {@link #close} are called on the
 * task thread, and the state changes only there. The policy calls in on any thread.
 *
 * <p><b>Failure.</b> A failed materialization leaves the log as it was, and the next one is tried
 * as planned; more than {@code state.changelog.max-failures-allowed} failures in a row fail the
 * job. An {@link Error} counts; one that is fatal to the JVM is rethrown then. One that the store
 * throttles, that finds no room, or that follows another without a checkpoint, does not count.
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
    private final StallWatch stallWatch;
    private MaterializationPolicy.Reason reason = MaterializationPolicy.Reason.PERIOD;

    /** A due materialization that waits until the target is ready. */
    private Optional<MaterializationPolicy.Reason> deferred = Optional.empty();

    private Optional<FlushAhead> lastFlush = Optional.empty(); // may have been given up
    private Optional<UploadLane.Turn> turn = Optional.empty();
    private Optional<FlushAhead> ahead = Optional.empty();
    private Optional<Upload> underWay = Optional.empty();
    private Optional<UploadLane.Ticket> ticket = Optional.empty();

    /** Written by the task thread only. */
    private volatile State state = State.IDLE;

    /** Written by any thread, once. */
    private volatile boolean taskCancelled;

    /**
     * @param maxFailuresAllowed failures in a row that do not fail the job
     * @param stallWatch used by this materializer only
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
        this.failures = new FailureStreak(task, maxFailuresAllowed, target::isThrottled);
    }

    /** Call once, when the target can be materialized. */
    public void start() {
        if (state == State.CLOSED) {
            throw new IllegalStateException("The materializer of " + task.name() + " is closed");
        }
        policy.start(this::due);
    }

    /**
     * The task ends: gives up the materialization under way, if any. From now on the mailbox is not
     * used, nor the target, but for one cancellation. Closing again has no effect.
     */
    @Override
    public void close() {
        if (state == State.CLOSED) {
            return;
        }
        become(State.CLOSED, "the task ends");
        policy.close();
        ahead.ifPresent(BackgroundWork::giveUp);
        try {
            underWay.ifPresent(this::giveUp);
        } finally {
            ticket.ifPresent(UploadLane.Ticket::giveUp);
            ended();
        }
    }

    /**
     * The task is being cancelled, and its resources are being closed: no materialization begins
     * from now on, and a failure does not count. {@link #close} follows. Any thread.
     */
    public void cancelTask() {
        taskCancelled = true;
    }

    /** A checkpoint has completed, and the target knows its size. */
    public void checkpointed() {
        if (state != State.CLOSED) {
            failures.checkpointed();
            Optional<LogSize> size = target.size();
            size.ifPresent(metrics::checkpointed);
            size.ifPresent(policy::checkpointed);
            deferred.ifPresent(this::request);
        }
    }

    private void due(MaterializationPolicy.Reason why) {
        if (state == State.IDLE && !taskCancelled) {
            post(() -> request(why), "Begin a materialization");
        }
    }

    private void request(MaterializationPolicy.Reason why) {
        if (state != State.IDLE || taskCancelled) {
            return;
        }
        reason = why;
        if (!target.ready() || lastFlush.filter(BackgroundWork::isGivenUp).isPresent()) {
            defer();
            return;
        }
        deferred = Optional.empty();
        turn = Optional.of(task.uploads().turn(policy::urgency));
        awaitTurn("due: " + why);
    }

    private void awaitTurn(String why) {
        become(State.WAITING, why);
        turn.orElseThrow().await(() -> post(this::workAhead, "Prepare a materialization"));
    }

    /** Whether the task still has its turn; if not, the task waits for another turn. */
    private boolean claimTurn() {
        boolean claimed = turn.orElseThrow().claim();
        if (!claimed) {
            awaitTurn("its turn went to another task");
        }
        return claimed;
    }

    private void defer() {
        LOG.debug("{} waits to be materialized, by {}", task.name(), reason);
        deferred = Optional.of(reason);
    }

    private void workAhead() {
        if (state != State.WAITING || taskCancelled || !claimTurn()) {
            return;
        }
        become(State.AHEAD, "its turn");
        metrics.beginning();
        flushOrBegin(lastFlush.isPresent() ? lastFlush.get().last(target) : FlushAhead.of(target));
    }

    private void flushOrBegin(Optional<FlushAhead> flush) {
        ahead = flush;
        if (ahead.isPresent()) {
            lastFlush = ahead;
            submit(ahead.get(), turn.orElseThrow());
        } else {
            begin();
        }
    }

    private void submit(FlushAhead work, UploadLane.Turn held) {
        try {
            UploadLane.Ticket submitted = task.uploads().submit(() -> run(work, held));
            if (ahead.equals(Optional.of(work))) {
                ticket = Optional.of(submitted);
                watch(work, silence -> flushHangs(work, silence));
            }
        } catch (RejectedExecutionException e) {
            LOG.debug("A materialization waits for the end of {}", task.name(), e);
        } catch (UploadLane.FullException e) {
            foundNoRoom(e);
        } catch (Throwable t) {
            notBegun(t);
        }
    }

    private void flushHangs(FlushAhead flush, TimeoutException why) {
        ended();
        lastFlush = Optional.of(flush);
        LOG.warn("{} is not materialized until its flush ends: {}", task.name(), why.getMessage());
        become(State.IDLE, "its flush hangs");
        defer();
    }

    /** Runs on a background thread. */
    private void run(FlushAhead work, UploadLane.Turn held) {
        if (work.run(task)) {
            held.expectClaim();
            post(() -> workedAhead(work), "Begin a materialization");
        }
    }

    private void workedAhead(FlushAhead work) {
        if (taskCancelled || !ahead.equals(Optional.of(work))) {
            return;
        }
        stallWatch.end();
        ahead = Optional.empty();
        ticket = Optional.empty();
        metrics.waitedAhead(work.waited());
        if (claimTurn()) {
            flushOrBegin(work.next(target));
        }
    }

    private void begin() {
        if (!target.ready() || target.putOff()) {
            ended();
            become(State.IDLE, "not ready any more, or put off");
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
        if (begun.isPresent()) {
            metrics.endOfSynchronousPart();
            upload(begun.get());
        } else {
            ended();
            become(State.IDLE, "nothing to materialize");
            policy.ended(Outcome.NOTHING_TO_DO, Took.NOTHING);
        }
    }

    private void notBegun(Throwable cause) {
        metrics.started(reason);
        ended();
        failed("that was about to begin", cause);
    }

    private void upload(Materialization materialization) {
        Upload upload = new Upload(materialization);
        UploadLane.Turn held = turn.orElseThrow();
        underWay = Optional.of(upload);
        become(State.UPLOADING, materialization.toString());
        try {
            UploadLane.Ticket submitted = task.uploads().submit(() -> run(upload, held));
            metrics.started(reason);
            if (state == State.UPLOADING) {
                ticket = Optional.of(submitted);
                watch(upload, silence -> uploadFailed(upload, silence));
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
            if (!upload.giveUp()) {
                LOG.warn("The lane that uploads {} has failed", task.name(), task.shown(t));
                return;
            }
            materialization.upload().cancel(true);
            uploadFailed(upload, t);
        }
    }

    /** The hanging work was counted when it was given up; a restart would not end it. */
    private void foundNoRoom(UploadLane.FullException cause) {
        ended();
        LOG.warn(
                "No materialization of {} has begun, and the log grows until one has: {}",
                task.name(),
                cause.getMessage());
        become(State.IDLE, "no room");
        policy.ended(Outcome.FAILED, Took.NOTHING);
    }

    /** Runs on a background thread. */
    private void run(Upload upload, UploadLane.Turn held) {
        try {
            if (upload.run(task)) {
                // An error here ends the process: the task would wait for this mail for ever.
                post(() -> uploadEnded(upload), "Go on after the upload of " + upload);
            }
        } finally {
            held.end();
        }
        upload.failure().ifPresent(ExceptionUtils::rethrowIfFatalError);
    }

    private void uploadEnded(Upload upload) {
        if (state != State.UPLOADING) {
            return;
        }
        if (upload.failure().isPresent()) {
            uploadFailed(upload, upload.failure().get());
            return;
        }
        stallWatch.end();
        become(State.LOGGING, "uploaded " + upload);
        prepareLog(upload);
    }

    /** Writes one part and posts a mail for the next: checkpoints and records go in between. */
    private void prepareLog(Upload upload) {
        if (state != State.LOGGING || taskCancelled) {
            return;
        }
        metrics.endOfWaiting();
        Optional<CompletableFuture<?>> nextPart;
        try {
            nextPart = target.prepareLog(upload.materialization());
            if (!nextPart.isPresent()) {
                target.complete(upload.materialization(), upload.result().orElseThrow());
            }
        } catch (Throwable t) {
            upload.discardResult(task);
            uploadFailed(upload, t);
            return;
        }
        if (nextPart.isPresent()) {
            metrics.waiting();
            nextPart.get()
                    .thenRun(() -> post(() -> prepareLog(upload), "Write the log: " + upload));
        } else {
            completed(upload);
        }
    }

    private void completed(Upload upload) {
        ended();
        failures.end();
        become(State.IDLE, "completed " + upload);
        policy.ended(Outcome.COMPLETED, metrics.completed());
    }

    /** Ends the turn at once: the task thread may be busy for long, or stuck on the same cause. */
    private void watch(BackgroundWork work, Consumer<TimeoutException> fail) {
        UploadLane.Turn held = turn.orElseThrow();
        stallWatch.watch(
                work,
                () -> {
                    held.end();
                    post(() -> hangs(work, fail), "Give up " + work);
                    return true;
                });
    }

    private void hangs(BackgroundWork work, Consumer<TimeoutException> fail) {
        boolean watched = ahead.equals(Optional.of(work)) || underWay.equals(Optional.of(work));
        if (!watched || taskCancelled || stallWatch.goesOn() || !work.giveUp()) {
            return;
        }
        ticket.ifPresent(UploadLane.Ticket::giveUp);
        fail.accept(work.silence(task.name(), stallWatch.allowed()));
    }

    private void uploadFailed(Upload upload, Throwable cause) {
        if (state != State.UPLOADING && state != State.LOGGING) {
            return;
        }
        ended();
        Materialization.MaterializationId id = upload.materialization().id();
        target.fail(id, cause);
        failed(id.toString(), cause);
    }

    private void ended() {
        ahead = Optional.empty();
        lastFlush = Optional.empty();
        underWay = Optional.empty();
        ticket = Optional.empty();
        stallWatch.end();
        turn.ifPresent(UploadLane.Turn::end);
        turn = Optional.empty();
    }

    private void failed(String which, Throwable cause) {
        if (taskCancelled) {
            become(State.IDLE, "cancelled with the task: " + which);
            LOG.debug("Materialization {} ends", which, task.shown(cause));
        } else {
            metrics.failed();
            become(State.IDLE, "failed: " + which);
            failures.extend(which, cause);
            if (!failures.isTooLong()) {
                policy.ended(Outcome.FAILED, Took.NOTHING);
            }
        }
        ExceptionUtils.rethrowIfFatalError(cause);
    }

    private void giveUp(Upload upload) {
        if (upload.giveUp()) {
            upload.materialization().upload().cancel(true);
        } else {
            // The mail with its outcome will not be read any more.
            upload.discardResult(task);
        }
        target.cancel(upload.materialization().id());
    }

    private void post(ThrowingRunnable<Exception> command, String description) {
        if (state != State.CLOSED) {
            task.post(command, description);
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
