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
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * How often a failed deletion is tried, and when: the pauses grow fourfold, 1 s, 4 s, 16 s, 64 s
 * and 256 s, so that a store that is down is not asked all the time, and one that comes back within
 * five minutes is rid of all that is nobody's.
 */
public final class DeletionRetries {
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final int GROWTH = 4;
    private static final int ATTEMPTS = 6;

    private final ScheduledExecutorService timer;
    private final int attempts;

    private DeletionRetries(ScheduledExecutorService timer, int attempts) {
        this.timer = timer;
        this.attempts = attempts;
    }

    /**
     * @param timer keeps the pauses and runs nothing that blocks; its owner shuts it down
     */
    public static DeletionRetries on(ScheduledExecutorService timer) {
        return new DeletionRetries(timer, ATTEMPTS);
    }

    /** Each failure is final. */
    public static DeletionRetries none() {
        return new DeletionRetries(null, 1);
    }

    public boolean isLeftAfter(int attempted) {
        return attempted < attempts;
    }

    /**
     * Runs the next attempt after its pause.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the timer is shut down
     */
    public Future<?> schedule(int attempted, Runnable next) {
        long pause = FIRST_PAUSE.toMillis();
        for (int i = 1; i < attempted; i++) {
            pause *= GROWTH;
        }
        return timer.schedule(next, pause, TimeUnit.MILLISECONDS);
    }
}
