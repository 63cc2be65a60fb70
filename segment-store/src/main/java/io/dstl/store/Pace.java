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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many requests a second the store takes. Without a bound until it asks for fewer; then ten a
 * second, halved each time it asks again, one more with each success, and without a bound again
 * after twenty. Never less than one a second: the store is asked often enough to see that it is
 * well again. What has piled up by the time that the bound ends goes at twenty a second: all of it
 * at once would be what the store has complained of.
 *
 * <p><b>Threading.</b> Any thread.
 */
public final class Pace {

    private static final Logger LOG = LoggerFactory.getLogger(Pace.class);

    static final double FIRST = 10;
    static final double LOWEST = 1;
    static final double HIGHEST = 20;

    private final NanoClock clock;
    private final Runnable onThrottled;
    private final LogThrottle logThrottle;

    @GuardedBy("this")
    private boolean bounded;

    /** Requests a second, while bounded; and after that, of those that have waited. */
    @GuardedBy("this")
    private double rate = FIRST;

    /** When the last request began that had to wait, or the store last asked for fewer. */
    @GuardedBy("this")
    private long last;

    @GuardedBy("this")
    private long lowered;

    /** Whether the wish that bounds now was logged: where they come and go, one a minute is. */
    @GuardedBy("this")
    private boolean said;

    /**
     * @param onThrottled hears of each wish for fewer requests; must not block
     */
    public Pace(NanoClock clock, Runnable onThrottled) {
        this.clock = clock;
        this.onThrottled = onThrottled;
        this.logThrottle = new LogThrottle(clock);
    }

    /** Takes a turn for a request that has not waited: at any time while there is no bound. */
    synchronized boolean take() {
        return !bounded || takeWaiting();
    }

    /**
     * Takes the turn of the next request of those that wait, if it has come. One turn is one
     * interval behind the other, by the rate of the moment it is asked for: none is given out ahead
     * of its time, so nobody keeps one that was dealt while the store was worse.
     */
    synchronized boolean takeWaiting() {
        if (untilNext() > 0) {
            return false;
        }
        last = clock.nanos();
        return true;
    }

    /**
     * The time until the next turn of those that wait comes, in ns, if the rate stays as it is; 0:
     * it has.
     */
    synchronized long untilNext() {
        return Math.max(0, last + interval() - clock.nanos());
    }

    @GuardedBy("this")
    private long interval() {
        return (long) (TimeUnit.SECONDS.toNanos(1) / rate);
    }

    /** Answers to requests of one interval are one wish. */
    void throttled() {
        onThrottled.run();
        long now = clock.nanos();
        synchronized (this) {
            if (!bounded) {
                bounded = true;
                rate = FIRST;
                said = logThrottle.next("throttled") != LogThrottle.Length.NOTHING;
                if (said) {
                    LOG.warn(
                            "The store asks for fewer requests (503 or 429): at most {} a second"
                                    + " from now on, and no hedges. Checkpoints take longer. If it"
                                    + " lasts: fewer writers under one prefix of the bucket, or a"
                                    + " longer checkpoint interval",
                            (int) rate);
                }
            } else if (now - lowered >= interval()) {
                rate = Math.max(rate / 2, LOWEST);
            } else {
                return;
            }
            lowered = now;
            last = now;
        }
    }

    synchronized void succeeded() {
        if (!bounded) {
            return;
        }
        rate++;
        if (rate > HIGHEST) {
            rate = HIGHEST;
            bounded = false;
            if (said) {
                LOG.info("The store takes all requests again");
            }
        }
    }

    /** Whether the store has asked for fewer requests and is not yet back to all. */
    public synchronized boolean isBounded() {
        return bounded;
    }
}
