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
package io.dstl.store;

import java.time.Duration;
import java.util.Optional;

/** How often a put is attempted, and when the next attempt, or a hedge beside it, begins. */
public final class RetrySettings {

    private static final HedgeSettings NO_HEDGES = new HedgeSettings(0, 1);

    private final int maxAttempts;
    private final Optional<Duration> timeout;
    private final Duration pauseAfterError;
    private final HedgeSettings hedges;

    /**
     * Without hedges.
     *
     * @param maxAttempts the first included
     * @param timeout from the start of an attempt to the next one beside it; empty: never
     * @param pauseAfterError from the first error other than a timeout to the next attempt; the
     *     mean of what chance makes of it
     */
    public RetrySettings(int maxAttempts, Optional<Duration> timeout, Duration pauseAfterError) {
        this(maxAttempts, timeout, pauseAfterError, NO_HEDGES);
    }

    /**
     * @param hedges beside late attempts
     */
    public RetrySettings(
            int maxAttempts,
            Optional<Duration> timeout,
            Duration pauseAfterError,
            HedgeSettings hedges) {
        this.hedges = hedges;
        this.maxAttempts = maxAttempts;
        this.timeout = timeout;
        this.pauseAfterError = pauseAfterError;
    }

    /** At least 1. */
    public int maxAttempts() {
        return maxAttempts;
    }

    public Optional<Duration> timeout() {
        return timeout;
    }

    public HedgeSettings hedges() {
        return hedges;
    }

    public Duration pauseAfterError() {
        return pauseAfterError;
    }
}
