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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The local disk for the backups of one storage: writes and deletes files in order, on a thread
 * that nothing waits for longer than {@link LogBackup#LIMIT}.
 *
 * <p>Owns the queue for the disk, which stays bounded while the disk is stuck: a limited number of
 * writes, each given up within the limit, and one task for all deletions. Does not own the files.
 *
 * <p><b>Threading.</b> Any thread; no call blocks.
 */
final class BackupDisk {

    private static final Logger LOG = LoggerFactory.getLogger(BackupDisk.class);

    /** Limit of writes that wait for the thread. */
    static final int MAX_WAITING = 1000;

    private final Executor thread;
    private final ScheduledExecutorService timer;

    /** Writes that the thread has not begun, given up or not. */
    private final AtomicInteger waiting = new AtomicInteger();

    /** All exist, so there are no more than were written before the disk got stuck. */
    @GuardedBy("this")
    private Set<Path> toDelete = new LinkedHashSet<>();

    /** Whether the thread is going to delete them. */
    private final AtomicBoolean deleting = new AtomicBoolean();

    /** From a write over the limit until the thread takes new work. */
    private volatile boolean stalled;

    /**
     * @param thread runs tasks one at a time, in the order given; the disk may block it
     */
    BackupDisk(Executor thread, ScheduledExecutorService timer) {
        this.thread = thread;
        this.timer = timer;
    }

    /** Whether a write would only wait until the limit. */
    boolean isStalled() {
        return stalled;
    }

    /** Ends the write, or gives it up, within the limit. */
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
        } catch (Throwable t) {
            waiting.decrementAndGet();
            write.giveUp(t);
        }
    }

    private void overLimit(BackupWrite write) {
        if (write.giveUp(new TimeoutException("not written within " + LogBackup.LIMIT))
                && !stalled) {
            stalled = true;
            execute(() -> stalled = false);
        }
    }

    /** Deletes files of writes that have ended. */
    void delete(Collection<Path> files) {
        synchronized (this) {
            toDelete.addAll(files);
        }
        if (files.isEmpty() || !deleting.compareAndSet(false, true)) {
            return;
        }
        try {
            execute(this::deleteAll);
        } catch (Throwable t) {
            deleting.set(false);
            LOG.debug("Out of threads: the next deletion tries again", t);
        }
    }

    private void deleteAll() {
        deleting.set(false);
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
