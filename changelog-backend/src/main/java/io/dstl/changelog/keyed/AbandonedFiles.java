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

import io.dstl.registry.DeletionQueue;
import io.dstl.registry.DeletionSchedule;
import io.dstl.registry.FileDeleter;
import io.dstl.registry.RegistryListener;
import io.dstl.secret.Redaction;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StateUtil;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the files of snapshots that no checkpoint refers to, off the task thread. So it does with
 * local backups that no checkpoint lists; Flink deletes those that were listed, with the last
 * checkpoint that lists them.
 *
 * <p>Owns the deletion. The base decides whether anybody may know the files ({@link
 * MaterializedBase#abandon}). Files that a snapshot shares with an earlier one are placeholders in
 * its handle, and stay.
 *
 * <p>Tries again where the store refuses, for minutes ({@link DeletionQueue}): a base may be the
 * whole state of the task, and is abandoned most likely in an outage. A backup on the local disk
 * has one attempt, which is made later where no thread can be had for it.
 *
 * <p>Thread-safe.
 */
final class AbandonedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(AbandonedFiles.class);

    private final Executor executor;
    private final DeletionSchedule schedule;
    private final DeletionQueue queue;
    private final boolean backupsKept;

    /**
     * @param executor runs the deletions in the store and on the local disk
     * @param schedule of those in the store that have failed
     * @param backupsKept whether checkpoints list backups: the task recovers from its local disk
     */
    AbandonedFiles(Executor executor, DeletionSchedule schedule, boolean backupsKept) {
        this.executor = requireNonNull(executor);
        this.schedule = requireNonNull(schedule);
        this.backupsKept = backupsKept;
        this.queue =
                new DeletionQueue(new FileDeleter(), executor, schedule, RegistryListener.none());
    }

    /** Does nothing if a checkpoint may refer to the base. */
    void discard(MaterializedBase base) {
        if (base.abandon()) {
            LOG.info("Discarding materialization {}: no checkpoint refers to it.", base.id());
            base.remote().materialized().forEach(this::discardFilesOf);
            discardBackup(base);
        }
    }

    /**
     * Deletes a file that no snapshot has, and again after a minute: the request that may store it
     * may be under way still.
     */
    void discardPerhapsStored(StreamStateHandle file) {
        queue.deleteAll(Collections.singletonList(file));
        schedule.afterAMinute(() -> queue.deleteAll(Collections.singletonList(file)));
    }

    /** Deletes files that no snapshot has. */
    void discardAll(Collection<StreamStateHandle> files) {
        queue.deleteAll(files);
    }

    /** Deletes a snapshot, and its backup, that nobody was told of. */
    void discard(SnapshotResult<KeyedStateHandle> snapshot) {
        KeyedStateHandle remote = snapshot.getJobManagerOwnedSnapshot();
        if (remote != null) {
            discardFilesOf(remote);
        }
        discardBackup(snapshot);
    }

    /** The files by themselves, as RocksDB's handle swallows their failures. */
    private void discardFilesOf(KeyedStateHandle remote) {
        List<StreamStateHandle> files = RestoredFiles.files(remote).collect(Collectors.toList());
        if (files.isEmpty()) {
            // Of another backend.
            discardOnce(Collections.singletonList(remote));
        } else {
            queue.deleteAll(files);
        }
    }

    /** Returns the snapshot of a materialization, with its backup if backups are kept. */
    SnapshotResult<KeyedStateHandle> keepBackup(SnapshotResult<KeyedStateHandle> snapshot) {
        return backupsKept ? snapshot : dropBackup(snapshot);
    }

    /** Deletes the backup of a snapshot, and returns the snapshot without it. */
    SnapshotResult<KeyedStateHandle> dropBackup(SnapshotResult<KeyedStateHandle> snapshot) {
        discardBackup(snapshot);
        return SnapshotResult.of(snapshot.getJobManagerOwnedSnapshot());
    }

    /** Deletes the backup of a base, which checkpoints list no more. */
    void discardBackup(MaterializedBase base) {
        base.takeBackup().ifPresent(backup -> discardOnce(backup.materialized()));
    }

    /** Deletes a backup that nothing restores from, as it would only take up disk. */
    void discardBackup(SnapshotResult<?> snapshot) {
        StateObject backup = snapshot.getTaskLocalSnapshot();
        if (backup != null) {
            discardOnce(Collections.singletonList(backup));
        }
    }

    private void discardOnce(List<? extends StateObject> unwanted) {
        submit(unwanted, 1);
    }

    /** Fails nobody: whoever gives up a snapshot has other things to do after it. */
    private void submit(List<? extends StateObject> unwanted, int attempt) {
        try {
            executor.execute(() -> discardNow(unwanted));
        } catch (Throwable t) {
            ExceptionUtils.rethrowIfFatalError(t);
            submitLater(unwanted, attempt, t);
        }
    }

    private void submitLater(List<? extends StateObject> unwanted, int attempt, Throwable cause) {
        try {
            if (schedule.isLeftAfter(attempt)) {
                schedule.schedule(attempt, () -> submit(unwanted, attempt + 1));
                LOG.debug("No thread deletes {}, and it is tried again", text(unwanted), cause);
                return;
            }
        } catch (RejectedExecutionException e) {
            cause.addSuppressed(e);
        }
        warn(unwanted, cause);
    }

    private static void discardNow(List<? extends StateObject> unwanted) {
        try {
            StateUtil.bestEffortDiscardAllStateObjects(unwanted);
        } catch (Exception e) {
            warn(unwanted, e);
        }
        unwanted.forEach(LocalSnapshotDirectory::deleteOf);
    }

    private static void warn(List<? extends StateObject> unwanted, Throwable cause) {
        LOG.warn(
                "Cannot delete all of {}. Delete what is left by hand.",
                text(unwanted),
                Redaction.OF_URIS.failure(cause));
    }

    private static String text(List<? extends StateObject> unwanted) {
        return Redaction.OF_URIS.text(String.valueOf(unwanted));
    }

    /**
     * The directory that the delegate makes on the local disk for one snapshot. Discarding the
     * snapshot leaves this directory behind.
     */
    private static final class LocalSnapshotDirectory {
        private static final Logger LOG = LoggerFactory.getLogger(LocalSnapshotDirectory.class);

        private LocalSnapshotDirectory() {}

        /** Blocks for the disk. Does nothing if the directory is missing or not empty. */
        static void deleteOf(StateObject discarded) {
            of(discarded).ifPresent(LocalSnapshotDirectory::delete);
        }

        private static Optional<Path> of(StateObject snapshot) {
            if (snapshot instanceof IncrementalLocalKeyedStateHandle) {
                return Optional.of(
                        ((IncrementalLocalKeyedStateHandle) snapshot)
                                .getDirectoryStateHandle()
                                .getDirectory()
                                .getParent());
            }
            if (snapshot instanceof KeyGroupsStateHandle) {
                StreamStateHandle content =
                        ((KeyGroupsStateHandle) snapshot).getDelegateStateHandle();
                if (content instanceof FileStateHandle) {
                    return Optional.of(
                            Path.of(((FileStateHandle) content).getFilePath().toUri()).getParent());
                }
            }
            return Optional.empty();
        }

        private static void delete(Path directory) {
            try {
                Files.deleteIfExists(directory);
            } catch (DirectoryNotEmptyException e) {
                LOG.debug("{} is still in use", directory, e);
            } catch (IOException e) {
                LOG.debug("Could not delete {}; it goes with the task's local state", directory, e);
            }
        }
    }
}
