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
package io.dstl.fs.log;

import io.dstl.store.RetrySettings.Backoff;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Wakes a log up some time after an upload has failed: once for all failures in between. The pause
 * doubles from failure to failure, up to ten seconds. While a checkpoint waits for the bytes, the
 * pause is as short as after the first failure, so that the checkpoint does not wait long once the
 * store is back.
 *
 * <p>Guarded by the lock of its {@link SealedLog}.
 */
final class ResendTimer {

    /** The least pause, so that a store that is down is not called in a loop. */
    private static final Duration SHORTEST = Duration.ofMillis(50);

    private final ScheduledExecutorService timer;
    private final Backoff pauses;
    private int failures;
    private Optional<ScheduledFuture<?>> scheduled = Optional.empty();

    ResendTimer(ScheduledExecutorService timer, Duration pause) {
        this.timer = timer;
        Duration base = pause.compareTo(SHORTEST) < 0 ? SHORTEST : pause;
        // No jitter: logs whose changes shared a segment shall share the next one too.
        this.pauses = new Backoff(base, () -> 0.5);
    }

    /**
     * An upload has failed.
     *
     * @param awaited whether a checkpoint waits for it
     * @param wakeUp must call {@link #fired()}
     */
    void failed(boolean awaited, Runnable wakeUp) {
        if (!scheduled.isPresent()) {
            failures++;
            schedule(awaited ? pauses.after(1) : pauses.after(failures), wakeUp);
        } else if (awaited) {
            bringForward(wakeUp);
        }
    }

    private void bringForward(Runnable wakeUp) {
        Duration pause = pauses.after(1);
        ScheduledFuture<?> later = scheduled.orElseThrow();
        if (later.getDelay(TimeUnit.NANOSECONDS) > pause.toNanos() && later.cancel(false)) {
            // Whatever the timer throws: the next failure schedules again.
            scheduled = Optional.empty();
            schedule(pause, wakeUp);
        }
    }

    private void schedule(Duration pause, Runnable wakeUp) {
        try {
            scheduled = Optional.of(timer.schedule(wakeUp, pause.toNanos(), TimeUnit.NANOSECONDS));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // The storage is closing, and this log with it: no more uploads. Or the timer gets no
            // thread: the next persist sends, or the next failure schedules.
            scheduled = Optional.empty();
        }
    }

    void fired() {
        scheduled = Optional.empty();
    }

    /** An upload has succeeded: the next failure counts as the first. */
    void stored() {
        failures = 0;
    }
}
