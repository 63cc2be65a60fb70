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

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PlaceholderStreamStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendLocalHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;

/**
 * Makes the handle of a checkpoint from a base and the log on top of it, and a local handle if
 * there are backups. Where a part has no backup, the local handle has the remote part, if that can
 * be read by itself.
 *
 * <p>Thread-safe.
 */
final class CheckpointHandles {
    private final KeyGroupRange keyGroupRange;
    private final boolean listsBackups;
    private final ChangelogBackendMetrics metrics;

    /**
     * @param listsBackups false if the task's local state is another operator's, or none
     */
    CheckpointHandles(
            KeyGroupRange keyGroupRange, boolean listsBackups, ChangelogBackendMetrics metrics) {
        this.keyGroupRange = requireNonNull(keyGroupRange);
        this.listsBackups = listsBackups;
        this.metrics = requireNonNull(metrics);
    }

    /**
     * Gives the files of the base away with the handle.
     *
     * @param newlyMaterialized bytes of the base that this checkpoint counts as its own
     * @param measured gets the size before the handle is handed out
     */
    SnapshotResult<KeyedStateHandle> make(
            long checkpointId,
            MaterializedBase base,
            SnapshotResult<? extends ChangelogStateHandle> log,
            long newlyMaterialized,
            Consumer<Size> measured) {
        Optional<ChangelogStateHandle> own =
                Optional.<ChangelogStateHandle>ofNullable(log.getJobManagerOwnedSnapshot())
                        .filter(handle -> handle.getStateSize() > 0);
        MaterializedBase.Handles remote = base.remote().with(own);
        Size size =
                new Size(
                        bytes(remote.materialized()),
                        newlyMaterialized,
                        bytes(remote.logs()),
                        own.map(ChangelogStateHandle::getCheckpointedSize).orElse(0L));
        metrics.persisted(size);
        measured.accept(size);
        if (remote.materialized().isEmpty() && remote.logs().isEmpty()) {
            return SnapshotResult.empty();
        }
        base.give();
        ChangelogStateBackendHandleImpl handle =
                new ChangelogStateBackendHandleImpl(
                        remote.materialized(),
                        remote.logs(),
                        keyGroupRange,
                        checkpointId,
                        base.id().value(),
                        size.added());
        return local(base, own, Optional.ofNullable(log.getTaskLocalSnapshot()))
                .map(parts -> SnapshotResult.withLocalState(handle, local(parts, handle)))
                .orElseGet(() -> SnapshotResult.of(handle));
    }

    private Optional<MaterializedBase.Handles> local(
            MaterializedBase base,
            Optional<ChangelogStateHandle> own,
            Optional<ChangelogStateHandle> ownBackup) {
        Optional<MaterializedBase.Handles> backup = base.backup();
        if (!listsBackups || (backup.isEmpty() && ownBackup.isEmpty())) {
            return Optional.empty();
        }
        if (backup.isEmpty() && hasPlaceholders(base.remote())) {
            return Optional.empty();
        }
        MaterializedBase.Handles below = backup.orElse(base.remote());
        return Optional.of(below.with(ownBackup.isPresent() ? ownBackup : own));
    }

    /**
     * RocksDB names a file that an earlier snapshot has by a placeholder, which only the JobManager
     * replaces: a restore from it fails.
     */
    private static boolean hasPlaceholders(MaterializedBase.Handles remote) {
        return remote.materialized().stream()
                .flatMap(RestoredFiles::files)
                .anyMatch(PlaceholderStreamStateHandle.class::isInstance);
    }

    private static KeyedStateHandle local(
            MaterializedBase.Handles parts, ChangelogStateBackendHandleImpl remote) {
        return new ChangelogStateBackendLocalHandle(parts.materialized(), parts.logs(), remote);
    }

    private static long bytes(List<? extends StateObject> handles) {
        return handles.stream().mapToLong(StateObject::getStateSize).sum();
    }

    /** What a checkpoint of one keyed backend refers to, and what it added to that, in bytes. */
    static final class Size {
        private final long materialized;
        private final long newlyMaterialized;
        private final long log;
        private final long newLog;

        Size(long materialized, long newlyMaterialized, long log, long newLog) {
            this.materialized = materialized;
            this.newlyMaterialized = newlyMaterialized;
            this.log = log;
            this.newLog = newLog;
        }

        long materialized() {
            return materialized;
        }

        long newlyMaterialized() {
            return newlyMaterialized;
        }

        long log() {
            return log;
        }

        long newLog() {
            return newLog;
        }

        long added() {
            return newlyMaterialized + newLog;
        }
    }
}
