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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;

/**
 * Runs what takes long for the jobs of one process, so that none can keep another one waiting.
 *
 * <p><b>Room.</b> A job may always have one thread. More of them it may have as long as the process
 * has fewer than its limit: so there are never more threads at work than the limit and one for each
 * job. Where there is room, the job goes first that has the fewest threads; its own work goes first
 * come, first served.
 *
 * <p><b>What hangs</b> can be given up: its room is another's then, while the thread stays until
 * whatever holds it lets go. Such threads are counted by job, over restarts. A job that has too
 * many of them is refused further work, so they don't grow without a bound: by no more than what
 * the job had waiting at that time.
 *
 * <p><b>Nothing stays.</b> Each work has a thread of its own, which ends with it, so none keeps
 * what one job's classes have left in it, and an idle process has none. Of a job without work
 * nothing is known here.
 *
 * <p>Thread-safe. The lock is held for bookkeeping only.
 */
final class JobBulkheads {
    private final int limit;
    private final int perJob;
    private final int hangingPerJob;
    private final String name;
    private final BiFunction<String, Runnable, Thread> threads;

    @GuardedBy("this")
    private final Map<JobID, Bulkhead> jobs = new LinkedHashMap<>();

    @GuardedBy("this")
    private int running;

    /**
     * @param name what the names of its threads begin with
     * @param limit of threads at work, but for the first of each job
     * @param perJob of threads at work for one job
     * @param hangingPerJob at which a job is refused further work
     * @param threads makes one that has not been started, of a name
     */
    JobBulkheads(
            String name,
            int limit,
            int perJob,
            int hangingPerJob,
            BiFunction<String, Runnable, Thread> threads) {
        this.name = requireNonNull(name);
        this.limit = limit;
        this.perJob = perJob;
        this.hangingPerJob = hangingPerJob;
        this.threads = requireNonNull(threads);
    }

    /**
     * Runs the command as soon as the job has room for it.
     *
     * @throws UploadLane.FullException if too much of the job hangs
     * @throws Error if the process gets no more threads
     */
    UploadLane.Ticket submit(JobID job, Runnable command) {
        Work work = enqueue(job, command);
        try {
            startAdmitted();
        } catch (Throwable t) {
            giveUp(work);
            throw t;
        }
        return () -> giveUp(work);
    }

    private synchronized Work enqueue(JobID job, Runnable command) {
        Bulkhead bulkhead = jobs.computeIfAbsent(job, Bulkhead::new);
        if (bulkhead.hanging >= hangingPerJob) {
            throw new UploadLane.FullException(
                    bulkhead.hanging
                            + " uploads of job "
                            + job
                            + " still hang on this TaskManager after they were given up, so no more"
                            + " are begun until one of them has ended. See that the file system of "
                            + CheckpointingOptions.CHECKPOINTS_DIRECTORY.key()
                            + " can be reached from here. If it can, and a thread dump still shows"
                            + " their threads, named "
                            + name(job)
                            + ", restart the TaskManager.");
        }
        Work work = new Work(bulkhead, command);
        bulkhead.waiting.add(work);
        return work;
    }

    private void giveUp(Work work) {
        if (release(work)) {
            startAdmitted();
        }
    }

    /** Whether there may be room now that was not there before. */
    private synchronized boolean release(Work work) {
        if (work.stage == Stage.WAITING) {
            work.bulkhead.waiting.remove(work);
            end(work);
        } else if (work.stage == Stage.RUNNING) {
            running--;
            work.bulkhead.running--;
            work.bulkhead.hanging++;
            work.stage = Stage.HANGING;
            // It also ends under this lock: so the thread is this work's still.
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
        startAdmitted();
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
        // May throw, as memory is short: the work waits on then.
        work.thread = threads.apply(name(bulkhead.job), work);
        bulkhead.waiting.remove();
        work.stage = Stage.RUNNING;
        bulkhead.running++;
        running++;
        return work;
    }

    /** No thread was free. The work starts with the next work that is submitted or ends. */
    private synchronized void putBack(Work work) {
        if (work.stage == Stage.RUNNING) {
            running--;
            work.bulkhead.running--;
            work.stage = Stage.WAITING;
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

    /** Read and written under the lock of the bulkheads, but for the command. */
    private final class Work implements Runnable {
        final Bulkhead bulkhead;
        private final Runnable command;
        Stage stage = Stage.WAITING;
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
