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
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
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

    /** Does what {@link #take} does, and replaces a base that no checkpoint can list. */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> takeAfterStart(
            long checkpointId, CheckpointOptions options) throws Exception {
        if (!ledger.hasPending()) {
            LOG.info(
                    "Checkpoint {} of {} uploads the whole state, as no checkpoint can list the"
                            + " files that the job was started from: those of a savepoint, or merged"
                            + " ones. It takes as long as without a changelog; the next ones are"
                            + " small again.",
                    checkpointId,
                    task);
        }
        return take(checkpointId, ledger.base().forNext(options));
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
        CompletableFuture<SnapshotResult<KeyedStateHandle>> checkpoint =
                ledger.persist(checkpointId);
        return new FutureTask<SnapshotResult<KeyedStateHandle>>(
                () -> {
                    write(full, base);
                    return checkpoint.get();
                }) {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                full.upload().cancel(mayInterruptIfRunning);
                fail(base, new CancellationException(full + " was cancelled"));
                return super.cancel(mayInterruptIfRunning);
            }
        };
    }

    private void write(Materialization full, MaterializedBase.Pending base) {
        try {
            full.upload().run();
            SnapshotResult<KeyedStateHandle> result = backups.keep(full.upload().get());
            MaterializedBase made = MaterializedBase.snapshotted(full.id(), result, full.upTo());
            if (base.made().complete(made)) {
                post(() -> ledger.settle(base));
            } else {
                abandoned.discard(made);
            }
        } catch (ExecutionException e) {
            fail(base, e.getCause());
        } catch (Throwable t) {
            fail(base, t);
        }
    }

    private void fail(MaterializedBase.Pending base, Throwable cause) {
        if (base.made().completeExceptionally(cause)) {
            post(
                    () -> {
                        ledger.settle(base);
                        snapshots.forget(base.id());
                    });
        }
    }

    private void post(Runnable mail) {
        try {
            mailbox.execute(mail::run, "Settle the base of a full checkpoint");
        } catch (RejectedExecutionException e) {
            LOG.debug("The task ends, and with it the ledger, which settles what is open.", e);
        }
    }
}
