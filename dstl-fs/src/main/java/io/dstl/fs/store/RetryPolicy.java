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
package io.dstl.fs.store;

import io.dstl.fs.metric.NanoClock;
import io.dstl.fs.option.RetrySettings;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/** How often a put is attempted, and when the next attempt begins. Any thread. */
public final class RetryPolicy {

    /** At a megabyte a second. */
    private static final long NANOS_PER_BYTE = 1000;

    private static final Duration QUEUE_PATIENCE = Duration.ofMinutes(1);

    private final RetrySettings settings;
    private final Backoff backoff;
    private final AttemptTimeout timeout;
    private final NanoClock clock;

    /** Of any put, in ns. */
    private volatile long lastProgress;

    /**
     * @param random from 0 (inclusive) to 1 (exclusive)
     */
    public RetryPolicy(RetrySettings settings, DoubleSupplier random, NanoClock clock) {
        this.settings = settings;
        this.backoff = new Backoff(settings.pauseAfterError(), random);
        this.timeout = new AttemptTimeout(settings.timeout());
        this.clock = clock;
        this.lastProgress = clock.nanos();
    }

    long now() {
        return clock.nanos();
    }

    /** An attempt of any put has begun, got on, or ended. */
    void progressed() {
        lastProgress = now();
    }

    /**
     * What is left of the time for which an attempt waits to begin while the store gets on with
     * nothing at all: all of its threads, or its connections, hang then. Not positive: no more.
     *
     * @param since when it was to begin, in ns
     */
    Duration queuePatience(long since) {
        return QUEUE_PATIENCE.minusNanos(Math.min(now() - since, now() - lastProgress));
    }

    boolean isLast(int attempt) {
        return attempt >= settings.maxAttempts();
    }

    /** For which an attempt may get nowhere until the next one begins beside it. */
    AttemptTimeout timeout() {
        return timeout;
    }

    /**
     * For which none of a put's attempts may get anywhere until it is given up, when no attempt is
     * left to begin: a timeout, and a second for each megabyte. For a transport may take all bytes
     * at once and send them later: a proxy that buffers, a file system that uploads as a file is
     * closed.
     *
     * @param bytes of the segment, about
     */
    Duration patience(long bytes) {
        return timeout.now()
                .map(time -> time.plusNanos(bytes * NANOS_PER_BYTE))
                .orElse(Duration.ZERO);
    }

    /**
     * @param attempt that has failed, counted from 1
     */
    Duration pauseAfter(int attempt) {
        return backoff.after(attempt);
    }
}
