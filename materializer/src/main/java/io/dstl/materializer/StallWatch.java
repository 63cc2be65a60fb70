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
package io.dstl.materializer;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that an upload hangs: that it runs, and that nothing it writes has got anywhere for as
 * long as is allowed. How long it takes as a whole has no limit, and neither has its waiting for a
 * thread: a large state on a slow network is no fault, and one that is given up starts from zero.
 * What is done ahead of it can't be seen to get anywhere, so that may not run for longer than that.
 *
 * <p>Looks {@value #LOOKS} times as often as it may take, so it notices late by a tenth at most.
 *
 * <p>Does not own the scheduler. <b>Threading.</b> {@link #watch} and {@link #end} on the task
 * thread; what is due runs on the scheduler's.
 */
public final class StallWatch {

    private static final Logger LOG = LoggerFactory.getLogger(StallWatch.class);

    private static final int LOOKS = 10;

    private final Duration allowed;
    private final ScheduledExecutorService scheduler;

    private Optional<Look> current = Optional.empty();

    /**
     * @param allowed for how long an upload may write nothing; at least 10 ms
     * @param scheduler runs what returns at once
     */
    public StallWatch(Duration allowed, ScheduledExecutorService scheduler) {
        if (allowed.toMillis() < LOOKS) {
            throw new IllegalArgumentException(
                    "An upload may write nothing for at least " + LOOKS + " ms: " + allowed);
        }
        this.allowed = requireNonNull(allowed);
        this.scheduler = requireNonNull(scheduler);
    }

    public Duration allowed() {
        return allowed;
    }

    /**
     * Until {@link #end}, or until it is called for another upload.
     *
     * @param hangs called by the scheduler's thread, and then no more, unless the upload {@link
     *     #goesOn}; {@link #end} waits for it
     */
    public void watch(Watched work, Runnable hangs) {
        end();
        Look look = new Look(work, hangs);
        current = Optional.of(look);
        look.plan();
    }

    /**
     * Whether an upload that was said to hang has moved since: the task may have been busy for
     * long. It is watched on then.
     */
    public boolean goesOn() {
        return current.isPresent() && current.get().goesOn();
    }

    /** Nothing is said to hang any more. Called again, without effect. */
    public void end() {
        current.ifPresent(Look::stop);
        current = Optional.empty();
    }

    /** What may hang. Thread-safe. */
    public interface Watched {
        /** Whether it has begun and not ended. What does not run does not hang. */
        boolean isRunning();

        /** Another number whenever it has got any further. */
        long steps();
    }

    /**
     * Looks at one upload, again and again: on the scheduler's thread, or on the task's once that
     * has been told that the upload hangs. One look at a time, and none is half done when it is
     * stopped: what it says of an upload that has ended would be taken for another's.
     */
    private final class Look implements Runnable {
        private final Watched work;
        private final Runnable hangs;
        private long seen;
        private int unchanged;
        private boolean stopped;
        private Optional<Future<?>> planned = Optional.empty();

        Look(Watched work, Runnable hangs) {
            this.work = work;
            this.hangs = hangs;
        }

        synchronized void plan() {
            try {
                planned =
                        Optional.of(
                                scheduler.schedule(
                                        this, allowed.toMillis() / LOOKS, TimeUnit.MILLISECONDS));
            } catch (RejectedExecutionException e) {
                LOG.debug("{} is watched no more: the scheduler has been shut down", work, e);
            }
        }

        synchronized void stop() {
            stopped = true;
            planned.ifPresent(future -> future.cancel(false));
        }

        @Override
        public synchronized void run() {
            if (stopped) {
                return;
            }
            unchanged = hasMoved() ? 0 : unchanged + 1;
            if (unchanged > LOOKS) {
                hangs.run();
            } else {
                plan();
            }
        }

        synchronized boolean goesOn() {
            boolean moved = hasMoved();
            if (moved) {
                unchanged = 0;
                plan();
            }
            return moved;
        }

        private boolean hasMoved() {
            long steps = work.steps();
            boolean moved = !work.isRunning() || steps != seen;
            seen = steps;
            return moved;
        }
    }
}
