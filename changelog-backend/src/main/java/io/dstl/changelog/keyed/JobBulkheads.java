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
package io.dstl.changelog.keyed;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.materializer.UploadLane;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs long work for the jobs of one process, so that no job can keep another one waiting.
 *
 * <p><b>Room.</b> A job may always have one thread. It may have more while the process has fewer
 * than its limit. So at most the limit, and one thread for each job, are at work. If there is room,
 * the job with the fewest threads goes first; within a job, work goes first come, first served.
 *
 * <p><b>Hanging work</b> can be given up. Other work then gets its room, while the thread stays
 * until whatever blocks it lets go. The hanging threads are counted by job, over restarts. A job
 * that has too many of them is refused further work. So they exceed that number by no more than the
 * work that the job had waiting at that time.
 *
 * <p><b>No leftovers.</b> Each work has its own thread, which ends with it. So no thread keeps what
 * a job's classes have left in it, and an idle process has no thread. A job without work is
 * forgotten.
 *
 * <p>Thread-safe. The lock is held for bookkeeping only.
 */
final class JobBulkheads {
    private static final Logger LOG = LoggerFactory.getLogger(JobBulkheads.class);

    /** Between two attempts to start work that waits for a thread. */
    private static final Duration PAUSE = Duration.ofSeconds(10);

    private final int limit;
    private final int perJob;
    private final int hangingPerJob;
    private final String name;
    private final BiFunction<String, Runnable, Thread> threads;
    private final ScheduledExecutorService timer;

    /** Whether the timer is going to try again. */
    private final AtomicBoolean retries = new AtomicBoolean();

    @GuardedBy("this")
    private final Map<JobID, Bulkhead> jobs = new LinkedHashMap<>();

    @GuardedBy("this")
    private int running;

    /**
     * @param name the prefix of the threads' names
     * @param limit of threads at work, except for the first of each job
     * @param perJob limit of threads at work for one job
     * @param hangingPerJob the number of hanging threads at which a job is refused further work
     * @param threads makes a thread of a name, without starting it
     * @param timer tries again to start work that got no thread; not blocked
     */
    JobBulkheads(
            String name,
            int limit,
            int perJob,
            int hangingPerJob,
            BiFunction<String, Runnable, Thread> threads,
            ScheduledExecutorService timer) {
        this.name = requireNonNull(name);
        this.limit = limit;
        this.perJob = perJob;
        this.hangingPerJob = hangingPerJob;
        this.threads = requireNonNull(threads);
        this.timer = requireNonNull(timer);
    }

    /**
     * Runs the command as soon as the job has room for it.
     *
     * @throws UploadLane.FullException if too much work of the job hangs
     * @throws Error if the process gets no thread for the command, which is not going to run then
     */
    UploadLane.Ticket submit(JobID job, Runnable command) {
        Work work = enqueue(job, command);
        try {
            startAdmitted();
        } catch (Throwable t) {
            if (withdraw(work)) {
                // Other work may wait for a thread as well.
                tryAgainLater();
                throw t;
            }
            waitsForThread(t);
        }
        return () -> giveUp(work);
    }

    /**
     * Returns false if what has failed is the start of other work, whose submitter has returned.
     */
    private synchronized boolean withdraw(Work work) {
        if (work.stage != Stage.WAITING || !work.gotNoThread) {
            return false;
        }
        work.bulkhead.waiting.remove(work);
        end(work);
        return true;
    }

    private synchronized Work enqueue(JobID job, Runnable command) {
        Bulkhead bulkhead = jobs.computeIfAbsent(job, Bulkhead::new);
        if (bulkhead.hanging >= hangingPerJob) {
            throw new UploadLane.FullException(
                    bulkhead.hanging
                            + " uploads, or flushes of RocksDB, of job "
                            + job
                            + " still hang on this TaskManager after they were given up, so no more"
                            + " are begun until one of them has ended. See that the file system of "
                            + CheckpointingOptions.CHECKPOINTS_DIRECTORY.key()
                            + " can be reached from here, that the disk of RocksDB takes writes, and"
                            + " that its compactions keep up (state.backend.rocksdb.thread.num)."
                            + " If so, and a thread dump still shows their threads, named "
                            + name(job)
                            + ", restart the TaskManager.");
        }
        Work work = new Work(bulkhead, command);
        bulkhead.waiting.add(work);
        return work;
    }

    private void giveUp(Work work) {
        if (release(work)) {
            startWaiting();
        }
    }

    /** Returns whether there may be room now that was not there before. */
    private synchronized boolean release(Work work) {
        if (work.stage == Stage.WAITING) {
            work.bulkhead.waiting.remove(work);
            end(work);
        } else if (work.stage == Stage.RUNNING) {
            running--;
            work.bulkhead.running--;
            work.bulkhead.hanging++;
            work.stage = Stage.HANGING;
            // Work ends under this lock too, so the thread still belongs to this work.
            work.thread.interrupt();
            return true;
        }
        return false;
    }

    private void over(Work work) {
        synchronized (this) {
            if (work.stage == Stage.RUNNING) {
                running--;
                work.bulkhead.running--;
            } else {
                work.bulkhead.hanging--;
            }
            end(work);
        }
        startWaiting();
    }

    /** On a thread that has ended work of its own: an error here would end the process. */
    private void startWaiting() {
        try {
            startAdmitted();
        } catch (OutOfMemoryError e) {
            waitsForThread(e);
        }
    }

    private void waitsForThread(Throwable cause) {
        LOG.warn(
                "No thread {} could be started for work that waits: it is tried again in {} s."
                        + " See that this process may have more threads, and memory for them",
                name,
                PAUSE.getSeconds(),
                cause);
        tryAgainLater();
    }

    private void tryAgainLater() {
        if (retries.compareAndSet(false, true)) {
            try {
                timer.schedule(this::tryAgain, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (Throwable t) {
                retries.set(false);
                LOG.debug("It is tried again when more such work comes or ends", t);
            }
        }
    }

    /** On the timer's thread, where an error would end the process. */
    private void tryAgain() {
        retries.set(false);
        try {
            startAdmitted();
        } catch (Throwable t) {
            waitsForThread(t);
        }
    }

    @GuardedBy("this")
    private void end(Work work) {
        work.stage = Stage.OVER;
        Bulkhead bulkhead = work.bulkhead;
        if (bulkhead.waiting.isEmpty() && bulkhead.running == 0 && bulkhead.hanging == 0) {
            jobs.remove(bulkhead.job);
        }
    }

    private void startAdmitted() {
        for (Optional<Work> next = admit(); next.isPresent(); next = admit()) {
            try {
                next.get().thread.start();
            } catch (Throwable t) {
                putBack(next.get());
                throw t;
            }
        }
    }

    private synchronized Optional<Work> admit() {
        Bulkhead next = null;
        for (Bulkhead bulkhead : jobs.values()) {
            if (hasWorkAndRoom(bulkhead) && (next == null || bulkhead.running < next.running)) {
                next = bulkhead;
            }
        }
        return next == null ? Optional.empty() : Optional.of(begin(next));
    }

    @GuardedBy("this")
    private boolean hasWorkAndRoom(Bulkhead bulkhead) {
        return !bulkhead.waiting.isEmpty()
                && (bulkhead.running == 0 || (bulkhead.running < perJob && running < limit));
    }

    @GuardedBy("this")
    private Work begin(Bulkhead bulkhead) {
        Work work = bulkhead.waiting.element();
        // May throw if memory is short: the work then keeps its place.
        work.gotNoThread = true;
        work.thread = threads.apply(name(bulkhead.job), work);
        work.gotNoThread = false;
        bulkhead.waiting.remove();
        work.stage = Stage.RUNNING;
        bulkhead.running++;
        running++;
        return work;
    }

    /** Puts back work that got no thread, for the next attempt. */
    private synchronized void putBack(Work work) {
        if (work.stage == Stage.RUNNING) {
            running--;
            work.bulkhead.running--;
            work.stage = Stage.WAITING;
            work.gotNoThread = true;
            work.bulkhead.waiting.addFirst(work);
        } else {
            work.bulkhead.hanging--;
            end(work);
        }
    }

    private String name(JobID job) {
        return name + " of job " + job;
    }

    /** The number of threads at work, without those that hang. */
    synchronized int running() {
        return running;
    }

    /** The number of jobs that have work here. */
    synchronized int jobs() {
        return jobs.size();
    }

    private enum Stage {
        WAITING,
        RUNNING,
        HANGING,
        OVER
    }

    /** Read and written under the lock of the bulkheads. */
    private static final class Bulkhead {
        final JobID job;
        final Deque<Work> waiting = new ArrayDeque<>();
        int running;
        int hanging;

        Bulkhead(JobID job) {
            this.job = job;
        }
    }

    /** Read and written under the lock of the bulkheads, except for the command. */
    private final class Work implements Runnable {
        final Bulkhead bulkhead;
        private final Runnable command;
        Stage stage = Stage.WAITING;

        /** When it was to begin last. */
        boolean gotNoThread;

        Thread thread;

        Work(Bulkhead bulkhead, Runnable command) {
            this.bulkhead = bulkhead;
            this.command = command;
        }

        @Override
        public void run() {
            try {
                command.run();
            } finally {
                over(this);
            }
        }
    }
}
