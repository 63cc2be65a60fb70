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
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the segments that a JobManager gives up, of all of its jobs, beside what it does for
 * checkpoints. A failed deletion is tried again ({@link DeletionQueue}).
 *
 * <p><b>One caller stays</b> until all that was given up has been deleted or waits for its next
 * attempt; all others return at once. Its thread is one of Flink's, for whose work the end of a
 * JobManager waits ({@code cluster.services.shutdown-timeout}, 30 s). A hook of ours could not do
 * that: Flink grants those 5 s, and then halts the process with an exit code of failure.
 *
 * <p><b>Bounded.</b> When too many wait, callers delete by themselves, which keeps Flink from
 * starting checkpoints faster than it cleans up behind them.
 *
 * <p><b>Threading.</b> Any thread.
 */
final class JobManagerDeletions {

    private static final Logger LOG = LoggerFactory.getLogger(JobManagerDeletions.class);

    /** About 65 MB of them: 650 bytes each, measured. */
    private static final int MOST_WAITING = 100_000;

    /** Of a failure; a chain of more is one that has no end. */
    private static final int MOST_CAUSES = 20;

    private final DeletionQueue queue;
    private final int mostWaiting;

    /** Attempts that wait for a thread or run, and callers that are about to add one. */
    @GuardedBy("this")
    private int busy;

    /** Whether a caller stays. */
    @GuardedBy("this")
    private boolean accompanied;

    /** Whether it has been said that too many wait. */
    @GuardedBy("this")
    private boolean said;

    /**
     * @param threads run the attempts; never shut down
     * @param timer keeps the pauses between them
     * @param mostWaiting for a thread; beyond that callers delete by themselves
     */
    JobManagerDeletions(Executor threads, ScheduledExecutorService timer, int mostWaiting) {
        this.mostWaiting = mostWaiting;
        this.queue =
                new DeletionQueue(
                        segment -> deleteNow((LogSegmentHandle) segment),
                        attempt -> run(attempt, threads),
                        DeletionSchedule.on(timer),
                        RegistryListener.none());
    }

    /**
     * Fails without the messages of what went wrong. File systems put secrets into them, and this
     * process has not been given the configuration that tells which texts are secret.
     */
    private static void deleteNow(LogSegmentHandle segment) throws IOException {
        try {
            segment.deleteNow();
        } catch (Exception e) {
            IOException shown =
                    new IOException(
                            Stream.iterate((Throwable) e, Objects::nonNull, Throwable::getCause)
                                    .limit(MOST_CAUSES)
                                    .map(cause -> cause.getClass().getName())
                                    .collect(
                                            Collectors.joining(
                                                    ", caused by ",
                                                    "",
                                                    "; what they say may hold secrets, and is not"
                                                            + " shown")));
            shown.setStackTrace(e.getStackTrace());
            throw shown;
        }
    }

    /** Started with the first segment that is given up. */
    static JobManagerDeletions ofThisProcess() {
        return OfThisProcess.DELETIONS;
    }

    /**
     * Has a segment deleted. Blocks the one caller that stays, until all are; an interrupt lets it
     * go.
     *
     * @throws Exception if too many wait, and the segment is, or may be, still there
     */
    void delete(LogSegmentHandle segment) throws Exception {
        if (isFull()) {
            segment.deleteNow();
            return;
        }
        boolean stays;
        synchronized (this) {
            busy++;
            stays = !accompanied;
            accompanied = true;
        }
        try {
            queue.delete(segment);
        } finally {
            ended();
            if (stays) {
                stay();
            }
        }
    }

    private synchronized boolean isFull() {
        boolean full = busy >= mostWaiting;
        if (full && !said) {
            said = true;
            LOG.warn(
                    "{} files that no checkpoint needs wait to be deleted, as the store deletes"
                            + " more slowly than the jobs truncate their logs: until there are"
                            + " fewer, more are deleted on Flink's own threads, and checkpoints"
                            + " wait for that",
                    busy);
        } else if (busy < mostWaiting / 2) {
            said = false;
        }
        return full;
    }

    private void run(Runnable attempt, Executor threads) {
        synchronized (this) {
            busy++;
        }
        try {
            threads.execute(
                    () -> {
                        try {
                            attempt.run();
                        } finally {
                            ended();
                        }
                    });
        } catch (Throwable t) {
            ended();
            throw t;
        }
    }

    private synchronized void ended() {
        busy--;
        if (busy == 0) {
            notifyAll();
        }
    }

    private synchronized void stay() {
        try {
            while (busy > 0) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            accompanied = false;
        }
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
                            new DaemonThreads("dstl-jobmanager-discard"));
            threads.allowCoreThreadTimeOut(true);
            ScheduledThreadPoolExecutor timer =
                    new ScheduledThreadPoolExecutor(1, new DaemonThreads("dstl-jobmanager-timer"));
            timer.setKeepAliveTime(IDLE.toMillis(), TimeUnit.MILLISECONDS);
            timer.allowCoreThreadTimeOut(true);
            return new JobManagerDeletions(threads, timer, MOST_WAITING);
        }
    }
}
