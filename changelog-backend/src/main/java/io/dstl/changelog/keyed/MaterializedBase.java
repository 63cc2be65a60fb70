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
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
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
    private final List<KeyedStateHandle> materialized;
    private final List<ChangelogStateHandle> restoredLogs;
    private final SequenceNumber logStart;
    private final long bytesWritten;
    private final AtomicReference<Files> files;

    private MaterializedBase(
            MaterializationId id,
            List<KeyedStateHandle> materialized,
            List<ChangelogStateHandle> restoredLogs,
            SequenceNumber logStart,
            long bytesWritten,
            Files files) {
        this.id = requireNonNull(id);
        this.materialized = List.copyOf(materialized);
        this.restoredLogs = List.copyOf(restoredLogs);
        this.logStart = requireNonNull(logStart);
        this.bytesWritten = bytesWritten;
        this.files = new AtomicReference<>(files);
    }

    /**
     * What a checkpoint held that the backend starts from.
     *
     * @param id of its materialization; 0 if there was none
     * @param logs replayed before our own log, in this order
     */
    static MaterializedBase restored(
            MaterializationId id,
            List<KeyedStateHandle> materialized,
            List<ChangelogStateHandle> logs,
            SequenceNumber logStart) {
        return new MaterializedBase(id, materialized, logs, logStart, 0, Files.GIVEN);
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
                handle == null ? List.of() : List.of(handle),
                List.of(),
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

    List<KeyedStateHandle> materialized() {
        return materialized;
    }

    List<ChangelogStateHandle> restoredLogs() {
        return restoredLogs;
    }

    /** Inclusive. */
    SequenceNumber logStart() {
        return logStart;
    }

    /** What had to be written for it: less than its size where files could be reused. */
    long bytesWritten() {
        return bytesWritten;
    }

    /** Whether nothing has changed up to the given end of our log, exclusive. */
    boolean covers(SequenceNumber logEnd) {
        return restoredLogs.isEmpty() && logStart.compareTo(logEnd) >= 0;
    }
}
