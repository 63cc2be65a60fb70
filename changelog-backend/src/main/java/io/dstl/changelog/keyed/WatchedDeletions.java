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
import io.dstl.materializer.UploadLane.Ticket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.flink.api.common.JobID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the deletions of a job one after the other, and leaves one that hangs to itself, so that it
 * does not keep all later ones waiting. Each of those keeps its thread, so there is a limit for the
 * process: one that hangs beyond it keeps the later ones waiting until there is room. Any thread.
 */
final class WatchedDeletions implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedDeletions.class);

    private final JobID job;
    private final Function<Runnable, Ticket> lane;
    private final ScheduledExecutorService timer;
    private final Duration allowed;
    private final Semaphore leftHanging;

    /**
     * @param lane runs them; a ticket that is given up lets the next one begin
     * @param allowed how long one may take
     * @param leftHanging has a permit for each deletion that may be left to itself, of all jobs
     */
    WatchedDeletions(
            JobID job,
            Function<Runnable, Ticket> lane,
            ScheduledExecutorService timer,
            Duration allowed,
            Semaphore leftHanging) {
        this.job = requireNonNull(job);
        this.lane = requireNonNull(lane);
        this.timer = requireNonNull(timer);
        this.allowed = requireNonNull(allowed);
        this.leftHanging = requireNonNull(leftHanging);
    }

    @Override
    public void execute(Runnable deletion) {
        CompletableFuture<Ticket> ticket = new CompletableFuture<>();
        ticket.complete(lane.apply(new Watched(deletion, ticket)));
    }

    private final class Watched implements Runnable {
        private final Runnable deletion;
        private final CompletableFuture<Ticket> ticket;

        @GuardedBy("this")
        private Optional<Future<?>> limit = Optional.empty();

        @GuardedBy("this")
        private Optional<Thread> thread = Optional.empty();

        @GuardedBy("this")
        private boolean leftAlone;

        @GuardedBy("this")
        private boolean ended;

        Watched(Runnable deletion, CompletableFuture<Ticket> ticket) {
            this.deletion = deletion;
            this.ticket = ticket;
        }

        @Override
        public void run() {
            watch();
            try {
                deletion.run();
            } finally {
                end();
            }
        }

        private synchronized void watch() {
            thread = Optional.of(Thread.currentThread());
            schedule();
        }

        @GuardedBy("this")
        private void schedule() {
            limit =
                    Optional.of(
                            timer.schedule(
                                    () -> ticket.thenAccept(this::leaveAlone),
                                    allowed.toMillis(),
                                    TimeUnit.MILLISECONDS));
        }

        private void leaveAlone(Ticket given) {
            synchronized (this) {
                if (ended) {
                    return;
                }
                leftAlone = leftHanging.tryAcquire();
                if (!leftAlone) {
                    LOG.warn(
                            "A deletion of materialized state of job {}, or of its local copies,"
                                    + " has taken {}: it is interrupted, and as too many others"
                                    + " hang, the next ones wait for it. See that the file system"
                                    + " can be reached from here, and restart the TaskManager if"
                                    + " they go on to hang",
                            job,
                            allowed);
                    thread.ifPresent(Thread::interrupt);
                    schedule();
                    return;
                }
            }
            LOG.warn(
                    "A deletion of materialized state of job {}, or of its local copies, has taken"
                            + " {}: it is interrupted, and others go on. See that the file system"
                            + " can be reached from here",
                    job,
                    allowed);
            given.giveUp();
        }

        private synchronized void end() {
            ended = true;
            limit.ifPresent(scheduled -> scheduled.cancel(false));
            if (leftAlone) {
                leftHanging.release();
            }
        }
    }
}
