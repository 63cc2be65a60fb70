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
import io.dstl.materializer.Materialization.MaterializationId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.checkpoint.SnapshotType.SharingFilesStrategy;
import org.apache.flink.runtime.state.CheckpointBoundKeyedStateHandle;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.SequenceNumber;

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
    private final AbandonedFiles abandoned;
    private final KeyGroupRange keyGroups;

    /**
     * @param keyGroups of this task
     */
    KeyedCheckpoints(
            LoggedStateDirectory<K> states,
            DelegateSnapshots<K> snapshots,
            CheckpointLedger ledger,
            FullCheckpoint full,
            AbandonedFiles abandoned,
            KeyGroupRange keyGroups) {
        this.states = requireNonNull(states);
        this.snapshots = requireNonNull(snapshots);
        this.ledger = requireNonNull(ledger);
        this.full = requireNonNull(full);
        this.abandoned = requireNonNull(abandoned);
        this.keyGroups = requireNonNull(keyGroups);
    }

    /**
     * A checkpoint is the last materialization plus the log. A native savepoint, which has to stand
     * alone in its directory, is a snapshot of the delegate and nothing else. A checkpoint waits
     * for a new materialization if
     *
     * <ul>
     *   <li>one before it still waits;
     *   <li>it can't list the files before it, as those of a savepoint;
     *   <li>it may share no file with those before it;
     *   <li>it can't list them for long, as those in the directory of a checkpoint;
     *   <li>they have key groups of other tasks too.
     * </ul>
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
        if (shares && !ledger.decideToAwaitBase()) {
            return new SnapshotFuture<>(states.afterReplay(ledger.persist(checkpointId, false)));
        }
        states.awaitReplay();
        if (!states.complete()) {
            return new SnapshotFuture<>(CompletableFuture.failedFuture(states.incomplete()));
        }
        if (type.isSavepoint()) {
            return asSavepoint(checkpointId, snapshots.takeSavepoint(timestamp, streams, options));
        }
        if (shares) {
            return full.join(checkpointId, false);
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

    /**
     * What a native savepoint lists of a snapshot. Not its backup, which names no file in the
     * store: checkpoints after a restore from it could refer to nothing. And the id of the
     * savepoint in place of the snapshot's own: RocksDB alone, restored from it, takes no
     * checkpoint with a lower id than that for the base of the next ones.
     */
    private RunnableFuture<SnapshotResult<KeyedStateHandle>> asSavepoint(
            long checkpointId, RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot) {
        return new MappedOnce(
                snapshot, result -> bound(checkpointId, abandoned.dropBackup(result)));
    }

    private static SnapshotResult<KeyedStateHandle> bound(
            long checkpointId, SnapshotResult<KeyedStateHandle> result) {
        KeyedStateHandle handle = result.getJobManagerOwnedSnapshot();
        return handle instanceof CheckpointBoundKeyedStateHandle
                ? SnapshotResult.of(
                        ((CheckpointBoundKeyedStateHandle) handle).rebound(checkpointId))
                : result;
    }

    /**
     * Flink also tells of the checkpoint that the task was restored from, before the first one that
     * is aborted.
     *
     * @return whether it is a checkpoint that this attempt of the task took part in
     */
    boolean complete(long checkpointId) throws Exception {
        boolean known = ledger.isInFlight(checkpointId);
        Optional<MaterializationId> confirmed = ledger.complete(checkpointId);
        if (confirmed.isPresent()) {
            snapshots.confirm(confirmed.get());
        }
        return known;
    }

    void abort(long checkpointId) {
        if (ledger.abort(checkpointId)) {
            full.outlives(checkpointId);
        }
    }

    /** Ends the checkpoints, and deletes the files that none of them was given. Idempotent. */
    void end() {
        ledger.close();
        full.end();
    }

    /** From where on no checkpoint of this task attempt lists the log. */
    SequenceNumber unlisted() {
        return ledger.unlisted();
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

    /**
     * A snapshot of the delegate with another result. Whoever ends one, even the delegate as it
     * closes, ends both, so that a task can tell a cancelled snapshot from a failed one.
     *
     * <p>Thread-safe.
     */
    private static final class MappedOnce extends SnapshotFuture<SnapshotResult<KeyedStateHandle>> {
        private final Runnable snapshot;
        private final UnaryOperator<SnapshotResult<KeyedStateHandle>> map;

        @GuardedBy("this")
        private Optional<SnapshotResult<KeyedStateHandle>> result = Optional.empty();

        /**
         * @param map called once, with the snapshot's own result
         */
        MappedOnce(
                RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot,
                UnaryOperator<SnapshotResult<KeyedStateHandle>> map) {
            super(snapshot);
            this.snapshot = snapshot;
            this.map = requireNonNull(map);
        }

        @Override
        public void run() {
            snapshot.run();
        }

        @Override
        public SnapshotResult<KeyedStateHandle> get()
                throws InterruptedException, ExecutionException {
            return mapped(super.get());
        }

        @Override
        public SnapshotResult<KeyedStateHandle> get(long timeout, TimeUnit unit)
                throws InterruptedException, ExecutionException, TimeoutException {
            return mapped(super.get(timeout, unit));
        }

        private synchronized SnapshotResult<KeyedStateHandle> mapped(
                SnapshotResult<KeyedStateHandle> done) {
            if (result.isEmpty()) {
                result = Optional.of(map.apply(done));
            }
            return result.get();
        }
    }
}
