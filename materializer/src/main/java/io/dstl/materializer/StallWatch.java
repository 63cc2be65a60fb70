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
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices background work that hangs: it runs, and has made no progress for the allowed time. An
 * upload may take any time as a whole and may wait for a thread: a large state on a slow network is
 * no fault, and an upload that is given up restarts from zero. Work that can't tell of its progress
 * for a while has {@link Progress#patience} beside it. A flush ahead shows no progress at all, so
 * the allowed time bounds its whole run.
 *
 * <p>Looks {@value #LOOKS} times in the allowed time, so it notices at most a tenth late.
 *
 * <p>Does not own the scheduler. <b>Threading.</b> {@link #watch} and {@link #end} on the task
 * thread; looks run on the scheduler's thread.
 */
public final class StallWatch {

    private static final Logger LOG = LoggerFactory.getLogger(StallWatch.class);

    private static final int LOOKS = 10;

    private final Duration allowed;
    private final ScheduledExecutorService scheduler;

    private Optional<Look> current = Optional.empty();

    /**
     * @param allowed for how long an upload may make no progress; at least 10 ms
     * @param scheduler runs short commands
     */
    public StallWatch(Duration allowed, ScheduledExecutorService scheduler) {
        if (allowed.toMillis() < LOOKS) {
            throw new IllegalArgumentException(
                    "An upload may make no progress for at least " + LOOKS + " ms: " + allowed);
        }
        this.allowed = requireNonNull(allowed);
        this.scheduler = requireNonNull(scheduler);
    }

    public Duration allowed() {
        return allowed;
    }

    /**
     * Watches the work until {@link #end} or the next call of this method.
     *
     * @param hangs called on the scheduler's thread, and returns whether anybody has heard: called
     *     again only after {@link #goesOn} returned true, or else at the next look that finds no
     *     progress. {@link #end} waits for it
     */
    public void watch(Watched work, BooleanSupplier hangs) {
        end();
        Look look = new Look(work, hangs);
        current = Optional.of(look);
        look.plan();
    }

    /**
     * Whether work that was reported as hanging has made progress since: the task may have been
     * busy for long. If so, the watch goes on.
     */
    public boolean goesOn() {
        return current.isPresent() && current.get().goesOn();
    }

    /** Stops the watch: no work is reported any more. Calling it again has no effect. */
    public void end() {
        current.ifPresent(Look::stop);
        current = Optional.empty();
    }

    /** How far work is. Thread-safe. */
    public interface Progress {
        /** A number that changes with each progress. */
        long steps();

        /**
         * For how much longer than is allowed the work may make no progress now, as it can't tell
         * of what it is doing.
         */
        default Duration patience() {
            return Duration.ZERO;
        }
    }

    /** Work that may hang. Thread-safe. */
    public interface Watched extends Progress {
        /** Whether the work has begun and not ended. Work that does not run does not hang. */
        boolean isRunning();
    }

    /**
     * Looks at one piece of work again and again, on the scheduler's thread, or on the task thread
     * after a hang was reported. Looks and {@link #stop} exclude each other: a report about ended
     * work would be taken for one about the next work.
     */
    private final class Look implements Runnable {
        private final Watched work;
        private final BooleanSupplier hangs;
        private long seen;
        private int unchanged;
        private boolean stopped;
        private Optional<Future<?>> planned = Optional.empty();

        Look(Watched work, BooleanSupplier hangs) {
            this.work = work;
            this.hangs = hangs;
        }

        synchronized void plan() {
            try {
                planned = Optional.of(scheduler.schedule(this, pause(), TimeUnit.MILLISECONDS));
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
            // First: what it is for may end meanwhile, which is a progress.
            Duration patience = work.patience();
            unchanged = hasMoved() ? 0 : unchanged + 1;
            boolean isStalled = unchanged > LOOKS + patience.toMillis() / pause();
            if (!isStalled || !hangs.getAsBoolean()) {
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

        private long pause() {
            return allowed.toMillis() / LOOKS;
        }

        private boolean hasMoved() {
            long steps = work.steps();
            boolean moved = !work.isRunning() || steps != seen;
            seen = steps;
            return moved;
        }
    }
}
