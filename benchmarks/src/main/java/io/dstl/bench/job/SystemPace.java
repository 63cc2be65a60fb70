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
package io.dstl.bench.job;

import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Binds the pace of the source, and what else needs the time, to the machine's clock. */
public final class SystemPace {
    /** Short enough to look even, long enough that waking up costs little. */
    private static final long STEP_MILLIS = 5;

    private SystemPace() {}

    /** The wall clock. */
    public static Clock clock() {
        return Clock.systemUTC();
    }

    static SteadyLimiter limiter(double perSecond) {
        return new SteadyLimiter(
                perSecond,
                System::nanoTime,
                CompletableFuture.delayedExecutor(
                        STEP_MILLIS, TimeUnit.MILLISECONDS, Runnable::run));
    }
}
