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

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Wakes a log up a pause after an upload of it has failed: once for all failures in between.
 *
 * <p>Guarded by the lock of its {@link SealedLog}.
 */
final class ResendTimer {

    private final ScheduledExecutorService timer;
    private final Duration pause;
    private boolean scheduled;

    ResendTimer(ScheduledExecutorService timer, Duration pause) {
        this.timer = timer;
        this.pause = pause;
    }

    /**
     * Without effect while a wake-up is on its way.
     *
     * @param wakeUp is to call {@link #fired()}
     */
    void schedule(Runnable wakeUp) {
        if (scheduled) {
            return;
        }
        try {
            timer.schedule(wakeUp, pause.toNanos(), TimeUnit.NANOSECONDS);
            scheduled = true;
        } catch (RejectedExecutionException e) {
            // The storage is closing, and this log with it; nothing will be sent any more.
        }
    }

    void fired() {
        scheduled = false;
    }
}
