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

import io.dstl.materializer.Materialization.MaterializationId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.checkpoint.SnapshotType.SharingFilesStrategy;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;

/**
 * Takes the checkpoints of one keyed backend, each in the way its type asks for, and passes their
 * outcome on to whoever has to know.
 *
 * <p>Owns nothing of its own: the ledger knows the checkpoints, the delegate its snapshots.
 *
 * <p>Threading: the task thread.
 */
final class KeyedCheckpoints<K> {
    private final LoggedStateDirectory<K> states;
    private final DelegateSnapshots<K> snapshots;
    private final CheckpointLedger ledger;
    private final FullCheckpoint full;
    private final SnapshotBackups backups;
    private final KeyGroupRange keyGroups;

    /**
     * @param keyGroups of this task
     */
    KeyedCheckpoints(
            LoggedStateDirectory<K> states,
            DelegateSnapshots<K> snapshots,
            CheckpointLedger ledger,
            FullCheckpoint full,
            SnapshotBackups backups,
            KeyGroupRange keyGroups) {
        this.states = requireNonNull(states);
        this.snapshots = requireNonNull(snapshots);
        this.ledger = requireNonNull(ledger);
        this.full = requireNonNull(full);
        this.backups = requireNonNull(backups);
        this.keyGroups = requireNonNull(keyGroups);
    }

    /**
     * A checkpoint is the last materialization plus the log. Where it may share no file with those
     * before, has only files before it that it can't list, as those of a savepoint, or not for
     * long, as those in the directory of a checkpoint, or files of a task with more key groups, the
     * delegate is snapshotted for it, and it waits for that, as do those after it; a native
     * savepoint, which has to stand alone in its directory, is the delegate's snapshot and nothing
     * else.
     */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> take(
            long checkpointId,
            long timestamp,
            CheckpointStreamFactory streams,
            CheckpointOptions options)
            throws Exception {
        states.checkLogged();
        SnapshotType type = options.getCheckpointType();
        boolean mayShare =
                !type.isSavepoint()
                        && type.getSharingFilesStrategy() == SharingFilesStrategy.FORWARD_BACKWARD
                        && !ledger.base().cannotBeListed();
        boolean shares =
                mayShare
                        && !ledger.base().reachesBeyond(keyGroups)
                        && !ledger.base().isOfCheckpoint();
        if (shares && !ledger.awaitsBase()) {
            return new SnapshotFuture<>(states.afterReplay(ledger.persist(checkpointId)));
        }
        states.awaitReplay();
        if (!states.complete()) {
            return new SnapshotFuture<>(CompletableFuture.failedFuture(states.incomplete()));
        }
        if (type.isSavepoint()) {
            return backups.asSavepoint(
                    checkpointId, snapshots.takeSavepoint(timestamp, streams, options));
        }
        if (shares) {
            return full.join(checkpointId);
        }
        if (ledger.base().cannotBeListed()) {
            return full.takeAfterStart(checkpointId, options);
        }
        if (!mayShare) {
            return full.take(checkpointId, options);
        }
        return ledger.base().isOfCheckpoint()
                ? full.takeAfterSwitch(checkpointId, options)
                : full.takeAfterRescaling(checkpointId, options, keyGroups);
    }

    void complete(long checkpointId) throws Exception {
        Optional<MaterializationId> confirmed = ledger.complete(checkpointId);
        if (confirmed.isPresent()) {
            snapshots.confirm(confirmed.get());
        }
    }

    void abort(long checkpointId) {
        if (ledger.abort(checkpointId)) {
            full.outlives(checkpointId);
        }
    }

    /** All retained checkpoints are later than this one. */
    void subsume(long checkpointId) {
        ledger.subsume(checkpointId);
    }

    /** Ends the checkpoints, and deletes the files that none of them was given. Idempotent. */
    void end() {
        ledger.close();
        full.end();
    }

    /**
     * A snapshot that others complete. Flink's checkpointing wants a task to run; here the
     * uploading threads do the work, so there is nothing to run and {@link #get()} waits for them.
     */
    static class SnapshotFuture<T> implements RunnableFuture<T> {
        private final Future<T> result;

        SnapshotFuture(Future<T> result) {
            this.result = requireNonNull(result);
        }

        @Override
        public void run() {
            // The uploading threads complete the result.
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return result.cancel(mayInterruptIfRunning);
        }

        @Override
        public boolean isCancelled() {
            return result.isCancelled();
        }

        @Override
        public boolean isDone() {
            return result.isDone();
        }

        @Override
        public T get() throws InterruptedException, ExecutionException {
            return result.get();
        }

        @Override
        public T get(long timeout, TimeUnit unit)
                throws InterruptedException, ExecutionException, TimeoutException {
            return result.get(timeout, unit);
        }
    }
}
