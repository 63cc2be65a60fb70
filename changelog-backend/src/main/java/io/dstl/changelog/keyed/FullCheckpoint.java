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

import io.dstl.materializer.Materialization;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;

/**
 * A checkpoint that refers to no file of an earlier one: asked for by the user, or by Flink after a
 * restore in NO_CLAIM mode, so that the checkpoint restored from can be deleted.
 *
 * <p>It is a materialization that the checkpoint waits for: a snapshot of the delegate that reuses
 * nothing, and the log from there on. The snapshot becomes the base of the checkpoints after it.
 *
 * <p>Threading: taken on the task thread; the snapshot is written by the thread that runs the
 * future, and adopted back on the task thread, before the checkpoint can be confirmed there.
 */
final class FullCheckpoint {

    private final DelegateSnapshots<?> snapshots;
    private final CheckpointLedger ledger;
    private final DelegateMaterialization materialization;
    private final MailboxExecutor mailbox;

    FullCheckpoint(
            DelegateSnapshots<?> snapshots,
            CheckpointLedger ledger,
            DelegateMaterialization materialization,
            MailboxExecutor mailbox) {
        this.snapshots = requireNonNull(snapshots);
        this.ledger = requireNonNull(ledger);
        this.materialization = requireNonNull(materialization);
        this.mailbox = requireNonNull(mailbox);
    }

    /**
     * @param options of the checkpoint: how far files may be shared; not where they go, since they
     *     outlive this checkpoint
     */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> take(
            long checkpointId, CheckpointOptions options) throws Exception {
        Materialization full = snapshots.take(options);
        CompletableFuture<MaterializedBase> base = new CompletableFuture<>();
        CompletableFuture<SnapshotResult<KeyedStateHandle>> checkpoint =
                ledger.persist(checkpointId, full.id(), full.upTo(), base);
        return new FutureTask<SnapshotResult<KeyedStateHandle>>(
                () -> {
                    base.complete(write(full));
                    return checkpoint.get();
                }) {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                full.upload().cancel(mayInterruptIfRunning);
                return super.cancel(mayInterruptIfRunning);
            }
        };
    }

    private MaterializedBase write(Materialization full) throws Exception {
        full.upload().run();
        SnapshotResult<KeyedStateHandle> result = full.upload().get();
        MaterializedBase base = MaterializedBase.snapshotted(full.id(), result, full.upTo());
        mailbox.execute(() -> materialization.adopt(base), "adopt %s", full);
        return base;
    }
}
