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
package io.dstl.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the segments that a JobManager gives up, of all of its jobs, beside what it does for
 * checkpoints.
 *
 * <p>Holds what waits in memory, some 300 bytes for each, and says so when it becomes long: a store
 * that deletes more slowly than the jobs truncate would fill the heap in the end. A failed deletion
 * is tried again ({@link DeletionQueue}). As the process exits, what waits has {@link #LAST} to be
 * done; what is left then stays in the store until the command {@code orphans} deletes it.
 *
 * <p><b>Threading.</b> Any thread; nothing blocks.
 */
final class JobManagerDeletions implements RegistryListener, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(JobManagerDeletions.class);

    /** About 3 MB of them. */
    static final int MANY = 10_000;

    /** Less than what Kubernetes and Flink grant the end of a process, 30 s. */
    static final Duration LAST = Duration.ofSeconds(20);

    private final DeletionQueue queue;

    @GuardedBy("this")
    private long unfinished;

    @GuardedBy("this")
    private long reportAt = MANY;

    /**
     * @param threads run the deletions; their owner shuts them down
     * @param timer keeps the pauses between attempts
     */
    JobManagerDeletions(Executor threads, ScheduledExecutorService timer) {
        this.queue =
                new DeletionQueue(
                        segment -> ((SegmentHandle) segment).deleteNow(),
                        threads,
                        DeletionSchedule.on(timer),
                        this);
    }

    /** Started with the first segment that is given up. */
    static JobManagerDeletions ofThisProcess() {
        return OfThisProcess.DELETIONS;
    }

    void delete(SegmentHandle segment) {
        long waiting;
        boolean report;
        synchronized (this) {
            waiting = ++unfinished;
            report = waiting >= reportAt;
            if (report) {
                reportAt = 2 * waiting;
            }
        }
        if (report) {
            LOG.warn(
                    "{} segments that no checkpoint needs wait to be deleted: the store deletes"
                            + " more slowly than the jobs truncate their logs",
                    waiting);
        }
        queue.delete(segment);
    }

    @Override
    public void deleted(StreamStateHandle segment) {
        ended();
    }

    @Override
    public void deleteFailed(StreamStateHandle segment, Throwable cause) {
        ended();
    }

    private synchronized void ended() {
        unfinished--;
        if (unfinished == 0) {
            reportAt = MANY;
        }
    }

    /** Given up, and neither deleted nor left in the store. */
    synchronized long unfinished() {
        return unfinished;
    }

    /** Each that waits for its next attempt has it now, the last. What comes later may be lost. */
    @Override
    public void close() {
        queue.close();
    }

    /** Its threads end when there is nothing to delete. */
    private static final class OfThisProcess {

        /** As many as Flink has on a JobManager of four cores. */
        private static final int THREADS = 16;

        private static final Duration IDLE = Duration.ofMinutes(1);

        private static final JobManagerDeletions DELETIONS = start();

        private OfThisProcess() {}

        private static JobManagerDeletions start() {
            ThreadPoolExecutor threads =
                    new ThreadPoolExecutor(
                            THREADS,
                            THREADS,
                            IDLE.toMillis(),
                            TimeUnit.MILLISECONDS,
                            new LinkedBlockingQueue<>(),
                            daemons("dstl-jobmanager-discard"));
            threads.allowCoreThreadTimeOut(true);
            ScheduledThreadPoolExecutor timer =
                    new ScheduledThreadPoolExecutor(1, daemons("dstl-jobmanager-timer"));
            timer.setKeepAliveTime(IDLE.toMillis(), TimeUnit.MILLISECONDS);
            timer.allowCoreThreadTimeOut(true);
            timer.setRemoveOnCancelPolicy(true);
            JobManagerDeletions deletions = new JobManagerDeletions(threads, timer);
            Runtime.getRuntime()
                    .addShutdownHook(
                            new Thread(() -> exit(deletions, threads), "dstl-last-discards"));
            return deletions;
        }

        private static void exit(JobManagerDeletions deletions, ExecutorService threads) {
            deletions.close();
            threads.shutdown();
            try {
                if (!threads.awaitTermination(LAST.toMillis(), TimeUnit.MILLISECONDS)) {
                    LOG.warn(
                            "{} segments that no checkpoint needs were not deleted as the"
                                    + " JobManager ended: they stay in the store until the command"
                                    + " 'orphans' deletes them",
                            deletions.unfinished());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static ThreadFactory daemons(String name) {
            AtomicInteger started = new AtomicInteger();
            return task -> {
                Thread thread = new Thread(task, name + "-" + started.incrementAndGet());
                thread.setDaemon(true);
                // Not that of the job whose segment happened to be the first.
                thread.setContextClassLoader(FileSystem.class.getClassLoader());
                return thread;
            };
        }
    }
}
