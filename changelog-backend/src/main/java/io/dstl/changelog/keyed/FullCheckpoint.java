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
package io.dstl.changelog.keyed;

import static java.util.Objects.requireNonNull;

import io.dstl.materializer.HostTask;
import io.dstl.materializer.Materialization;
import io.dstl.materializer.StallWatch;
import io.dstl.materializer.UploadLane;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A checkpoint whose base shares no file with an earlier completed one: requested by the user, or
 * by Flink after a restore in NO_CLAIM mode, so that the checkpoint restored from can be deleted;
 * or the first one after a start from files that later ones can't list, or a change of parallelism.
 *
 * <p>It is a materialization that the checkpoint waits for: a snapshot of the delegate that reuses
 * nothing, and the log from there on. The snapshot becomes the base of the checkpoints after it.
 *
 * <p>The first one since the changelog was turned on in place is made the same way, but may reuse
 * the files that RocksDB's checkpoints share.
 *
 * <p><b>The upload outlives its checkpoint.</b> A large state may take longer to upload than {@code
 * execution.checkpointing.timeout} allows. So the upload continues when its checkpoint is aborted,
 * and the next full checkpoint starts from it. Checkpoints that may share files start from the
 * previous base meanwhile. The upload is given up when it makes no progress for as long as its
 * {@link StallWatch} allows, and when the task ends.
 *
 * <p>Threading: the task thread. The upload lane writes the snapshot, since Flink runs the
 * asynchronous parts of a task's checkpoints one after the other, and the next must not wait.
 */
final class FullCheckpoint {
    private static final Logger LOG = LoggerFactory.getLogger(FullCheckpoint.class);

    private final DelegateSnapshots<?> snapshots;
    private final CheckpointLedger ledger;
    private final AbandonedFiles abandoned;
    private final HostTask task;
    private final StallWatch stallWatch;

    /** The last upload, until the ledger knows its outcome. */
    private Optional<BaseUpload> underWay = Optional.empty();

    /**
     * @param stallWatch watches nothing else
     */
    FullCheckpoint(
            DelegateSnapshots<?> snapshots,
            CheckpointLedger ledger,
            AbandonedFiles abandoned,
            HostTask task,
            StallWatch stallWatch) {
        this.snapshots = requireNonNull(snapshots);
        this.ledger = requireNonNull(ledger);
        this.abandoned = requireNonNull(abandoned);
        this.task = requireNonNull(task);
        this.stallWatch = requireNonNull(stallWatch);
    }

    /**
     * Does what {@link #take} does, and replaces a base that has more key groups than the task, or
     * a log on top of it.
     */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> takeAfterRescaling(
            long checkpointId, CheckpointOptions options, KeyGroupRange own) throws Exception {
        if (!ledger.joinFull()) {
            LOG.info(
                    "Checkpoint {} of {} uploads the whole state of its key groups {}, as the"
                            + " first one after a change of the parallelism: what it was restored"
                            + " from, {} bytes without the log, may have key groups of other"
                            + " tasks. It takes as long as without a changelog; the next ones are"
                            + " small again.",
                    checkpointId,
                    task.name(),
                    own.prettyPrintInterval(),
                    ledger.base().remote().materialized().stream()
                            .mapToLong(KeyedStateHandle::getStateSize)
                            .sum());
            // RocksDB would go on with the files of a task that has kept its key groups.
            begin(MaterializedBase.sharingNothing(options), false);
        }
        return join(checkpointId, true);
    }

    /** Does what {@link #take} does, and replaces a base that no checkpoint can list. */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> takeAfterStart(
            long checkpointId, CheckpointOptions options) throws Exception {
        if (!ledger.joinFull()) {
            LOG.info(
                    "Checkpoint {} of {} uploads the whole state, as no checkpoint can list the"
                            + " files that the job was started from: those of a savepoint, or merged"
                            + " ones. It takes as long as without a changelog; the next ones are"
                            + " small again.",
                    checkpointId,
                    task.name());
            begin(ledger.base().forNext(options), false);
        }
        return join(checkpointId, true);
    }

    /** Does what {@link #take} does, and replaces files that are deleted with their checkpoint. */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> takeAfterSwitch(
            long checkpointId, CheckpointOptions options) throws Exception {
        if (!ledger.joinFull()) {
            LOG.info(
                    "Checkpoint {} of {} stores the state anew, as the first one since the"
                            + " changelog was turned on: what it was restored from is deleted with"
                            + " its checkpoint. It takes as long as without a changelog; the next"
                            + " ones are small.",
                    checkpointId,
                    task.name());
            begin(options, true);
        }
        return join(checkpointId, true);
    }

    /**
     * Persists a checkpoint that starts from a full base: one that is being made, or that no
     * completed checkpoint has yet, or else a new one.
     *
     * @param options of the checkpoint: how far files may be shared; not where they go, since they
     *     outlive this checkpoint
     * @return fails while a base is being made that reuses files
     */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> take(
            long checkpointId, CheckpointOptions options) throws Exception {
        if (ledger.expectsReuse()) {
            return new KeyedCheckpoints.SnapshotFuture<>(
                    CompletableFuture.failedFuture(
                            new IllegalStateException(
                                    String.format(
                                            Locale.ROOT,
                                            "Checkpoint %d of %s cannot be full while the first one"
                                                    + " since the changelog was turned on is under"
                                                    + " way, which reuses files. Trigger it again"
                                                    + " when a checkpoint has completed.",
                                            checkpointId,
                                            task.name()))));
        }
        if (!ledger.joinFull()) {
            begin(options, false);
        }
        return join(checkpointId, true);
    }

    private void begin(CheckpointOptions options, boolean reuses) throws Exception {
        BaseUpload upload = new BaseUpload(snapshots.take(options));
        ledger.expect(upload.base, reuses);
        underWay = Optional.of(upload);
        stallWatch.watch(upload, () -> reportHang(upload));
    }

    /**
     * A task that has read all its input takes no more mails, but waits for its checkpoints: then a
     * thread of its own gives the upload up, as that may close a stream to a store that hangs.
     */
    private boolean reportHang(BaseUpload upload) {
        return task.post(() -> hangs(upload), "Give up the upload of a full checkpoint")
                || startGivingUp(upload);
    }

    /** On the timer, whose errors would end the process. */
    private boolean startGivingUp(BaseUpload upload) {
        try {
            SystemScheduler.thread(SystemScheduler.GIVE_UP, () -> giveUpWithoutTask(upload))
                    .start();
            return true;
        } catch (Throwable t) {
            LOG.warn(
                    "The upload of the whole state of {} hangs, and no thread could be started to"
                            + " give it up: tried again soon",
                    task.name(),
                    t);
            return false;
        }
    }

    /** Persists a checkpoint that starts from a full base, and uploads that if nobody does yet. */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> join(long checkpointId, boolean needsBase) {
        CompletableFuture<SnapshotResult<KeyedStateHandle>> checkpoint =
                ledger.persist(checkpointId, needsBase);
        Optional<BaseUpload> joined = underWay;
        return new FutureTask<SnapshotResult<KeyedStateHandle>>(
                () -> {
                    joined.ifPresent(BaseUpload::submitOnce);
                    return checkpoint.get();
                }) {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                boolean cancelled = super.cancel(mayInterruptIfRunning);
                checkpoint.cancel(false);
                return cancelled;
            }
        };
    }

    /** The checkpoint was aborted, and no other waits for the base that is being made. */
    void outlives(long checkpointId) {
        underWay.ifPresent(upload -> outlives(upload, checkpointId));
    }

    private void outlives(BaseUpload upload, long checkpointId) {
        if (upload.forestall()) {
            upload.cancel();
            return;
        }
        LOG.info(
                "Checkpoint {} of {} was aborted while the whole state was uploaded for it. The"
                        + " upload goes on: the next checkpoint that needs it starts from it. A"
                        + " restart of the job would end it: {} has to allow the failures until then.",
                checkpointId,
                task.name(),
                CheckpointingOptions.TOLERABLE_FAILURE_NUMBER.key());
    }

    private void hangs(BaseUpload upload) {
        if (upload.base.made().isDone() || stallWatch.goesOn()) {
            return;
        }
        giveUp(upload);
    }

    /** What a stream throws as it is closed must not end the process. */
    private void giveUpWithoutTask(BaseUpload upload) {
        try {
            giveUp(upload);
        } catch (RuntimeException e) {
            LOG.warn(
                    "The upload of a whole state that was given up could not be ended: its thread"
                            + " and its connection may stay until the TaskManager ends",
                    e);
        }
    }

    /** Any thread. */
    private void giveUp(BaseUpload upload) {
        TimeoutException silence = upload.full.silence(task.name(), stallWatch.allowed());
        LOG.warn(
                "The upload of a whole state fails; the next checkpoint that needs it uploads it"
                        + " anew: {}",
                silence.getMessage());
        upload.giveUp(silence);
    }

    private void settle(BaseUpload upload) {
        ledger.settle(upload.base);
        if (underWay.equals(Optional.of(upload))) {
            underWay = Optional.empty();
            stallWatch.end();
        }
    }

    /** The task ends, and so does the upload. To be called after the ledger's end. Idempotent. */
    void end() {
        stallWatch.end();
        underWay.ifPresent(BaseUpload::end);
        underWay = Optional.empty();
    }

    /**
     * The snapshot of a full checkpoint on its way. It is made or it fails, and the base with it,
     * once.
     *
     * <p>Thread-safe.
     */
    private final class BaseUpload implements StallWatch.Watched {
        private final Materialization full;
        private final MaterializedBase.Pending base;
        private final AtomicBoolean submitted = new AtomicBoolean();
        private volatile Optional<UploadLane.Ticket> ticket = Optional.empty();
        private volatile boolean running;

        BaseUpload(Materialization full) {
            this.full = full;
            this.base = new MaterializedBase.Pending(full.id(), full.upTo());
        }

        /**
         * Hands the snapshot to the upload lane, unless that was done before. Returns at once,
         * except if the lane is full of uploads that hang. Then it writes the snapshot itself, as
         * the job may not be able to go on without this checkpoint.
         */
        void submitOnce() {
            if (submitted.compareAndSet(false, true)) {
                try {
                    ticket = Optional.of(task.uploads().submit(this::write));
                } catch (UploadLane.FullException e) {
                    LOG.warn(
                            "The whole state of {} is uploaded by the thread of its checkpoint: {}",
                            task.name(),
                            e.getMessage());
                    write();
                } catch (Throwable t) {
                    full.upload().cancel(true);
                    fail(t);
                }
            }
        }

        /**
         * @return whether it was not submitted, and never will be
         */
        boolean forestall() {
            return submitted.compareAndSet(false, true);
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public long steps() {
            return full.progress().steps();
        }

        @Override
        public Duration patience() {
            return full.progress().patience();
        }

        /** Cancels an upload that was not submitted. */
        void cancel() {
            full.upload().cancel(true);
            fail(new CancellationException(full + " was cancelled before it began"));
        }

        /**
         * Interrupts the upload. Its future is not cancelled: that would drop the result, and with
         * it the names of the files to delete. But where the thread of its checkpoint uploads,
         * nothing else frees that thread, which all later checkpoints of the task need.
         */
        void giveUp(TimeoutException silence) {
            fail(silence);
            if (ticket.isPresent()) {
                ticket.get().giveUp();
            } else {
                full.upload().cancel(true);
            }
        }

        /** Ends the upload with the task, whose streams are closed. */
        void end() {
            full.upload().cancel(true);
            ticket.ifPresent(UploadLane.Ticket::giveUp);
        }

        private void write() {
            running = true;
            try {
                full.upload().run();
                SnapshotResult<KeyedStateHandle> result = abandoned.keepBackup(full.upload().get());
                MaterializedBase made =
                        MaterializedBase.snapshotted(full.id(), result, full.upTo());
                if (base.made().complete(made)) {
                    task.post(() -> settle(this), "Settle the base of a full checkpoint");
                } else {
                    abandoned.discard(made);
                }
            } catch (ExecutionException e) {
                failed(e.getCause());
            } catch (Throwable t) {
                failed(t);
            } finally {
                running = false;
            }
        }

        private void failed(Throwable cause) {
            fail(cause);
            ExceptionUtils.rethrowIfFatalError(cause);
        }

        private void fail(Throwable cause) {
            if (base.made().completeExceptionally(cause)) {
                task.post(
                        () -> {
                            settle(this);
                            snapshots.forget(base.id());
                        },
                        "Forget the base of a full checkpoint");
            }
        }
    }
}
