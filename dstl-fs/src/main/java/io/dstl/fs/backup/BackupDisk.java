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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The local disk as the backups of one storage see it: writes and deletes files in order, on a
 * thread that nothing waits for longer than {@link LogBackup#LIMIT}.
 *
 * <p>Owns what is queued for the disk, which is bounded while that is stuck: so many writes, which
 * are given up within the limit, and one task for all deletions. Does not own the files.
 *
 * <p><b>Threading.</b> Any thread; no call blocks.
 */
final class BackupDisk {

    private static final Logger LOG = LoggerFactory.getLogger(BackupDisk.class);

    /** Writes that wait for the thread. */
    static final int MAX_WAITING = 1000;

    private final Executor thread;
    private final ScheduledExecutorService timer;

    /** Writes handed to the thread that it has not come to, given up or not. */
    private final AtomicInteger waiting = new AtomicInteger();

    /** Each is there, so there are no more than were written before the disk got stuck. */
    @GuardedBy("this")
    private Set<Path> toDelete = new LinkedHashSet<>();

    /** From a write over the limit until the thread takes new work. */
    private volatile boolean stalled;

    /**
     * @param thread runs one thing at a time, in the order given, and may be blocked by the disk
     */
    BackupDisk(Executor thread, ScheduledExecutorService timer) {
        this.thread = thread;
        this.timer = timer;
    }

    /** Whether a write would only wait for the limit. */
    boolean isStalled() {
        return stalled;
    }

    /** The write is over, or given up, within the limit. */
    void submit(BackupWrite write) {
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            write.giveUp(new IOException(MAX_WAITING + " backups wait for the disk already"));
            return;
        }
        try {
            Future<?> limit =
                    timer.schedule(
                            () -> overLimit(write),
                            LogBackup.LIMIT.toNanos(),
                            TimeUnit.NANOSECONDS);
            thread.execute(
                    () -> {
                        waiting.decrementAndGet();
                        write.run();
                        limit.cancel(false);
                    });
        } catch (RejectedExecutionException e) {
            waiting.decrementAndGet();
            write.giveUp(e);
        }
    }

    private void overLimit(BackupWrite write) {
        if (write.giveUp(new TimeoutException("not written within " + LogBackup.LIMIT))
                && !stalled) {
            stalled = true;
            execute(() -> stalled = false);
        }
    }

    /** Files of writes that are over. */
    void delete(Collection<Path> files) {
        boolean first;
        synchronized (this) {
            first = toDelete.isEmpty() && !files.isEmpty();
            toDelete.addAll(files);
        }
        if (first) {
            execute(this::deleteAll);
        }
    }

    private void deleteAll() {
        Set<Path> files;
        synchronized (this) {
            files = toDelete;
            toDelete = new LinkedHashSet<>();
        }
        files.forEach(BackupDisk::deleteNow);
    }

    private void execute(Runnable work) {
        try {
            thread.execute(work);
        } catch (RejectedExecutionException e) {
            LOG.debug("The job leaves this TaskManager, and its local state with it", e);
        }
    }

    /** Blocks for the disk. */
    static void deleteNow(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException | RuntimeException e) {
            LOG.warn("Could not delete {}; it goes with the task's local state", file, e);
        }
    }
}
