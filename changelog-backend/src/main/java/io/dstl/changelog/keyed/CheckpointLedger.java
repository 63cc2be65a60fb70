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

import io.dstl.materializer.MaterializationId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;

/**
 * What each checkpoint of one keyed backend refers to: the {@link MaterializedBase} as it was at
 * the barrier, plus the log from there on.
 *
 * <p>Owns the base, the checkpoints in flight and their dealings with the log's writer: persist at
 * the barrier, confirm or reset at the outcome, truncate once no later checkpoint can need the log
 * before the base. Does not own the writer's life, nor any file.
 *
 * <p><b>Why truncation is safe.</b> The base only moves forward, so every checkpoint triggered
 * after a completed one starts its log at the same point or later. Earlier checkpoints still in
 * flight keep their segments by pins that the writer's storage holds until their outcome is known.
 *
 * <p><b>Threading.</b> The task thread only, but for the last stage of a snapshot's future, which
 * reads nothing mutable.
 */
final class CheckpointLedger {

    private final KeyGroupRange keyGroupRange;
    private final StateChangelogWriter<? extends ChangelogStateHandle> writer;
    private final ChangelogBackendMetrics metrics;
    private final NavigableMap<Long, InFlight> inFlight = new TreeMap<>();

    private MaterializedBase base;
    private MaterializationId confirmed;
    private boolean baseReported = true;

    CheckpointLedger(
            KeyGroupRange keyGroupRange,
            StateChangelogWriter<? extends ChangelogStateHandle> writer,
            MaterializedBase restored,
            ChangelogBackendMetrics metrics) {
        this.keyGroupRange = requireNonNull(keyGroupRange);
        this.writer = requireNonNull(writer);
        this.metrics = requireNonNull(metrics);
        this.base = requireNonNull(restored);
        this.confirmed = restored.id();
    }

    MaterializedBase base() {
        return base;
    }

    /** Whether a completed checkpoint refers to the current base, or none has to. */
    boolean baseConfirmed() {
        return confirmed.equals(base.id());
    }

    /**
     * Checkpoints start from this base from now on.
     *
     * @return the base that this one replaces, if no checkpoint refers to it: its files are
     *     nobody's
     */
    Optional<MaterializedBase> advance(MaterializedBase next) {
        if (next.id().compareTo(base.id()) <= 0) {
            throw new IllegalStateException(
                    "Materialization " + next.id() + " cannot follow " + base.id());
        }
        Optional<MaterializedBase> abandoned = abandonedBase();
        base = next;
        baseReported = inFlight.values().stream().anyMatch(c -> c.baseId.equals(next.id()));
        return abandoned;
    }

    /**
     * No checkpoint will be taken any more.
     *
     * @return the current base, if no checkpoint refers to it; empty when called again
     */
    Optional<MaterializedBase> close() {
        Optional<MaterializedBase> abandoned = abandonedBase();
        confirmed = base.id();
        return abandoned;
    }

    private Optional<MaterializedBase> abandonedBase() {
        boolean inUse =
                baseConfirmed()
                        || inFlight.values().stream().anyMatch(c -> c.baseId.equals(base.id()));
        return inUse ? Optional.empty() : Optional.of(base);
    }

    /**
     * Persists the current base and the log from there on.
     *
     * @return completed by an uploading thread; exceptionally if the log could not be persisted,
     *     which concerns this checkpoint only
     */
    CompletableFuture<SnapshotResult<KeyedStateHandle>> persist(long checkpointId) {
        MaterializedBase from = base;
        long newlyMaterialized = baseReported ? 0 : from.bytesWritten();
        baseReported = true;
        return persistLog(checkpointId, from.id(), from.logStart())
                .thenApply(log -> handle(checkpointId, from, log, newlyMaterialized));
    }

    /**
     * Persists the log from where a base starts that is still being made for this checkpoint.
     *
     * @param pending the base, once its files are durable
     */
    CompletableFuture<SnapshotResult<KeyedStateHandle>> persist(
            long checkpointId,
            MaterializationId pendingId,
            SequenceNumber logStart,
            CompletableFuture<MaterializedBase> pending) {
        return persistLog(checkpointId, pendingId, logStart)
                .thenCombine(
                        pending,
                        (log, from) -> handle(checkpointId, from, log, from.bytesWritten()));
    }

    private CompletableFuture<? extends SnapshotResult<? extends ChangelogStateHandle>> persistLog(
            long checkpointId, MaterializationId baseId, SequenceNumber logStart) {
        SequenceNumber logEnd = writer.nextSequenceNumber();
        inFlight.put(checkpointId, new InFlight(baseId, logStart, logEnd));
        try {
            return writer.persist(logStart, checkpointId);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * The checkpoint completed: the JobManager owns what it refers to.
     *
     * @return the materialization that this confirms for the first time
     */
    Optional<MaterializationId> complete(long checkpointId) {
        InFlight completed = inFlight.remove(checkpointId);
        if (completed == null) {
            return Optional.empty();
        }
        writer.confirm(completed.logStart, completed.logEnd, checkpointId);
        inFlight.headMap(checkpointId).clear();
        if (completed.baseId.compareTo(confirmed) <= 0) {
            return Optional.empty();
        }
        confirmed = completed.baseId;
        writer.truncate(completed.logStart);
        return Optional.of(confirmed);
    }

    /** The checkpoint will never complete. */
    void abort(long checkpointId) {
        InFlight aborted = inFlight.remove(checkpointId);
        if (aborted != null) {
            writer.reset(aborted.logStart, aborted.logEnd, checkpointId);
        }
    }

    private SnapshotResult<KeyedStateHandle> handle(
            long checkpointId,
            MaterializedBase from,
            SnapshotResult<? extends ChangelogStateHandle> log,
            long newlyMaterialized) {
        ChangelogStateHandle own = log.getJobManagerOwnedSnapshot();
        List<ChangelogStateHandle> logs = new ArrayList<>(from.restoredLogs());
        long newLog = 0;
        if (own != null && own.getStateSize() > 0) {
            logs.add(own);
            newLog = own.getCheckpointedSize();
        }
        CheckpointSize size =
                new CheckpointSize(
                        bytes(from.materialized()), newlyMaterialized, bytes(logs), newLog);
        metrics.persisted(size);
        if (from.materialized().isEmpty() && logs.isEmpty()) {
            return SnapshotResult.empty();
        }
        return SnapshotResult.of(
                new ChangelogStateBackendHandleImpl(
                        from.materialized(),
                        logs,
                        keyGroupRange,
                        checkpointId,
                        from.id().value(),
                        size.added()));
    }

    private static long bytes(List<? extends StateObject> handles) {
        return handles.stream().mapToLong(StateObject::getStateSize).sum();
    }

    /** One checkpoint between its barrier and its outcome. */
    private static final class InFlight {
        final MaterializationId baseId;
        final SequenceNumber logStart;
        final SequenceNumber logEnd;

        InFlight(MaterializationId baseId, SequenceNumber logStart, SequenceNumber logEnd) {
            this.baseId = baseId;
            this.logStart = logStart;
            this.logEnd = logEnd;
        }
    }
}
