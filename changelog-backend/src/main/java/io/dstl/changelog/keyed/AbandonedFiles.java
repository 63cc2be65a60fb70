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

import io.dstl.registry.DeletionSchedule;
import io.dstl.secret.Redaction;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
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
 * Deletes the files of snapshots that no checkpoint refers to, off the task thread.
 *
 * <p>Owns the deletion. The base decides whether anybody may know the files ({@link
 * MaterializedBase#abandon}). Files that a snapshot shares with an earlier one are placeholders in
 * its handle, and stay.
 *
 * <p>Tries again where the store refuses, for minutes ({@link DeletionSchedule}): a base may be the
 * whole state of the task, and is abandoned most likely in an outage. Then it logs the files that
 * it could not delete, which stay behind.
 *
 * <p>Thread-safe.
 */
final class AbandonedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(AbandonedFiles.class);

    /** In a row: then the store is down, and the others are left to the next attempt. */
    private static final int MOST_FAILURES = 3;

    private final Executor executor;
    private final DeletionSchedule schedule;

    /**
     * @param executor runs the deletions in the store
     * @param schedule of those that have failed
     */
    AbandonedFiles(Executor executor, DeletionSchedule schedule) {
        this.executor = requireNonNull(executor);
        this.schedule = requireNonNull(schedule);
    }

    /** Does nothing if a checkpoint may refer to the base. */
    void discard(MaterializedBase base) {
        if (base.abandon()) {
            LOG.info("Discarding materialization {}: no checkpoint refers to it.", base.id());
            discardBackup(base);
            List<StateObject> files =
                    base.remote().materialized().stream()
                            .flatMap(AbandonedFiles::parts)
                            .collect(Collectors.toList());
            execute(() -> discardNow(files, 1));
        }
    }

    /** Deletes the backup of a base, which checkpoints list no more. */
    void discardBackup(MaterializedBase base) {
        base.takeBackup().ifPresent(backup -> discardBackups(backup.materialized()));
    }

    /** Deletes a backup that nothing restores from, as it would only take up disk. */
    void discardBackup(SnapshotResult<?> snapshot) {
        StateObject backup = snapshot.getTaskLocalSnapshot();
        if (backup != null) {
            discardBackups(Collections.singletonList(backup));
        }
    }

    private void discardBackups(List<? extends StateObject> backups) {
        execute(
                () -> {
                    try {
                        StateUtil.bestEffortDiscardAllStateObjects(backups);
                    } catch (Exception e) {
                        warn(backups, e);
                    }
                    backups.forEach(LocalSnapshotDirectory::deleteOf);
                });
    }

    private void execute(Runnable deletion) {
        try {
            executor.execute(deletion);
        } catch (RejectedExecutionException e) {
            LOG.debug("The executor is closed; deleting on the calling thread.", e);
            deletion.run();
        }
    }

    /** RocksDB's handle swallows the failures of its files. */
    private static Stream<? extends StateObject> parts(KeyedStateHandle handle) {
        return handle instanceof IncrementalRemoteKeyedStateHandle
                ? RestoredFiles.files(handle)
                : Stream.of(handle);
    }

    /**
     * @param attempt counted from 1
     */
    private void discardNow(List<? extends StateObject> files, int attempt) {
        List<StateObject> left = new ArrayList<>();
        Exception failure = null;
        int inARow = 0;
        for (StateObject file : files) {
            if (inARow == MOST_FAILURES) {
                left.add(file);
                continue;
            }
            try {
                file.discardState();
                inARow = 0;
            } catch (Exception e) {
                inARow++;
                left.add(file);
                failure = ExceptionUtils.firstOrSuppressed(e, failure);
            }
        }
        if (failure != null) {
            discardLater(left, attempt, failure);
        }
    }

    private void discardLater(List<? extends StateObject> files, int attempted, Exception failure) {
        if (!schedule.isLeftAfter(attempted)) {
            warn(files, failure);
            return;
        }
        if (attempted == 1) {
            LOG.warn(
                    "Cannot delete all of {} yet; it is tried again for some minutes",
                    Redaction.OF_URIS.text(String.valueOf(files)),
                    Redaction.OF_URIS.failure((Throwable) failure));
        }
        Runnable next = () -> discardNow(files, attempted + 1);
        try {
            schedule.schedule(
                    attempted,
                    () -> {
                        try {
                            executor.execute(next);
                        } catch (RejectedExecutionException e) {
                            warn(files, failure);
                        }
                    });
        } catch (RejectedExecutionException e) {
            warn(files, failure);
        }
    }

    private static void warn(List<? extends StateObject> files, Exception failure) {
        LOG.warn(
                "Cannot delete all of {}. Delete what is left by hand.",
                Redaction.OF_URIS.text(String.valueOf(files)),
                Redaction.OF_URIS.failure((Throwable) failure));
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
