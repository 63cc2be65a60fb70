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
import io.dstl.secret.Redaction;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the segments that a JobManager gives up, of all of its jobs, in parallel with its work
 * for checkpoints. Retries failed deletions ({@link DeletionQueue}).
 *
 * <p><b>One caller stays</b> until all given up segments are deleted or wait for their next
 * attempt; all others return at once. Its thread is one of Flink's, which the end of a JobManager
 * waits for ({@code cluster.services.shutdown-timeout}, 30 s). A shutdown hook of dstl could not do
 * that: Flink grants hooks 5 s, and then halts the process with an exit code of failure.
 *
 * <p><b>Bounded.</b> When too many wait, callers delete by themselves, which keeps Flink from
 * starting checkpoints faster than it cleans up after them.
 *
 * <p><b>Threading.</b> Any thread.
 */
final class JobManagerDeletions {

    private static final Logger LOG = LoggerFactory.getLogger(JobManagerDeletions.class);

    /** About 65 MB: 650 bytes each, measured. */
    private static final int MOST_WAITING = 100_000;

    private static final Duration IDLE = Duration.ofMinutes(1);

    /** Of a failure; a longer chain is taken for a cycle. */
    private static final int MOST_CAUSES = 20;

    private final DeletionQueue queue;
    private final int mostWaiting;

    /** Attempts that wait for a thread or run, plus callers that are about to add one. */
    @GuardedBy("this")
    private int busy;

    /** Whether a caller stays. */
    @GuardedBy("this")
    private boolean accompanied;

    /** Whether it was logged that too many wait. */
    @GuardedBy("this")
    private boolean said;

    /**
     * @param threads run the attempts; never shut down
     * @param timer keeps the pauses between them
     * @param mostWaiting segments for a thread or for their next attempt; beyond that callers
     *     delete by themselves
     */
    JobManagerDeletions(Executor threads, ScheduledExecutorService timer, int mostWaiting) {
        this.mostWaiting = mostWaiting;
        this.queue =
                new DeletionQueue(
                        segment -> deleteNow((LogSegmentHandle) segment),
                        attempt -> run(attempt, threads),
                        DeletionSchedule.on(timer),
                        RegistryListener.none(),
                        mostWaiting);
    }

    private static void deleteNow(LogSegmentHandle segment) throws IOException {
        try {
            segment.deleteNow();
        } catch (Exception e) {
            throw withoutMessages(e);
        }
    }

    /**
     * File systems put secrets into the messages of failures and their causes, and this process
     * lacks the configuration that tells which texts are secret.
     */
    static IOException withoutMessages(Exception failure) {
        IOException shown =
                new IOException(
                        Stream.iterate((Throwable) failure, Objects::nonNull, Throwable::getCause)
                                .limit(MOST_CAUSES)
                                .map(JobManagerDeletions::kind)
                                .collect(
                                        Collectors.joining(
                                                ", caused by ",
                                                "",
                                                "; what they say may hold secrets, and is not"
                                                        + " shown")));
        shown.setStackTrace(failure.getStackTrace());
        return shown;
    }

    private static String kind(Throwable failure) {
        String local = failure.getClass().getName();
        return Redaction.remoteClassName(failure).map(name -> local + " of " + name).orElse(local);
    }

    /** The instance of this process, started with the first segment that is given up. */
    static JobManagerDeletions ofThisProcess() {
        return OfThisProcess.DELETIONS;
    }

    /**
     * Deletes a segment. Blocks the one caller that stays until all are deleted; an interrupt ends
     * its stay.
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
        int waiting = busy + queue.waiting();
        boolean full = waiting >= mostWaiting;
        if (full && !said) {
            said = true;
            LOG.warn(
                    "{} files that no checkpoint needs wait to be deleted, as the store refuses that"
                            + " or deletes more slowly than the jobs truncate their logs: until"
                            + " there are fewer, more are deleted on Flink's own threads, and"
                            + " checkpoints wait for that",
                    waiting);
        } else if (waiting < mostWaiting / 2) {
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

    /**
     * Threads that end when there is nothing to delete; more of them while many deletions wait, as
     * those of a large job would otherwise be slower than its checkpoints.
     */
    static final class Threads implements Executor {

        /** As many as Flink has on a JobManager with four cores. */
        static final int FEW = 16;

        /** Below the 96 connections of flink-s3-fs-hadoop, which checkpoints need too. */
        static final int MANY = 64;

        /** More waiting deletions are a backlog: seconds, at 25 ms each. */
        static final int BACKLOG = 2_000;

        private final ThreadPoolExecutor pool;
        private final WatchedPool watched;

        Threads(ThreadFactory factory, ScheduledExecutorService timer) {
            pool =
                    new ThreadPoolExecutor(
                            FEW,
                            MANY,
                            IDLE.toMillis(),
                            TimeUnit.MILLISECONDS,
                            new LinkedBlockingQueue<>(),
                            factory);
            pool.allowCoreThreadTimeOut(true);
            watched = new WatchedPool(pool, timer);
        }

        @Override
        public void execute(Runnable deletion) {
            watched.execute(deletion);
            watched.resize(pool.getQueue().size() < BACKLOG ? FEW : MANY);
        }

        int size() {
            return pool.getPoolSize();
        }
    }

    private static final class OfThisProcess {

        private static final JobManagerDeletions DELETIONS = start();

        private OfThisProcess() {}

        private static JobManagerDeletions start() {
            ScheduledThreadPoolExecutor timer =
                    new ScheduledThreadPoolExecutor(1, new DaemonThreads("dstl-jobmanager-timer"));
            timer.setKeepAliveTime(IDLE.toMillis(), TimeUnit.MILLISECONDS);
            timer.allowCoreThreadTimeOut(true);
            timer.setRemoveOnCancelPolicy(true);
            Threads threads = new Threads(new DaemonThreads("dstl-jobmanager-discard"), timer);
            return new JobManagerDeletions(threads, timer, MOST_WAITING);
        }
    }
}
