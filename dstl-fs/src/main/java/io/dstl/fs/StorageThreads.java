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

import io.dstl.fs.option.UploadSettings;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/**
 * The threads of one storage: those that upload, those that delete, one for the local disk of its
 * tasks, started with the first backup, and one that keeps time and never blocks.
 */
final class StorageThreads implements AutoCloseable {

    private final ExecutorService uploads;
    private final ExecutorService discards;
    private final ExecutorService backups;
    private final ScheduledExecutorService timer;

    StorageThreads(UploadSettings settings) {
        this.uploads =
                Executors.newFixedThreadPool(settings.threads(), new DaemonThreads("dstl-upload"));
        this.discards =
                Executors.newFixedThreadPool(
                        settings.discardThreads(), new DaemonThreads("dstl-discard"));
        this.backups = Executors.newFixedThreadPool(1, new DaemonThreads("dstl-backup"));
        this.timer = timer("dstl-timer");
    }

    /** One thread; what is cancelled leaves its queue at once. */
    static ScheduledExecutorService timer(String name) {
        ScheduledThreadPoolExecutor timer =
                new ScheduledThreadPoolExecutor(1, new DaemonThreads(name));
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return timer;
    }

    ExecutorService uploads() {
        return uploads;
    }

    ExecutorService discards() {
        return discards;
    }

    /** One thread: work is done in the order in which it is given. */
    ExecutorService backups() {
        return backups;
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    /**
     * Takes no more work and waits for none: attempts that run end by themselves, each deleting
     * what it stores, and deletions already queued are done.
     */
    @Override
    public void close() {
        timer.shutdown();
        uploads.shutdown();
        discards.shutdown();
        backups.shutdown();
    }
}
