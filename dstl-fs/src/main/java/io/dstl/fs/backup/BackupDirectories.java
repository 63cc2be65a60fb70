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
package io.dstl.fs.backup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.store.SegmentDirectory.SegmentNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories in which the logs of one storage keep their backups: one per task, below Flink's
 * directory for the task's local recovery, and used by one log at a time.
 *
 * <p>Owns the assignment of directories, and the files that earlier attempts have left in them:
 * only Flink also deletes those, when the task leaves its slot.
 *
 * <p><b>Threading.</b> Any thread. {@link #open} blocks for the disk.
 */
public final class BackupDirectories {

    private static final Logger LOG = LoggerFactory.getLogger(BackupDirectories.class);

    private final SegmentNames names;
    private final BackupDisk disk;

    @GuardedBy("this")
    private final Set<Path> used = new HashSet<>();

    /**
     * @param thread writes and deletes files, one after the other; the disk may block it
     * @param timer ends the waits for the disk
     */
    public BackupDirectories(SegmentNames names, Executor thread, ScheduledExecutorService timer) {
        this.names = names;
        this.disk = new BackupDisk(thread, timer);
    }

    /**
     * Opens the backup of a task's log.
     *
     * @param given may be relative to the process's directory, as Flink's options may
     * @return {@link LogBackup#NONE} if another log uses the directory, of the task or of an
     *     attempt of it that has not ended, or if it cannot be created
     */
    public LogBackup open(Path given) {
        // Handles name their files by absolute paths.
        Path directory = given.toAbsolutePath();
        synchronized (this) {
            if (!used.add(directory)) {
                LOG.info(
                        "No local recovery for this attempt of the operator: another log uses {}."
                                + " It is that of another keyed operator of the task, as Flink"
                                + " keeps the local state of one, or that of an earlier attempt"
                                + " that has not ended yet.",
                        directory);
                return LogBackup.NONE;
            }
        }
        try {
            return openUsed(directory);
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "No local recovery for this operator: cannot use {}. See that the directory of"
                            + " the TaskManager's local state can be written to.",
                    directory,
                    e);
            endUse(directory);
            return LogBackup.NONE;
        } catch (Error e) {
            endUse(directory);
            throw e;
        }
    }

    private LogBackup openUsed(Path directory) throws IOException {
        Files.createDirectories(directory);
        try (Stream<Path> left = Files.list(directory)) {
            return new DirectoryBackup(
                    directory,
                    names,
                    disk,
                    left.collect(Collectors.toList()),
                    () -> endUse(directory));
        }
    }

    private synchronized void endUse(Path directory) {
        used.remove(directory);
    }
}
