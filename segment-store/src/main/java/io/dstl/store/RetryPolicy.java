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
 * <p><b>The timeout</b> is the configured time, doubled each time a put has run out of attempts, up
 * to eight times that time, and halved with each put that its first attempt stores in less. Over a
 * full link each put takes long. The bytes its transport takes show progress, but not on every
 * transport: some take all bytes at once and send them later. With a fixed timeout each segment
 * would be sent several times over such a transport, which fills the link even more.
 *
 * <p>It is also doubled, up to 32 times the configured time, with each put whose stored attempt is
 * not the last one: the store only answers more slowly. A store that is down must not be waited for
 * that long when it comes back: so a put that runs out of attempts at more than eight times the
 * configured time brings it back to that.
 *
 * <p><b>Threading.</b> Any thread.
 */
public final class RetryPolicy {

    /** One megabyte a second. */
    private static final long NANOS_PER_BYTE = 1000;

    private static final Duration QUEUE_PATIENCE = Duration.ofMinutes(1);

    private static final int MOST_DOUBLINGS = 3;

    /** Of a store that answers, but late. */
    private static final int MOST_LATE_DOUBLINGS = 5;

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

    /** An attempt of any put has begun, made progress, or ended. */
    void progressed() {
        lastProgress = now();
    }

    /**
     * The remaining time that an attempt may wait to begin while the store makes no progress at
     * all: then all of its threads or connections hang. Not positive: the wait is over.
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
     * How long an attempt may make no progress until the next begins beside it. Empty: the next
     * begins only when it has ended.
     */
    Optional<Duration> timeout() {
        return settings.timeout().map(timeout -> timeout.multipliedBy(1L << doublings.get()));
    }

    /** Doublings of the timeout; read when a put begins, for {@link #ranOut}. */
    int doublings() {
        return doublings.get();
    }

    /**
     * A put has run out of attempts, the last one by its timeout.
     *
     * @param doublingsThen when it began: of puts that ran out together only one doubles
     */
    void ranOut(int doublingsThen) {
        doublings.compareAndSet(doublingsThen, Math.min(doublingsThen + 1, MOST_DOUBLINGS));
    }

    /**
     * A put was stored by an attempt whose timeout had been over: the next attempt was needless.
     *
     * @param doublingsThen when the put began
     */
    void storedLate(int doublingsThen) {
        doublings.compareAndSet(doublingsThen, Math.min(doublingsThen + 1, MOST_LATE_DOUBLINGS));
    }

    /**
     * A put was stored by its first attempt, before the timeout.
     *
     * @param silence of the store before it answered
     */
    void storedAtFirst(Duration silence) {
        doublings.updateAndGet(count -> isShorter(silence, count - 1) ? count - 1 : count);
    }

    private boolean isShorter(Duration silence, int count) {
        return count >= 0
                && settings.timeout()
                        .filter(timeout -> silence.compareTo(timeout.multipliedBy(1L << count)) < 0)
                        .isPresent();
    }

    /**
     * How long none of a put's attempts may make progress until it is given up, when no attempt is
     * left to begin: a timeout, and a second for each megabyte. For a transport may take all bytes
     * at once and send them later: a proxy that buffers, or a file system that uploads when a file
     * is closed.
     *
     * @param bytes of the segment, about
     */
    Duration patience(long bytes) {
        return timeout().map(time -> time.plusNanos(bytes * NANOS_PER_BYTE)).orElse(Duration.ZERO);
    }

    /**
     * @param attempt the failed one, counted from 1
     */
    Duration pauseAfter(int attempt) {
        return backoff.after(attempt);
    }
}
