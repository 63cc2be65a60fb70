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
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.SequenceNumber;

/**
 * What the next checkpoint refers to beside this writer's own log: the last materialization, the
 * logs restored on top of it, and the point of our log from which changes have to follow.
 * Immutable.
 */
final class MaterializedBase {

    private final MaterializationId id;
    private final List<KeyedStateHandle> materialized;
    private final List<ChangelogStateHandle> restoredLogs;
    private final SequenceNumber logStart;
    private final long bytesWritten;

    private MaterializedBase(
            MaterializationId id,
            List<KeyedStateHandle> materialized,
            List<ChangelogStateHandle> restoredLogs,
            SequenceNumber logStart,
            long bytesWritten) {
        this.id = requireNonNull(id);
        this.materialized = List.copyOf(materialized);
        this.restoredLogs = List.copyOf(restoredLogs);
        this.logStart = requireNonNull(logStart);
        this.bytesWritten = bytesWritten;
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
        return new MaterializedBase(id, materialized, logs, logStart, 0);
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
        return handle == null
                ? new MaterializedBase(id, List.of(), List.of(), upTo, 0)
                : new MaterializedBase(
                        id, List.of(handle), List.of(), upTo, handle.getCheckpointedSize());
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
