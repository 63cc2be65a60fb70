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
import static java.util.stream.Collectors.joining;

import io.dstl.materializer.Materialization;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A checkpoint that refers to no file of an earlier one: asked for by the user, or by Flink after a
 * restore in NO_CLAIM mode, so that the checkpoint restored from can be deleted.
 *
 * <p>It is a materialization that the checkpoint waits for: a snapshot of the delegate that reuses
 * nothing, and the log from there on. The snapshot becomes the base of the checkpoints after it.
 *
 * <p><b>It goes on when its checkpoint is given up</b>: the next one starts from it all the same.
 * Otherwise a state that takes longer to upload than a checkpoint may take would never be uploaded.
 * It is given up as well if it has got nowhere from one barrier to the next, and when the task
 * ends.
 *
 * <p>Threading: taken on the task thread; the snapshot is written by the thread that runs the
 * future, and made known on the task thread.
 */
final class FullCheckpoint {
    private static final Logger LOG = LoggerFactory.getLogger(FullCheckpoint.class);

    private final DelegateSnapshots<?> snapshots;
    private final CheckpointLedger ledger;
    private final SnapshotBackups backups;
    private final AbandonedFiles abandoned;
    private final MailboxExecutor mailbox;
    private final String task;

    /** The last one that was begun. */
    private Optional<Upload> last = Optional.empty();

    /**
     * @param task with the subtask and the operator, for logs
     */
    FullCheckpoint(
            DelegateSnapshots<?> snapshots,
            CheckpointLedger ledger,
            SnapshotBackups backups,
            AbandonedFiles abandoned,
            MailboxExecutor mailbox,
            String task) {
        this.snapshots = requireNonNull(snapshots);
        this.ledger = requireNonNull(ledger);
        this.backups = requireNonNull(backups);
        this.abandoned = requireNonNull(abandoned);
        this.mailbox = requireNonNull(mailbox);
        this.task = requireNonNull(task);
    }

    /** Does what {@link #take} does, and replaces a base that has more key groups than the task. */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> takeAfterRescaling(
            long checkpointId, CheckpointOptions options, KeyGroupRange own) throws Exception {
        if (!ledger.hasPending()) {
            List<KeyedStateHandle> files = ledger.base().remote().materialized();
            LOG.info(
                    "Checkpoint {} of {} uploads the whole state of its key groups {}, as the"
                            + " first one after a change of the parallelism: what it was restored"
                            + " from has key groups {}, of {} bytes. It takes as long as without a"
                            + " changelog; the next ones are small again.",
                    checkpointId,
                    task,
                    own.prettyPrintInterval(),
                    files.stream()
                            .map(file -> file.getKeyGroupRange().prettyPrintInterval())
                            .collect(joining(" and ")),
                    files.stream().mapToLong(KeyedStateHandle::getStateSize).sum());
        }
        return take(checkpointId, options);
    }

    /**
     * @param options of the checkpoint: how far files may be shared; not where they go, since they
     *     outlive this checkpoint
     */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> take(
            long checkpointId, CheckpointOptions options) throws Exception {
        if (ledger.hasPending()) {
            // A full base is being made already, and this checkpoint starts from it.
            return new KeyedCheckpoints.SnapshotFuture<>(ledger.persist(checkpointId));
        }
        Materialization full = snapshots.take(options);
        MaterializedBase.Pending base = new MaterializedBase.Pending(full.id(), full.upTo());
        ledger.expect(base);
        Upload upload = new Upload(full, base, checkpointId, ledger.persist(checkpointId));
        last = Optional.of(upload);
        return upload.future();
    }

    /** To be called at each barrier, ahead of all else. */
    void barrier() {
        last.ifPresent(Upload::look);
        last = last.filter(upload -> !upload.base.made().isDone());
    }

    private void post(Runnable mail) {
        try {
            mailbox.execute(mail::run, "Settle the base of a full checkpoint");
        } catch (RejectedExecutionException e) {
            LOG.debug("The task ends, and with it the ledger, which settles what is open.", e);
        }
    }

    /** Writes the snapshot of one full checkpoint. */
    private final class Upload {
        private final Materialization full;
        private final MaterializedBase.Pending base;
        private final long checkpointId;
        private final CompletableFuture<SnapshotResult<KeyedStateHandle>> checkpoint;

        /** By the thread that writes, or by the one that gives it up before that. */
        private final AtomicBoolean begun = new AtomicBoolean();

        private volatile boolean withoutCheckpoint;

        /** {@link Materialization#steps} at the last barrier. */
        private long steps;

        Upload(
                Materialization full,
                MaterializedBase.Pending base,
                long checkpointId,
                CompletableFuture<SnapshotResult<KeyedStateHandle>> checkpoint) {
            this.full = full;
            this.base = base;
            this.checkpointId = checkpointId;
            this.checkpoint = checkpoint;
            this.steps = full.steps();
            base.made()
                    .whenComplete(
                            (made, failure) -> {
                                if (failure != null) {
                                    full.upload().cancel(true);
                                }
                            });
        }

        RunnableFuture<SnapshotResult<KeyedStateHandle>> future() {
            return new FutureTask<SnapshotResult<KeyedStateHandle>>(this::run) {
                @Override
                public boolean cancel(boolean mayInterruptIfRunning) {
                    boolean cancelled = super.cancel(false);
                    if (cancelled) {
                        checkpointGivenUp();
                    }
                    return cancelled;
                }
            };
        }

        private SnapshotResult<KeyedStateHandle> run() throws Exception {
            if (begun.compareAndSet(false, true)) {
                write();
            }
            return checkpoint.get();
        }

        private void checkpointGivenUp() {
            checkpoint.cancel(false);
            if (begun.compareAndSet(false, true)) {
                fail(new CancellationException(full + " was cancelled before it was written"));
            } else if (!base.made().isDone()) {
                withoutCheckpoint = true;
            }
        }

        /** The task thread, at a barrier. */
        void look() {
            long before = steps;
            steps = full.steps();
            if (!withoutCheckpoint || base.made().isDone()) {
                return;
            }
            if (steps == before) {
                LOG.warn(
                        "The upload for checkpoint {} of {}, which was given up, has got nowhere"
                                + " since the barrier before this one. It is given up too.",
                        checkpointId,
                        task);
                fail(new CancellationException(full + " got nowhere"));
            } else {
                LOG.info(
                        "The upload for checkpoint {} of {}, which was given up, goes on: the next"
                                + " checkpoint starts from it.",
                        checkpointId,
                        task);
            }
        }

        private void write() {
            try {
                full.upload().run();
                SnapshotResult<KeyedStateHandle> result = backups.keep(full.upload().get());
                MaterializedBase made =
                        MaterializedBase.snapshotted(full.id(), result, full.upTo());
                if (base.made().complete(made)) {
                    post(() -> ledger.settle(base));
                } else {
                    abandoned.discard(made);
                }
            } catch (ExecutionException e) {
                fail(e.getCause());
            } catch (Throwable t) {
                fail(t);
            }
        }

        private void fail(Throwable cause) {
            if (base.made().completeExceptionally(cause)) {
                post(
                        () -> {
                            ledger.settle(base);
                            snapshots.forget(base.id());
                        });
            }
        }
    }
}
