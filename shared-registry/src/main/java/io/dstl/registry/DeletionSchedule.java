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

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The times of deletions. If a store deletes several with one request: a second after they were
 * queued, so that they go together. After a failure: pauses that grow fourfold, 1 s, 4 s, 16 s, 64
 * s and 256 s, so that a store that is down gets few requests, and one that comes back within five
 * minutes gets all deletions.
 */
public final class DeletionSchedule {
    private static final Duration GATHERING = Duration.ofSeconds(1);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final int GROWTH = 4;
    private static final int ATTEMPTS = 6;

    private final Optional<ScheduledExecutorService> timer;
    private final int attempts;

    private DeletionSchedule(Optional<ScheduledExecutorService> timer, int attempts) {
        this.timer = timer;
        this.attempts = attempts;
    }

    /**
     * @param timer keeps the pauses and runs nothing that blocks; its owner shuts it down
     */
    public static DeletionSchedule on(ScheduledExecutorService timer) {
        return new DeletionSchedule(Optional.of(timer), ATTEMPTS);
    }

    /** Each deletion runs at once, and each failure is final. */
    public static DeletionSchedule none() {
        return new DeletionSchedule(Optional.empty(), 1);
    }

    /**
     * Runs the deletion of gathered objects after the time for gathering.
     *
     * @return empty if nothing is gathered
     * @throws RejectedExecutionException if the timer is shut down
     */
    Optional<Future<?>> afterGathering(Runnable deletion) {
        return timer.map(
                running -> running.schedule(deletion, GATHERING.toMillis(), TimeUnit.MILLISECONDS));
    }

    /**
     * Runs the next log line of its kind after a minute, or a second deletion of what a request may
     * have stored after the first one.
     *
     * @return empty if there is no timer
     * @throws RejectedExecutionException if the timer is shut down
     */
    public Optional<Future<?>> afterAMinute(Runnable next) {
        return timer.map(running -> running.schedule(next, 1, TimeUnit.MINUTES));
    }

    public boolean isLeftAfter(int attempted) {
        return attempted < attempts;
    }

    /**
     * Runs the next attempt after its pause.
     *
     * @throws RejectedExecutionException if the timer is shut down
     */
    public Future<?> schedule(int attempted, Runnable next) {
        long pause = FIRST_PAUSE.toMillis();
        for (int i = 1; i < attempted; i++) {
            pause *= GROWTH;
        }
        return timer.orElseThrow(() -> new RejectedExecutionException("Nothing is tried again"))
                .schedule(next, pause, TimeUnit.MILLISECONDS);
    }
}
