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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupsSavepointStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.SequenceNumber;

/**
 * What the next checkpoint refers to beside this writer's own log: the last materialization, the
 * logs restored on top of it, and the point of our log from which changes have to follow.
 *
 * <p>Immutable, but for who answers for its files. They are this task's until a handle with them
 * has been made: from then on the JobManager may know them, and may have put them into a completed
 * checkpoint, whatever the task hears of it. So they are either given or abandoned, and whichever
 * comes first wins.
 *
 * <p>Thread-safe.
 */
final class MaterializedBase {

    private enum Files {
        OURS,
        GIVEN,
        ABANDONED
    }

    private final MaterializationId id;
    private final BaseHandles remote;
    private final Optional<BaseHandles> backup;
    private final SequenceNumber logStart;
    private final long bytesWritten;
    private final AtomicReference<Files> files;

    private MaterializedBase(
            MaterializationId id,
            BaseHandles remote,
            Optional<BaseHandles> backup,
            SequenceNumber logStart,
            long bytesWritten,
            Files files) {
        this.id = requireNonNull(id);
        this.remote = requireNonNull(remote);
        this.backup = requireNonNull(backup);
        this.logStart = requireNonNull(logStart);
        this.bytesWritten = bytesWritten;
        this.files = new AtomicReference<>(files);
    }

    /**
     * What a checkpoint held that the backend starts from.
     *
     * @param id of its materialization; 0 if there was none
     * @param remote its logs come before our own
     * @param backup what the local disk holds of it, the rest as in {@code remote}
     */
    static MaterializedBase restored(
            MaterializationId id,
            BaseHandles remote,
            Optional<BaseHandles> backup,
            SequenceNumber logStart) {
        return new MaterializedBase(id, remote, backup, logStart, 0, Files.GIVEN);
    }

    /**
     * What a snapshot of the delegate has made durable.
     *
     * @param snapshot may be empty, as the delegate may hold no state
     * @param upTo the end of the part of our log that the snapshot covers, exclusive
     */
    static MaterializedBase snapshotted(
            MaterializationId id, SnapshotResult<KeyedStateHandle> snapshot, SequenceNumber upTo) {
        KeyedStateHandle handle = snapshot.getJobManagerOwnedSnapshot();
        return new MaterializedBase(
                id,
                new BaseHandles(handle == null ? List.of() : List.of(handle), List.of()),
                Optional.ofNullable(snapshot.getTaskLocalSnapshot())
                        .map(local -> new BaseHandles(List.of(local), List.of())),
                upTo,
                handle == null ? 0 : handle.getCheckpointedSize(),
                Files.OURS);
    }

    /**
     * To be called before a handle with the files leaves the task.
     *
     * @throws CancellationException if they have been abandoned
     */
    void give() {
        if (!files.compareAndSet(Files.OURS, Files.GIVEN) && files.get() == Files.ABANDONED) {
            throw new CancellationException("Materialization " + id + " has been given up");
        }
    }

    /** Whether the files are nobody's from now on: false if they may be part of a checkpoint. */
    boolean abandon() {
        return files.compareAndSet(Files.OURS, Files.ABANDONED);
    }

    MaterializationId id() {
        return id;
    }

    /** What the JobManager knows, or will. */
    BaseHandles remote() {
        return remote;
    }

    /** The same for a task that restarts on this TaskManager, where its local disk holds a part. */
    Optional<BaseHandles> backup() {
        return backup;
    }

    /** The files of the delegate's snapshot, its backup included. */
    List<KeyedStateHandle> files() {
        List<KeyedStateHandle> files = new ArrayList<>(remote.materialized());
        backup.map(BaseHandles::materialized).ifPresent(files::addAll);
        return files;
    }

    /** Inclusive. */
    SequenceNumber logStart() {
        return logStart;
    }

    /** What had to be written for it: less than its size where files could be reused. */
    long bytesWritten() {
        return bytesWritten;
    }

    /**
     * Whether it is a canonical savepoint that was restored. Its files may be deleted as soon as
     * there is a later checkpoint, and Flink writes their paths into that one as if they were in
     * its own directory.
     */
    boolean isSavepoint() {
        return remote.materialized().stream()
                .anyMatch(KeyGroupsSavepointStateHandle.class::isInstance);
    }

    /**
     * Whether a file of it has key groups beyond the given ones, as after a restore at another
     * parallelism. RocksDB's incremental handles keep the range of the task that wrote them. A
     * later restore that takes other key groups into the same task would go by that range, and find
     * there what those key groups were once: entries that have long been removed.
     */
    boolean reachesBeyond(KeyGroupRange keyGroups) {
        return remote.materialized().stream()
                .map(KeyedStateHandle::getKeyGroupRange)
                .anyMatch(
                        range ->
                                !keyGroups.contains(range.getStartKeyGroup())
                                        || !keyGroups.contains(range.getEndKeyGroup()));
    }

    /** Whether nothing has changed up to the given end of our log, exclusive. */
    boolean covers(SequenceNumber logEnd) {
        return remote.logs().isEmpty() && logStart.compareTo(logEnd) >= 0;
    }
}
