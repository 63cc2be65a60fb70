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

import io.dstl.store.RetrySettings.Backoff;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;

/**
 * How often a put is attempted, and when the next attempt begins.
 *
 * <p><b>The timeout</b> is the time that is configured, doubled each time that a put has run out of
 * attempts, up to eight times that time, and halved with each put that its first attempt stores.
 * For over a link that is full each put takes long. What its transport takes shows that it gets
 * somewhere, but not every transport shows it: one that takes all bytes at once, and sends them
 * later, does not. With one and the same timeout each segment would be sent several times over such
 * a one, which fills the link even more.
 *
 * <p><b>Threading.</b> Any thread.
 */
public final class RetryPolicy {

    /** At a megabyte a second. */
    private static final long NANOS_PER_BYTE = 1000;

    private static final Duration QUEUE_PATIENCE = Duration.ofMinutes(1);

    private static final int MOST_DOUBLINGS = 3;

    private final RetrySettings settings;
    private final Backoff backoff;
    private final NanoClock clock;
    private final AtomicInteger doublings = new AtomicInteger();

    /** Of any put, in ns. */
    private volatile long lastProgress;

    /**
     * @param random from 0 (inclusive) to 1 (exclusive)
     */
    public RetryPolicy(RetrySettings settings, DoubleSupplier random, NanoClock clock) {
        this.settings = settings;
        this.backoff = new Backoff(settings.pauseAfterError(), random);
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

    /**
     * For which an attempt may get nowhere until the next one begins beside it. Empty: an attempt
     * is waited for until it ends.
     */
    Optional<Duration> timeout() {
        return settings.timeout().map(timeout -> timeout.multipliedBy(1L << doublings.get()));
    }

    /** Of the timeout; for {@link #ranOut}: to be asked as a put begins. */
    int doublings() {
        return doublings.get();
    }

    /**
     * A put has run out of attempts, the last of them by its timeout.
     *
     * @param doublingsThen when it began: of puts that ran out together one doubles
     */
    void ranOut(int doublingsThen) {
        doublings.compareAndSet(doublingsThen, Math.min(doublingsThen + 1, MOST_DOUBLINGS));
    }

    /** A put was stored by its first attempt, before that had timed out. */
    void storedAtFirst() {
        doublings.updateAndGet(count -> Math.max(count - 1, 0));
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
        return timeout().map(time -> time.plusNanos(bytes * NANOS_PER_BYTE)).orElse(Duration.ZERO);
    }

    /**
     * @param attempt that has failed, counted from 1
     */
    Duration pauseAfter(int attempt) {
        return backoff.after(attempt);
    }
}
