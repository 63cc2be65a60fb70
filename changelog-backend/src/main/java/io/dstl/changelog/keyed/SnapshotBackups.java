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

import java.util.concurrent.RunnableFuture;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;

/**
 * Decides which of the local backups that the delegate makes with its snapshots are kept: those of
 * a task that recovers from its local disk, as long as a checkpoint can list them. It deletes the
 * others; those that were listed are Flink's to delete, with the last checkpoint that lists them.
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

    /** For a materialization. */
    SnapshotResult<KeyedStateHandle> keep(SnapshotResult<KeyedStateHandle> snapshot) {
        return kept ? snapshot : drop(snapshot);
    }

    /**
     * For a savepoint. Restored from its backup, which names no file in the store, the checkpoints
     * that follow could not refer to anything.
     */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> without(
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot) {
        return new SnapshotWithoutBackup(snapshot, this::drop);
    }

    private SnapshotResult<KeyedStateHandle> drop(SnapshotResult<KeyedStateHandle> snapshot) {
        abandoned.discardBackup(snapshot);
        return SnapshotResult.of(snapshot.getJobManagerOwnedSnapshot());
    }
}
