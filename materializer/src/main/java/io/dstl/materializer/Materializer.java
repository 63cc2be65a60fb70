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
 * MaterializationPolicy} says so, begins one on the task thread, uploads it on another, has the
 * {@link MaterializationTarget} write what the log needs, part by part between other mails, and
 * hands it the result, on the task thread again.
 *
 * <p><b>Owns</b> the count of failures, and the upload's result until the target has taken it over:
 * a result that nobody takes is discarded. <b>Does not own</b> the policy's timing, the snapshot,
 * or the executors.
 *
 * <pre>
 *           due                  begun               uploaded              completed
 *   IDLE --------&gt; BEGINNING ------------&gt; UPLOADING ----------&gt; LOGGING ------------+
 *    ^                 | nothing to do, failed   | failed, hangs     | failed            |
 *    +-----------------+-------------------------+-------------------+-------------------+
 *   any --- close ---&gt; CLOSED
 * </pre>
 *
 * <p><b>An upload that hangs</b> is given up: that is a failure like any other. Its thread can only
 * be interrupted. Should it go on all the same, then nobody waits for it, and what it makes in the
 * end it has discarded.
 *
 * <p><b>Threading.</b> {@link #start} and {@link #close} are called on the task thread, where the
 * state changes and nowhere else. The policy calls in on any thread.
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
    }

    /**
     * The task is being cancelled, and what it holds is being closed under it: nothing is begun any
     * more, and what fails from here on is no failure. {@link #close} follows. Any thread.
     */
    public void cancelTask() {
        taskCancelled = true;
    }

    private void due() {
        if (state == State.IDLE && !taskCancelled) {
            post(this::begin, "Begin a materialization");
        }
    }

    private void begin() {
        if (state != State.IDLE || taskCancelled) {
            return;
        }
        become(State.BEGINNING, "due");
        metrics.beginning();
        Optional<Materialization> begun;
        try {
            begun = target.begin();
        } catch (Throwable t) {
            metrics.started();
            failed("that was about to begin", t);
            return;
        }
        if (begun.isPresent()) {
            upload(begun.get());
        } else {
            become(State.IDLE, "nothing to materialize");
            policy.ended();
        }
    }

    private void upload(Materialization materialization) {
        Upload upload = new Upload(materialization);
        underWay = Optional.of(upload);
        become(State.UPLOADING, materialization.toString());
        try {
            UploadLane.Ticket submitted = task.uploads().submit(() -> runUpload(upload));
            metrics.started();
            if (state == State.UPLOADING) {
                ticket = Optional.of(submitted);
                stallWatch.watch(upload, () -> post(() -> hangs(upload), "Give up " + upload));
            }
        } catch (RejectedExecutionException e) {
            metrics.started();
            LOG.debug("{} waits for the end of {}", materialization, task.name(), e);
        } catch (UploadLane.FullException e) {
            foundNoRoom(upload, e);
        } catch (Throwable t) {
            metrics.started();
            materialization.upload().cancel(true);
            uploadFailed(upload, t);
        }
    }

    /** What hangs was counted when it was given up. A restart of the job would not end it. */
    private void foundNoRoom(Upload upload, UploadLane.FullException cause) {
        upload.materialization().upload().cancel(true);
        ended();
        target.fail(upload.materialization().id(), cause);
        LOG.warn(
                "No materialization of {} has begun, and the log grows until one has: {}",
                task.name(),
                cause.getMessage());
        become(State.IDLE, "no room for " + upload);
        policy.ended();
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
        discard(upload, result);
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
            upload.result().ifPresent(result -> discard(upload, result));
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
        metrics.completed();
        failures.end();
        become(State.IDLE, "completed " + upload);
        policy.ended();
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
            policy.ended();
        }
        ExceptionUtils.rethrowIfFatalError(cause);
    }

    private void giveUp(Upload upload) {
        if (upload.giveUp()) {
            upload.materialization().upload().cancel(true);
            ticket.ifPresent(UploadLane.Ticket::giveUp);
        } else {
            // Its outcome is on the way, in a mail that will not be read any more.
            upload.result().ifPresent(result -> discard(upload, result));
        }
        ended();
        target.cancel(upload.materialization().id());
    }

    private void discard(Upload upload, SnapshotResult<KeyedStateHandle> result) {
        LOG.debug("Discarding the result of {}: nobody takes it over", upload);
        try {
            task.deletions().execute(() -> discardNow(upload, result));
        } catch (RejectedExecutionException e) {
            discardNow(upload, result);
        }
    }

    private void discardNow(Upload upload, SnapshotResult<KeyedStateHandle> result) {
        try {
            result.discardState();
        } catch (Exception e) {
            LOG.warn(
                    "Could not discard the result of {} of {}: its files stay in the store,"
                            + " referenced by nothing",
                    upload,
                    task.name(),
                    task.shown(e));
        }
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
