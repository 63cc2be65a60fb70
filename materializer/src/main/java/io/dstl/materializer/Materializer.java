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
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.concurrent.FutureUtils;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the materializations of one task about, one at a time: when the {@link
 * MaterializationPolicy} says so, begins one on the task thread, uploads it on another, and hands
 * the outcome to the {@link MaterializationTarget} on the task thread again.
 *
 * <p><b>Owns</b> the count of failures, and the upload's result until the target has taken it over:
 * a result that nobody takes is discarded. <b>Does not own</b> the policy's timing, the snapshot,
 * or the executors.
 *
 * <pre>
 *           due                  begun                completed, failed
 *   IDLE --------&gt; BEGINNING ------------&gt; UPLOADING ------------------+
 *    ^                 | nothing to do, failed                         |
 *    +-----------------+-----------------------------------------------+
 *   any --- close ---&gt; CLOSED
 * </pre>
 *
 * <p><b>Threading.</b> {@link #start} and {@link #close} are called on the task thread, where the
 * state changes and nowhere else. The policy calls in on any thread.
 *
 * <p><b>Failure.</b> A failed materialization leaves the log as it was and the next one is tried as
 * planned; past {@code state.changelog.max-failures-allowed} in a row the job fails. An {@link
 * Error} counts as well; one that is fatal to the JVM is thrown on after it has been counted.
 */
public final class Materializer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Materializer.class);

    private enum State {
        IDLE,
        BEGINNING,
        UPLOADING,
        CLOSED
    }

    private final MaterializationTarget target;
    private final MaterializationPolicy policy;
    private final HostTask task;
    private final MaterializationMetrics metrics;
    private final FailureStreak failures;

    private Optional<Materialization> underWay = Optional.empty();

    /** Written by the task thread only. */
    private volatile State state = State.IDLE;

    /** Written by any thread, once. */
    private volatile boolean taskCancelled;

    /**
     * @param maxFailuresAllowed in a row, without the job failing
     */
    public Materializer(
            MaterializationTarget target,
            MaterializationPolicy policy,
            int maxFailuresAllowed,
            HostTask task,
            MaterializationMetrics metrics) {
        this.target = requireNonNull(target);
        this.policy = requireNonNull(policy);
        this.task = requireNonNull(task);
        this.metrics = requireNonNull(metrics);
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
            metrics.started();
            upload(begun.get());
        } else {
            become(State.IDLE, "nothing to materialize");
            policy.ended();
        }
    }

    private void upload(Materialization materialization) {
        underWay = Optional.of(materialization);
        become(State.UPLOADING, materialization.toString());
        try {
            task.asyncOperations().execute(() -> runUpload(materialization));
        } catch (RejectedExecutionException e) {
            LOG.debug("{} waits for the end of {}", materialization, task.name(), e);
        } catch (Throwable t) {
            materialization.upload().cancel(true);
            uploadFailed(materialization, t);
        }
    }

    /** On another thread than the task's. */
    private void runUpload(Materialization materialization) {
        try {
            SnapshotResult<KeyedStateHandle> result =
                    FutureUtils.runIfNotDoneAndGet(materialization.upload());
            post(() -> uploaded(materialization, result), "Complete " + materialization);
        } catch (Throwable t) {
            Throwable cause = t instanceof ExecutionException ? t.getCause() : t;
            post(() -> uploadFailed(materialization, cause), "Fail " + materialization);
            if (t instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            ExceptionUtils.rethrowIfFatalError(cause);
        }
    }

    private void uploaded(
            Materialization materialization, SnapshotResult<KeyedStateHandle> result) {
        if (state != State.UPLOADING) {
            return;
        }
        try {
            target.complete(materialization, result);
        } catch (Throwable t) {
            discard(materialization, result);
            uploadFailed(materialization, t);
            return;
        }
        underWay = Optional.empty();
        metrics.completed();
        failures.end();
        become(State.IDLE, "completed " + materialization);
        policy.ended();
    }

    private void uploadFailed(Materialization materialization, Throwable cause) {
        if (state != State.UPLOADING) {
            return;
        }
        underWay = Optional.empty();
        target.fail(materialization.id(), cause);
        failed(materialization.id().toString(), cause);
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

    private void giveUp(Materialization materialization) {
        underWay = Optional.empty();
        boolean cancelled = materialization.upload().cancel(true);
        if (!cancelled) {
            // Its outcome is on the way, in a mail that will not be read any more.
            discardResultOf(materialization);
        }
        target.cancel(materialization.id());
    }

    private void discardResultOf(Materialization materialization) {
        try {
            discard(materialization, materialization.upload().get());
        } catch (ExecutionException | CancellationException e) {
            LOG.debug("{} had failed when {} ended", materialization, task.name(), task.shown(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void discard(Materialization materialization, SnapshotResult<KeyedStateHandle> result) {
        LOG.debug("Discarding the result of {}: nobody takes it over", materialization);
        try {
            task.asyncOperations().execute(() -> discardNow(materialization, result));
        } catch (RejectedExecutionException e) {
            discardNow(materialization, result);
        }
    }

    private void discardNow(
            Materialization materialization, SnapshotResult<KeyedStateHandle> result) {
        try {
            result.discardState();
        } catch (Exception e) {
            LOG.warn(
                    "Could not discard the result of {} of {}: its files stay in the store,"
                            + " referenced by nothing",
                    materialization,
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
