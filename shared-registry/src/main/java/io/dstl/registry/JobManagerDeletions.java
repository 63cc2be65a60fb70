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
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.core.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the segments that a JobManager gives up, of all of its jobs, in parallel with its work
 * for checkpoints. Retries failed deletions ({@link DeletionQueue}).
 *
 * <p><b>One caller stays</b> until all given up segments are deleted or wait for their next
 * attempt, or {@link #LONGEST_STAY} has passed: a deletion may hang, and jobs may give up more
 * without a pause. All others return at once. Its thread is one of Flink's, which the end of a
 * JobManager waits for: 10 s, a constant of Flink's {@code JobManagerSharedServices}. A shutdown
 * hook of dstl could not do that: Flink grants hooks 5 s, and then halts the process with an exit
 * code of failure.
 *
 * <p><b>Apart.</b> Each store, by scheme and authority, has threads and a queue of its own: one
 * that hangs keeps no job from deleting in another. Only the caller that stays waits for it, before
 * it deletes what else it has to.
 *
 * <p><b>Bounded.</b> When too many wait for a store, or twice as many for all of them and more than
 * its share of that for this one, callers delete by themselves, which keeps Flink from starting
 * checkpoints faster than it cleans up after them.
 *
 * <p><b>Threading.</b> Any thread.
 */
final class JobManagerDeletions {

    private static final Logger LOG = LoggerFactory.getLogger(JobManagerDeletions.class);

    /** About 65 MB: 650 bytes each, measured. */
    private static final int MOST_WAITING = 100_000;

    private static final Duration IDLE = Duration.ofMinutes(1);

    /** For one file: then its caller goes on with what else it has to delete. */
    static final Duration LONGEST_STAY = WatchedPool.ALLOWED;

    /** Of a failure; a longer chain is taken for a cycle. */
    private static final int MOST_CAUSES = 20;

    private final Supplier<? extends Executor> threads;
    private final ScheduledExecutorService timer;
    private final int mostWaiting;

    /** By scheme and authority. A process knows few. */
    private final Map<String, Store> stores = new ConcurrentHashMap<>();

    /** Attempts that wait for a thread or run, plus callers that are about to add one. */
    @GuardedBy("this")
    private int busy;

    /** Whether a caller stays. */
    @GuardedBy("this")
    private boolean accompanied;

    /**
     * @param threads starts those that run the attempts in one store; never shut down
     * @param timer keeps the pauses between them
     * @param mostWaiting segments of one store, for a thread or for their next attempt; beyond that
     *     callers delete by themselves
     */
    JobManagerDeletions(
            Supplier<? extends Executor> threads, ScheduledExecutorService timer, int mostWaiting) {
        this.threads = threads;
        this.timer = timer;
        this.mostWaiting = mostWaiting;
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
     * Deletes a segment. Blocks the one caller that stays until all are deleted, or for {@link
     * #LONGEST_STAY}; an interrupt ends its stay.
     *
     * @throws Exception if too many wait, and the segment is, or may be, still there
     */
    void delete(LogSegmentHandle segment) throws Exception {
        Path path = segment.getFilePath();
        String ofStore = path.toUri().getScheme() + "://" + path.toUri().getAuthority();
        Store store = stores.computeIfAbsent(ofStore, key -> new Store(shownStore(path)));
        if (store.isFull()) {
            deleteNow(segment);
            return;
        }
        Optional<Stay> stay;
        synchronized (this) {
            store.begin();
            stay = accompanied ? Optional.empty() : Optional.of(new Stay());
            accompanied = true;
        }
        stay.ifPresent(Stay::begin);
        try {
            store.queue.delete(segment);
        } finally {
            store.end();
            stay.ifPresent(Stay::untilAllIsDeleted);
        }
    }

    private int waitingEverywhere() {
        return stores.values().stream().mapToInt(store -> store.queue.waiting()).sum();
    }

    /** Scheme and authority, with which a path may hold credentials. */
    static String shownStore(Path path) {
        String shown = Redaction.OF_URIS.text(path.toString());
        int authority = shown.indexOf("://") + 3;
        int end = shown.indexOf('/', authority);
        return authority < 3 || end < 0 ? path.toUri().getScheme() + ":" : shown.substring(0, end);
    }

    /** Of the one caller that stays. */
    private final class Stay {
        private Future<?> limit = CompletableFuture.completedFuture(null);

        @GuardedBy("JobManagerDeletions.this")
        private boolean ended;

        void begin() {
            try {
                limit = timer.schedule(this::end, LONGEST_STAY.toMillis(), TimeUnit.MILLISECONDS);
            } catch (Throwable t) {
                LOG.debug("Nobody waits for deletions, as there is no timer", t);
                end();
            }
        }

        private void end() {
            synchronized (JobManagerDeletions.this) {
                ended = true;
                JobManagerDeletions.this.notifyAll();
            }
        }

        void untilAllIsDeleted() {
            synchronized (JobManagerDeletions.this) {
                try {
                    while (busy > 0 && !ended) {
                        JobManagerDeletions.this.wait();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    accompanied = false;
                }
            }
            limit.cancel(false);
        }
    }

    /** The deletions in one store. */
    private final class Store {
        private final String name;
        private final Executor itsThreads = threads.get();
        private final DeletionQueue queue =
                new DeletionQueue(
                        segment -> deleteNow((LogSegmentHandle) segment),
                        this::run,
                        DeletionSchedule.on(timer),
                        RegistryListener.none(),
                        mostWaiting);

        @GuardedBy("JobManagerDeletions.this")
        private int itsBusy;

        /** Whether it was logged that too many wait. */
        @GuardedBy("JobManagerDeletions.this")
        private boolean said;

        Store(String name) {
            this.name = name;
        }

        boolean isFull() {
            synchronized (JobManagerDeletions.this) {
                int waiting = itsBusy + queue.waiting();
                int all = busy + waitingEverywhere();
                boolean full =
                        waiting >= mostWaiting
                                || (all >= 2 * mostWaiting
                                        && waiting >= 2 * mostWaiting / stores.size());
                if (full && !said) {
                    said = true;
                    LOG.warn(
                            "{} files that no checkpoint needs wait to be deleted in {}, and {} in"
                                    + " all, as the stores refuse that or delete more slowly than"
                                    + " the jobs truncate their logs: until there are fewer, more"
                                    + " are deleted on Flink's own threads, and checkpoints wait"
                                    + " for that",
                            waiting,
                            name,
                            all);
                } else if (!full && waiting < mostWaiting / 2 && all < mostWaiting) {
                    said = false;
                }
                return full;
            }
        }

        private void run(Runnable attempt) {
            begin();
            try {
                itsThreads.execute(
                        () -> {
                            try {
                                attempt.run();
                            } finally {
                                end();
                            }
                        });
            } catch (Throwable t) {
                end();
                throw t;
            }
        }

        void begin() {
            synchronized (JobManagerDeletions.this) {
                itsBusy++;
                busy++;
            }
        }

        void end() {
            synchronized (JobManagerDeletions.this) {
                itsBusy--;
                busy--;
                if (busy == 0) {
                    JobManagerDeletions.this.notifyAll();
                }
            }
        }
    }

    /**
     * Threads that end when there is nothing to delete; more of them while many deletions wait, as
     * those of a large job would otherwise be slower than its checkpoints.
     */
    static final class Threads implements Executor {

        /** As many as Flink has on a JobManager with four cores. */
        static final int FEW = 16;

        /**
         * Below the 50 connections of Flink's native file system for S3, the fewest of its plugins:
         * checkpoints need some too.
         */
        static final int MANY = 40;

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
            DaemonThreads factory = new DaemonThreads("dstl-jobmanager-discard");
            return new JobManagerDeletions(() -> new Threads(factory, timer), timer, MOST_WAITING);
        }
    }
}
