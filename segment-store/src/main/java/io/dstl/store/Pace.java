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
 * The number of requests a second that the store takes. Unbounded until the store asks for fewer;
 * then ten a second, halved each time it asks again, one more with each success, and unbounded
 * again after twenty. Never less than one a second, which is enough to notice that the store has
 * recovered. Requests still waiting when the bound ends go at twenty a second: all of them at once
 * would throttle the store again.
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

    /** Requests a second while bounded; after that, the rate of those that have waited. */
    @GuardedBy("this")
    private double rate = FIRST;

    /** When the last waiting request began, or the store last asked for fewer. */
    @GuardedBy("this")
    private long last;

    @GuardedBy("this")
    private long lowered;

    /** Whether the current bound was logged: at most one a minute is. */
    @GuardedBy("this")
    private boolean said;

    /**
     * @param onThrottled called each time the store asks for fewer requests; must not block
     */
    public Pace(NanoClock clock, Runnable onThrottled) {
        this.clock = clock;
        this.onThrottled = onThrottled;
        this.logThrottle = new LogThrottle(clock);
    }

    /** Takes a turn for a request that has not waited: at any time while unbounded. */
    synchronized boolean take() {
        return !bounded || takeWaiting();
    }

    /**
     * Takes the turn of the next waiting request, if it has come. Turns are one interval apart, by
     * the current rate: none is assigned ahead of its time, so no request keeps a late turn from a
     * time when the store was worse.
     */
    synchronized boolean takeWaiting() {
        if (untilNext() > 0) {
            return false;
        }
        last = clock.nanos();
        return true;
    }

    /**
     * The time until the next waiting request's turn, in ns, if the rate stays as it is; 0 if it
     * has come.
     */
    synchronized long untilNext() {
        return Math.max(0, last + interval() - clock.nanos());
    }

    @GuardedBy("this")
    private long interval() {
        return (long) (TimeUnit.SECONDS.toNanos(1) / rate);
    }

    /** Throttling answers within one interval count once. */
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

    /** Whether the store has asked for fewer requests and does not yet take all again. */
    public synchronized boolean isBounded() {
        return bounded;
    }
}
