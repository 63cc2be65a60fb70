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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.changelog.keyed.KeyedCheckpoints.SnapshotFuture;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.apache.flink.runtime.state.CheckpointBoundKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;

/**
 * Decides which local backups of the delegate's snapshots to keep: those of a task that recovers
 * from its local disk, as long as a checkpoint can list them. Deletes the others. Flink deletes
 * those that were listed, with the last checkpoint that lists them.
 *
 * <p>Thread-safe.
 */
final class SnapshotBackups {
    private final boolean kept;
    private final AbandonedFiles abandoned;

    /**
     * @param kept whether checkpoints list backups at all
     */
    SnapshotBackups(boolean kept, AbandonedFiles abandoned) {
        this.kept = kept;
        this.abandoned = requireNonNull(abandoned);
    }

    /** Returns the snapshot of a materialization, with its backup if backups are kept. */
    SnapshotResult<KeyedStateHandle> keep(SnapshotResult<KeyedStateHandle> snapshot) {
        return kept ? snapshot : drop(snapshot);
    }

    /** Deletes a base, with its backup, unless a checkpoint may refer to it. */
    void discard(MaterializedBase base) {
        abandoned.discard(base);
    }

    /**
     * What a native savepoint lists of a snapshot. Not its backup, which names no file in the
     * store: checkpoints after a restore from it could refer to nothing. And the id of the
     * savepoint in place of the snapshot's own: RocksDB alone, restored from it, takes no
     * checkpoint with a lower id than that for the base of the next ones.
     */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> asSavepoint(
            long checkpointId, RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot) {
        return new WithoutBackup(snapshot, result -> bound(checkpointId, drop(result)));
    }

    private static SnapshotResult<KeyedStateHandle> bound(
            long checkpointId, SnapshotResult<KeyedStateHandle> result) {
        KeyedStateHandle handle = result.getJobManagerOwnedSnapshot();
        return handle instanceof CheckpointBoundKeyedStateHandle
                ? SnapshotResult.of(
                        ((CheckpointBoundKeyedStateHandle) handle).rebound(checkpointId))
                : result;
    }

    private SnapshotResult<KeyedStateHandle> drop(SnapshotResult<KeyedStateHandle> snapshot) {
        abandoned.discardBackup(snapshot);
        return SnapshotResult.of(snapshot.getJobManagerOwnedSnapshot());
    }

    /**
     * A snapshot of the delegate without the backup in its result. Whoever ends one, even the
     * delegate as it closes, ends both, so that a task can tell a cancelled snapshot from a failed
     * one.
     *
     * <p>Thread-safe.
     */
    private static final class WithoutBackup
            extends SnapshotFuture<SnapshotResult<KeyedStateHandle>> {
        private final Runnable snapshot;
        private final UnaryOperator<SnapshotResult<KeyedStateHandle>> drop;

        @GuardedBy("this")
        private Optional<SnapshotResult<KeyedStateHandle>> result = Optional.empty();

        /**
         * @param drop called once, with the result; deletes the backup
         */
        WithoutBackup(
                RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot,
                UnaryOperator<SnapshotResult<KeyedStateHandle>> drop) {
            super(snapshot);
            this.snapshot = snapshot;
            this.drop = requireNonNull(drop);
        }

        @Override
        public void run() {
            snapshot.run();
        }

        @Override
        public SnapshotResult<KeyedStateHandle> get()
                throws InterruptedException, ExecutionException {
            return without(super.get());
        }

        @Override
        public SnapshotResult<KeyedStateHandle> get(long timeout, TimeUnit unit)
                throws InterruptedException, ExecutionException, TimeoutException {
            return without(super.get(timeout, unit));
        }

        private synchronized SnapshotResult<KeyedStateHandle> without(
                SnapshotResult<KeyedStateHandle> done) {
            if (result.isEmpty()) {
                result = Optional.of(drop.apply(done));
            }
            return result.get();
        }
    }
}
