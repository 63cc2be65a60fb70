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
package io.dstl.fs;

import io.dstl.fs.option.DownloadSettings;
import io.dstl.fs.option.UploadSettings;
import io.dstl.registry.DaemonThreads;
import io.dstl.registry.TimerThread;
import io.dstl.registry.WatchedPool;
import io.dstl.store.Cleanups;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of one storage: for uploads, for deletions, for requests of the direct client, one
 * for the local disk of its tasks, started with the first backup, one that cleans up after lost
 * attempts, and one timer that never blocks. Deletions go on after its end, on a timer of the
 * process.
 */
final class StorageThreads implements AutoCloseable {

    private static final int DELETION_IDLE_SECONDS = 5;

    /** Of the process; never shut down. */
    private static final ScheduledExecutorService DELETION_TIMER =
            TimerThread.named("dstl-deletion-timer");

    private final ExecutorService uploads;
    private final Executor discards;
    private final ExecutorService backups;
    private final Cleanups cleanups;
    private final ExecutorService requests;
    private final ScheduledExecutorService timer;

    StorageThreads(UploadSettings settings) {
        this.uploads =
                Executors.newFixedThreadPool(settings.threads(), new DaemonThreads("dstl-upload"));
        this.discards =
                watched(
                        endingWhenIdle(
                                "dstl-discard", settings.discardThreads(), DELETION_IDLE_SECONDS));
        this.backups = Executors.newFixedThreadPool(1, new DaemonThreads("dstl-backup"));
        this.cleanups =
                new Cleanups(
                        watched(endingWhenIdle("dstl-cleanup", 1, DELETION_IDLE_SECONDS)),
                        DELETION_TIMER);
        this.requests = requests("dstl-request");
        this.timer = TimerThread.named("dstl-timer");
    }

    /** Threads that end when idle and are started again when needed. */
    private static ThreadPoolExecutor endingWhenIdle(String name, int threads, long idleSeconds) {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        idleSeconds,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        new DaemonThreads(name));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    private static WatchedPool watched(ThreadPoolExecutor deletions) {
        return new WatchedPool(deletions, DELETION_TIMER);
    }

    /** A thread for each request under way; a thread that is idle for a minute ends. */
    static ExecutorService requests(String name) {
        return Executors.newCachedThreadPool(new DaemonThreads(name));
    }

    ExecutorService uploads() {
        return uploads;
    }

    /** Deletes segments. Never shut down: a deletion that fails is tried again for minutes. */
    Executor discards() {
        return discards;
    }

    /** Keeps the pauses between the attempts of {@link #discards}. Never shut down. */
    static ScheduledExecutorService deletionTimer() {
        return DELETION_TIMER;
    }

    /** One thread: work runs in the order of submission. */
    ExecutorService backups() {
        return backups;
    }

    /**
     * Deletes segments stored by attempts that end late. Never shut down, as attempts may end after
     * the storage is closed.
     */
    Cleanups cleanups() {
        return cleanups;
    }

    /** Sends the requests of the direct client. Never shut down, as {@link #cleanups}. */
    ExecutorService requests() {
        return requests;
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    /**
     * Takes no more work and waits for none: running attempts end by themselves, and each deletes
     * what it stores; deletions go on.
     */
    @Override
    public void close() {
        timer.shutdown();
        uploads.shutdown();
        backups.shutdown();
    }

    /**
     * The threads of one view: for downloads, which end when there is nothing to restore, and one
     * timer.
     */
    static final class DownloadThreads implements AutoCloseable {

        private static final long KEEP_ALIVE_SECONDS = 10;

        private final ExecutorService downloads;
        private final ScheduledExecutorService timer = TimerThread.named("dstl-download-timer");

        DownloadThreads(DownloadSettings settings) {
            this.downloads =
                    endingWhenIdle("dstl-download", settings.threads(), KEEP_ALIVE_SECONDS);
        }

        Executor downloads() {
            return downloads;
        }

        ScheduledExecutorService timer() {
            return timer;
        }

        /** Interrupts running downloads; waits for nothing. */
        @Override
        public void close() {
            timer.shutdownNow();
            downloads.shutdownNow();
        }
    }
}
