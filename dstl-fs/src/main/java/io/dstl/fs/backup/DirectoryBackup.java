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
import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.backup.LogBackup.BackupFile;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.segment.SegmentEncoder;
import io.dstl.store.SegmentDirectory.SegmentNames;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps each change set as a file in one directory, which no other log uses.
 *
 * <p>Owns its files while it is open. Files that it leaves behind belong to the task's next
 * attempt; Flink deletes them at the latest when the task leaves its slot.
 */
final class DirectoryBackup implements LogBackup {

    private static final Logger LOG = LoggerFactory.getLogger(DirectoryBackup.class);
    private static final int BUFFER_BYTES = 64 << 10;

    private final Path directory;
    private final SegmentNames names;
    private final BackupDisk disk;
    private final Runnable onClose;
    private final AtomicBoolean warned = new AtomicBoolean();

    /** Files of earlier attempts. */
    @GuardedBy("this")
    private List<Path> left;

    /** Writes whose outcome is open. */
    @GuardedBy("this")
    private final Set<BackupWrite> writes = new HashSet<>();

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param directory exists
     * @param left files of earlier attempts in it
     * @param onClose called once
     */
    DirectoryBackup(
            Path directory,
            SegmentNames names,
            BackupDisk disk,
            List<Path> left,
            Runnable onClose) {
        this.directory = directory;
        this.names = names;
        this.disk = disk;
        this.left = List.copyOf(left);
        this.onClose = onClose;
    }

    @Override
    public boolean isKept() {
        return true;
    }

    @Override
    public void keep(ChangeSet changes, Consumer<Optional<SegmentLocation>> outcome) {
        if (disk.isStalled() || !changes.retain()) {
            LOG.debug("{} does not keep {}", this, changes);
            outcome.accept(Optional.empty());
            return;
        }
        Path file = BackupFile.in(directory, names.next());
        BackupWrite write = new BackupWrite(changes, file, DirectoryBackup::write);
        write.outcome()
                .whenComplete(
                        (backup, cause) -> {
                            try {
                                ended(write, cause);
                            } finally {
                                tell(outcome, Optional.ofNullable(backup));
                            }
                        });
        if (begin(write)) {
            disk.submit(write);
        } else {
            write.giveUp(cancellation());
        }
    }

    private synchronized boolean begin(BackupWrite write) {
        return !closed && writes.add(write);
    }

    private void ended(BackupWrite write, @Nullable Throwable cause) {
        synchronized (this) {
            writes.remove(write);
        }
        if (cause != null) {
            warn(cause);
        }
    }

    /** An error of the writer ends neither thread. */
    private static void tell(
            Consumer<Optional<SegmentLocation>> writer, Optional<SegmentLocation> backup) {
        try {
            writer.accept(backup);
        } catch (Throwable t) {
            LOG.error("A writer failed at the outcome of a local backup", t);
        }
    }

    private CancellationException cancellation() {
        return new CancellationException(this + " was closed");
    }

    private static void write(ChangeSet changes, Path file) throws IOException {
        try (OutputStream out =
                new BufferedOutputStream(
                        Files.newOutputStream(file, StandardOpenOption.CREATE_NEW), BUFFER_BYTES)) {
            new SegmentEncoder(List.of(changes), false).writeTo(out);
        }
    }

    private void warn(Throwable cause) {
        if (!(cause instanceof CancellationException) && warned.compareAndSet(false, true)) {
            LOG.warn(
                    "Cannot keep a local backup of the changelog in {}; what has none is restored"
                            + " from the store. See that the disk of the TaskManager's local state"
                            + " has room and is not stuck. Said once; what follows is logged at"
                            + " debug level.",
                    directory,
                    cause);
        } else {
            LOG.debug("Cannot keep a change set in {}", directory, cause);
        }
    }

    @Override
    public void delete(SegmentLocation backup) {
        disk.delete(List.of(BackupFile.of(backup.segment())));
    }

    @Override
    public void keepRestored(Collection<? extends ChangelogStateHandle> restored) {
        deleteLeftExcept(BackupFile.of(restored));
    }

    @Override
    public void deleteRestored() {
        deleteLeftExcept(Set.of());
    }

    private void deleteLeftExcept(Set<Path> needed) {
        Map<Boolean, List<Path>> byNeed;
        synchronized (this) {
            byNeed = left.stream().collect(Collectors.partitioningBy(needed::contains));
            left = byNeed.get(true);
        }
        disk.delete(byNeed.get(false));
    }

    @Override
    public void close() {
        List<BackupWrite> open;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            open = List.copyOf(writes);
        }
        open.forEach(write -> write.giveUp(cancellation()));
        onClose.run();
    }

    @Override
    public String toString() {
        return "backup in " + directory;
    }
}
