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

import io.dstl.changelog.keyed.LoggedStateDirectory.QueueRewrite;
import io.dstl.materializer.LogSize;
import io.dstl.materializer.Materialization;
import io.dstl.materializer.Materialization.MaterializationId;
import io.dstl.materializer.MaterializationTarget;
import io.dstl.store.ThrottledException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Materializes one keyed backend in the background: a snapshot of the delegate replaces the log
 * before it.
 *
 * <p>Owns neither the time of a materialization (the trigger in {@code io.dstl.materializer}) nor
 * its use in checkpoints ({@link CheckpointLedger}).
 *
 * <p>Only the log has the queues that the delegate leaves out of its snapshots (RocksDB's timers on
 * the heap). Once the snapshot is durable, they are written into the new log, part by part, while
 * the storage has room. The base advances after the last part. Until then checkpoints list the
 * previous base and log, which are complete.
 *
 * <p>The delegate reuses the files of the last snapshot that it knows to be part of a completed
 * checkpoint. So a materialization waits until a completed checkpoint refers to the previous one.
 *
 * <p>Threading: the task thread.
 */
final class DelegateMaterialization implements MaterializationTarget {
    private static final Logger LOG = LoggerFactory.getLogger(DelegateMaterialization.class);

    private final LoggedStateDirectory<?> states;
    private final DelegateSnapshots<?> snapshots;
    private final CheckpointLedger ledger;
    private final AbandonedFiles abandoned;
    private final Supplier<CompletableFuture<?>> roomInTheLog;
    private final SnapshotPreparation preparation;

    private Optional<QueueRewrite> queueRewrite = Optional.empty();
    private boolean warned;

    DelegateMaterialization(
            LoggedStateDirectory<?> states,
            DelegateSnapshots<?> snapshots,
            CheckpointLedger ledger,
            AbandonedFiles abandoned,
            Supplier<CompletableFuture<?>> roomInTheLog,
            SnapshotPreparation preparation) {
        this.states = requireNonNull(states);
        this.snapshots = requireNonNull(snapshots);
        this.ledger = requireNonNull(ledger);
        this.abandoned = requireNonNull(abandoned);
        this.roomInTheLog = requireNonNull(roomInTheLog);
        this.preparation = requireNonNull(preparation);
    }

    @Override
    public boolean ready() {
        if (!ledger.mayBegin()) {
            LOG.debug(
                    "Materialization {} is not part of a completed checkpoint yet, or a full"
                            + " checkpoint is under way.",
                    ledger.base().id());
            return false;
        }
        if (states.isReplaying()) {
            LOG.debug("The restored log is still replayed. No checkpoint completes until it is.");
            return false;
        }
        // The flush and the snapshot need the whole state.
        states.awaitReplay();
        if (!states.complete()) {
            warnOnce(states.incomplete().getMessage());
            return false;
        }
        return true;
    }

    @Override
    public Optional<LogSize> size() {
        return ledger.size();
    }

    @Override
    public Optional<WorkAhead> flushAhead(Flush which) {
        return isCovered() ? Optional.empty() : preparation.flushAhead(states.names(), which);
    }

    @Override
    public boolean putOff() {
        return !isCovered() && preparation.putOff(states.names());
    }

    @Override
    public Optional<Materialization> begin() throws Exception {
        if (isCovered()) {
            return Optional.empty();
        }
        return Optional.of(
                snapshots.begin(
                        ledger.base()
                                .forNext(CheckpointOptions.forCheckpointWithDefaultLocation())));
    }

    private boolean isCovered() {
        MaterializedBase base = ledger.base();
        return base.covers(snapshots.logEnd(), snapshots.hasAllStates(base.id()));
    }

    private void warnOnce(String reason) {
        if (!warned) {
            warned = true;
            LOG.warn("The log is not materialized, and grows, until this has changed: {}", reason);
        }
    }

    @Override
    public Optional<CompletableFuture<?>> prepareLog(Materialization materialization)
            throws IOException {
        QueueRewrite rewrite = queueRewrite.orElseGet(states::rewriteQueues);
        queueRewrite = Optional.of(rewrite);
        return rewrite.next() ? Optional.of(roomInTheLog.get()) : Optional.empty();
    }

    @Override
    public void complete(Materialization materialization, SnapshotResult<KeyedStateHandle> result) {
        ledger.advance(
                MaterializedBase.snapshotted(
                        materialization.id(),
                        abandoned.keepBackup(result),
                        materialization.upTo()));
        queueRewrite = Optional.empty();
    }

    @Override
    public boolean isThrottled(Throwable failure) {
        return ThrottledException.isIn(failure);
    }

    @Override
    public void fail(MaterializationId id, Throwable cause) {
        queueRewrite = Optional.empty();
        snapshots.forget(id);
    }

    @Override
    public void cancel(MaterializationId id) {
        queueRewrite = Optional.empty();
        snapshots.forget(id);
    }
}
