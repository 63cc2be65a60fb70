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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.materializer.Materialization;
import io.dstl.materializer.StallWatch;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.configuration.CheckpointingOptions;
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
 * <p><b>The upload outlives its checkpoint.</b> A large state may take longer to upload than {@code
 * execution.checkpointing.timeout} allows. So the upload goes on when its checkpoint is aborted,
 * and the next full one starts from it; checkpoints that may share files start from the base before
 * meanwhile. It is given up if it gets nowhere for as long as a {@link StallWatch} allows, and when
 * the task ends.
 *
 * <p>Threading: the task thread; the snapshot is written by a thread that runs a future, and made
 * known on the task thread.
 */
final class FullCheckpoint {
    private static final Logger LOG = LoggerFactory.getLogger(FullCheckpoint.class);

    private final DelegateSnapshots<?> snapshots;
    private final CheckpointLedger ledger;
    private final SnapshotBackups backups;
    private final StallWatch stallWatch;
    private final MailboxExecutor mailbox;
    private final String task;

    /** The last one that was begun, until the ledger knows how it ended. */
    private Optional<Upload> underWay = Optional.empty();

    /**
     * @param stallWatch this one's alone
     * @param task with the subtask and the operator, for logs
     */
    FullCheckpoint(
            DelegateSnapshots<?> snapshots,
            CheckpointLedger ledger,
            SnapshotBackups backups,
            StallWatch stallWatch,
            MailboxExecutor mailbox,
            String task) {
        this.snapshots = requireNonNull(snapshots);
        this.ledger = requireNonNull(ledger);
        this.backups = requireNonNull(backups);
        this.stallWatch = requireNonNull(stallWatch);
        this.mailbox = requireNonNull(mailbox);
        this.task = requireNonNull(task);
    }

    /** Does what {@link #take} does, and replaces a base that has more key groups than the task. */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> takeAfterRescaling(
            long checkpointId, CheckpointOptions options, KeyGroupRange own) throws Exception {
        if (!ledger.joinFull()) {
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
            begin(options);
        }
        return join(checkpointId);
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
                    task);
            begin(ledger.base().forNext(options));
        }
        return join(checkpointId);
    }

    /**
     * @param options of the checkpoint: how far files may be shared; not where they go, since they
     *     outlive this checkpoint
     */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> take(
            long checkpointId, CheckpointOptions options) throws Exception {
        if (!ledger.joinFull()) {
            begin(options);
        }
        return join(checkpointId);
    }

    private void begin(CheckpointOptions options) throws Exception {
        Upload upload = new Upload(snapshots.take(options));
        ledger.expect(upload.base);
        underWay = Optional.of(upload);
    }

    /**
     * Persists a checkpoint that starts from a full base. Whichever future is run first writes
     * that; the others wait for it.
     */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> join(long checkpointId) {
        CompletableFuture<SnapshotResult<KeyedStateHandle>> checkpoint =
                ledger.persist(checkpointId);
        Optional<Upload> joined = underWay;
        return new FutureTask<SnapshotResult<KeyedStateHandle>>(
                () -> {
                    joined.ifPresent(Upload::writeOnce);
                    return checkpoint.get();
                }) {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                boolean cancelled = super.cancel(false);
                checkpoint.cancel(false);
                return cancelled;
            }
        };
    }

    /** The checkpoint was aborted, and no other waits for the base that is being made. */
    void outlives(long checkpointId) {
        underWay.ifPresent(upload -> outlives(upload, checkpointId));
    }

    private void outlives(Upload upload, long checkpointId) {
        if (upload.forestall()) {
            upload.cancel();
            return;
        }
        LOG.info(
                "Checkpoint {} of {} was aborted while the whole state was uploaded for it. The"
                        + " upload goes on: the next checkpoint that needs it starts from it.",
                checkpointId,
                task);
        if (!upload.watched) {
            upload.watched = true;
            stallWatch.watch(upload, () -> post(() -> hangs(upload)));
        }
    }

    private void hangs(Upload upload) {
        if (upload.base.made().isDone() || stallWatch.goesOn()) {
            return;
        }
        LOG.warn(
                "The upload of the whole state of {}, which has outlived its checkpoint, was given"
                        + " up: for {} s nothing that it writes has got anywhere. See that this"
                        + " TaskManager reaches the file system of {}. The next checkpoint that"
                        + " needs the whole state uploads it anew.",
                task,
                stallWatch.allowed().getSeconds(),
                CheckpointingOptions.CHECKPOINTS_DIRECTORY.key());
        upload.giveUp();
    }

    private void settle(Upload upload) {
        ledger.settle(upload.base);
        if (underWay.equals(Optional.of(upload))) {
            underWay = Optional.empty();
            stallWatch.end();
        }
    }

    /** The task ends, and so does the upload. To be called after the ledger's end. Idempotent. */
    void end() {
        stallWatch.end();
        underWay.ifPresent(upload -> upload.full.upload().cancel(true));
        underWay = Optional.empty();
    }

    private void post(Runnable mail) {
        try {
            mailbox.execute(mail::run, "Settle the base of a full checkpoint");
        } catch (RejectedExecutionException e) {
            LOG.debug("The task ends, and with it the ledger, which settles what is open.", e);
        }
    }

    /**
     * The snapshot of a full checkpoint on its way. It is made or it fails, and the base with it,
     * once.
     *
     * <p>Thread-safe, but for {@link #watched}.
     */
    private final class Upload implements StallWatch.Watched {
        private final Materialization full;
        private final MaterializedBase.Pending base;

        @GuardedBy("this")
        private boolean begun;

        @GuardedBy("this")
        private Optional<Thread> writer = Optional.empty();

        /** The task thread's. */
        private boolean watched;

        Upload(Materialization full) {
            this.full = full;
            this.base = new MaterializedBase.Pending(full.id(), full.upTo());
        }

        /** Returns at once if it has begun, on whatever thread. */
        void writeOnce() {
            if (!begin(Optional.of(Thread.currentThread()))) {
                return;
            }
            try {
                write();
            } finally {
                ended();
            }
        }

        /**
         * @return whether it had not begun, and never will
         */
        boolean forestall() {
            return begin(Optional.empty());
        }

        private synchronized boolean begin(Optional<Thread> by) {
            boolean first = !begun;
            begun = true;
            if (first) {
                writer = by;
            }
            return first;
        }

        private synchronized void ended() {
            writer = Optional.empty();
        }

        @Override
        public synchronized boolean isRunning() {
            return writer.isPresent();
        }

        @Override
        public long steps() {
            return full.steps();
        }

        /** Of one that has not begun. */
        void cancel() {
            full.upload().cancel(true);
            fail(new CancellationException(full + " was cancelled before it began"));
        }

        /** Closes nothing, as that may hang as well, and this is the task thread. */
        void giveUp() {
            fail(new TimeoutException(full + " got nowhere, and was given up"));
            synchronized (this) {
                writer.ifPresent(Thread::interrupt);
            }
        }

        private void write() {
            try {
                full.upload().run();
                SnapshotResult<KeyedStateHandle> result = backups.keep(full.upload().get());
                MaterializedBase made =
                        MaterializedBase.snapshotted(full.id(), result, full.upTo());
                if (base.made().complete(made)) {
                    post(() -> settle(this));
                } else {
                    backups.discard(made);
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
                            settle(this);
                            snapshots.forget(base.id());
                        });
            }
        }
    }
}
