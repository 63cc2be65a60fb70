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
package io.dstl.store.s3;

import io.dstl.store.LogThrottle;
import io.dstl.store.RetrySettings.Backoff;
import io.dstl.store.ThrottledException;
import io.dstl.store.WallClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * How often a read is tried without receiving a byte, or the upload of a file, and how long it
 * pauses in between: about a minute in all, so that a store that throttles a restore gets fewer
 * requests, not a restart.
 *
 * <p>A read that is throttled goes on for five minutes, and for as long as other reads of this
 * object receive something. Many tasks restore at once, and a store that serves half of their
 * requests refuses some reads ten times in a row; one of them would restart the job, and so repeat
 * all requests.
 *
 * <p><b>Threading.</b> Any thread.
 */
final class Retries {

    static final int MAX_TRIES = 10;

    /** More failures in a row than this are logged as a warning. */
    private static final int FEW = 3;

    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

    /** Without a byte for any read for so long, the store serves nobody. */
    static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Backoff backoff;
    private final Waiting waiting;
    private final WallClock clock;
    private final LogThrottle logThrottle;

    /** When a read has last received a byte, or this object was made. */
    private volatile Instant received;

    /**
     * @param random from 0 (inclusive) to 1 (exclusive)
     * @param clock if it is set anew, a read may go on for longer, or give up as if nothing came,
     *     and lines of the log may be missing until it is where it was
     */
    Retries(DoubleSupplier random, Waiting waiting, WallClock clock) {
        this.backoff = new Backoff(FIRST_PAUSE, random);
        this.waiting = waiting;
        this.clock = clock;
        this.received = clock.now();
        this.logThrottle =
                new LogThrottle(() -> Duration.between(Instant.EPOCH, clock.now()).toNanos());
    }

    /** Pauses in real time. */
    static Retries blocking(DoubleSupplier random, WallClock clock) {
        return new Retries(
                random,
                (ended, pause) -> ended.await(pause.toNanos(), TimeUnit.NANOSECONDS),
                clock);
    }

    /** A read has received something. */
    void received() {
        received = clock.now();
    }

    /** For the first failure of a row. */
    Instant now() {
        return clock.now();
    }

    /**
     * @param failures so far, in a row; at least 1
     * @param first when the first of them was; the last byte before may be of a restore long ago
     * @param last the last one
     */
    boolean isOver(int failures, Instant first, Throwable last) {
        return failures >= MAX_TRIES && !(last instanceof ThrottledException && mayServe(first));
    }

    private boolean mayServe(Instant first) {
        Instant since = received.isBefore(first) ? first : received;
        return clock.now().isBefore(since.plus(PATIENCE));
    }

    /**
     * How much to log of a row of failures: something once in a row, and once a minute of all rows
     * of one kind, as a store that throttles does so to thousands of reads.
     *
     * @param what is tried: one kind of request
     * @param failures so far, in a row; at least 1
     */
    LogThrottle.Length ofRow(String what, int failures, Throwable last) {
        return failures == FEW + 1
                ? logThrottle.next(what + ": " + LogThrottle.kind(last))
                : LogThrottle.Length.NOTHING;
    }

    /**
     * How much to log of a read that fails again and again though it receives bytes in between:
     * something once.
     *
     * @param failuresInAll so far; at least 1
     */
    LogThrottle.Length ofRead(int failuresInAll, Throwable last) {
        return failuresInAll == MAX_TRIES
                ? logThrottle.next("goes on: " + LogThrottle.kind(last))
                : LogThrottle.Length.NOTHING;
    }

    /**
     * @param failures so far, in a row; at least 1
     * @param ended ends the pause early
     * @return whether it has ended
     */
    boolean pause(int failures, CountDownLatch ended) throws InterruptedException {
        return waiting.await(ended, backoff.after(failures));
    }

    /** Waits for a latch. */
    interface Waiting {

        /**
         * @return whether the latch is open; false after that time
         */
        boolean await(CountDownLatch latch, Duration atMost) throws InterruptedException;
    }
}
