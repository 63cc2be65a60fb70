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

import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.batch.SegmentLocation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * The backups of one log's change sets on the local disk of its task. A task that restarts on the
 * same TaskManager reads them instead of segments in the store.
 *
 * <p><b>Failure.</b> No method throws for the disk. A change set without a backup is restored from
 * its segment, so a backup that cannot be kept costs a download, never a checkpoint.
 *
 * <p><b>Threading.</b> Any thread. No call waits for the disk, however slow it is.
 */
public interface LogBackup extends AutoCloseable {

    /** Keeps nothing, at no cost. */
    LogBackup NONE = new NoBackup();

    /**
     * How long a checkpoint may wait for a backup once its bytes are in the store. A disk that
     * works takes milliseconds. A disk that is slow or stuck delays checkpoints by at most this
     * time, well below the usual pause between two.
     */
    Duration LIMIT = Duration.ofSeconds(1);

    /** Whether backups are kept at all. */
    boolean isKept();

    /**
     * Writes a change set to the disk in the background, uncompressed.
     *
     * @param changes stay the caller's; not released before the call returns
     * @param outcome called once, on any thread, before this returns or within {@link #LIMIT}: with
     *     the location, or empty if the backup is not kept, now or later. Must not block
     */
    void keep(ChangeSet changes, Consumer<Optional<SegmentLocation>> outcome);

    /** Deletes in the background a backup that {@link #keep} has kept. */
    void delete(SegmentLocation backup);

    /**
     * Deletes in the background the files of earlier attempts of the task, except backups that
     * these logs refer to: {@link #deleteRestored} deletes those.
     *
     * @param restored the logs that the task was restored from; those in the store are ignored
     */
    void keepRestored(Collection<? extends ChangelogStateHandle> restored);

    /**
     * A completed checkpoint needs no log that the task was restored from: deletes their backups.
     */
    void deleteRestored();

    /**
     * Keeps no further change set, gives up unfinished writes, and leaves the kept backups to the
     * task's next attempt. Closing again has no effect.
     */
    @Override
    void close();

    /** Used if local recovery is off or not possible. */
    final class NoBackup implements LogBackup {

        @Override
        public boolean isKept() {
            return false;
        }

        @Override
        public void keep(ChangeSet changes, Consumer<Optional<SegmentLocation>> outcome) {
            outcome.accept(Optional.empty());
        }

        @Override
        public void delete(SegmentLocation backup) {
            throw new IllegalArgumentException(backup + " is no backup that was kept here");
        }

        @Override
        public void keepRestored(Collection<? extends ChangelogStateHandle> restored) {}

        @Override
        public void deleteRestored() {}

        @Override
        public void close() {}
    }

    /**
     * The names of backup files, by which a reader tells them from segments in the store. Their
     * content is a plain segment of one change set.
     */
    final class BackupFile {

        private static final String SUFFIX = ".backup";

        private BackupFile() {}

        static Path in(Path directory, String name) {
            return directory.resolve(name + SUFFIX);
        }

        /** Whether a handle refers to a backup on a local disk. */
        public static boolean isHandle(StreamStateHandle handle) {
            return handle instanceof FileStateHandle
                    && ((FileStateHandle) handle).getFilePath().getName().endsWith(SUFFIX);
        }

        /** The file of a backup's handle. */
        static Path of(StreamStateHandle handle) {
            return Path.of(((FileStateHandle) handle).getFilePath().toUri());
        }

        /** The files of all backups that logs refer to. */
        static Set<Path> of(Collection<? extends ChangelogStateHandle> logs) {
            return logs.stream()
                    .filter(ChangelogStateHandleStreamImpl.class::isInstance)
                    .map(ChangelogStateHandleStreamImpl.class::cast)
                    .flatMap(log -> log.getHandlesAndOffsets().stream())
                    .map(location -> location.f0)
                    .filter(BackupFile::isHandle)
                    .map(BackupFile::of)
                    .collect(Collectors.toSet());
        }
    }
}
