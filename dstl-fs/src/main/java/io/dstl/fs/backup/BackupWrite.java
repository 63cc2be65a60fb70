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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.function.BiConsumerWithException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The write of one change set to a file, unless it is given up before it ends.
 *
 * <p>Owns one use of the change set, and releases it when the file is written, or at once if the
 * write is given up before it begins. Owns the file until it is reported as kept; deletes one that
 * is late or incomplete.
 *
 * <p><b>Threading.</b> {@link #run} on the thread of the disk; {@link #giveUp} on any, and does not
 * block.
 */
final class BackupWrite implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(BackupWrite.class);

    private final ChangeSet changes;
    private final Path file;
    private final BiConsumerWithException<ChangeSet, Path, IOException> writer;

    /** Taken by whoever comes first, the thread or {@link #giveUp}. */
    private final AtomicBoolean begun = new AtomicBoolean();

    private final CompletableFuture<SegmentLocation> outcome = new CompletableFuture<>();

    /**
     * @param changes retained for this write
     * @param writer writes a change set to a file that does not exist yet
     */
    BackupWrite(
            ChangeSet changes,
            Path file,
            BiConsumerWithException<ChangeSet, Path, IOException> writer) {
        this.changes = changes;
        this.file = file;
        this.writer = writer;
    }

    /** The file that is kept, or why none is. Completes on the thread that causes it. */
    CompletableFuture<SegmentLocation> outcome() {
        return outcome;
    }

    @Override
    public void run() {
        if (!begun.compareAndSet(false, true)) {
            return;
        }
        try {
            if (!outcome.complete(write())) {
                LOG.trace("{} has ended too late", this);
                BackupDisk.deleteNow(file);
            }
        } catch (Throwable t) {
            BackupDisk.deleteNow(file);
            outcome.completeExceptionally(t);
        }
    }

    private SegmentLocation write() throws IOException {
        try {
            writer.accept(changes, file);
        } finally {
            changes.release();
        }
        return new SegmentLocation(
                new FileStateHandle(
                        new org.apache.flink.core.fs.Path(file.toUri()), Files.size(file)),
                0);
    }

    /**
     * @return false, without effect, if the outcome is known
     */
    boolean giveUp(Throwable cause) {
        if (begun.compareAndSet(false, true)) {
            changes.release();
        }
        return outcome.completeExceptionally(cause);
    }

    @Override
    public String toString() {
        return "write of " + file;
    }
}
