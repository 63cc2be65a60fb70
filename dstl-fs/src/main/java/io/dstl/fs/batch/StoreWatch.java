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
package io.dstl.fs.batch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.metric.NanoClock;
import io.dstl.fs.store.LogLimit;
import io.dstl.fs.store.Refusal;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says that a store takes no segments: at once, each minute from then on, and when the kind of the
 * cause changes; that tasks stop for it; and that it takes them again. In between, and where a
 * store fails now and then, so that this would be said more than once a minute, at debug level.
 *
 * <p>Knows whether the store has ever taken one: a refusal before that is an error in the set-up.
 *
 * <p><b>Threading.</b> Any thread.
 */
public final class StoreWatch implements LimitListener {

    private static final Logger LOG = LoggerFactory.getLogger(StoreWatch.class);

    private static final String LIMIT = "upload.max-in-flight";

    private final NanoClock clock;
    private final LogLimit logLimit;

    @GuardedBy("this")
    private boolean everStored;

    @GuardedBy("this")
    private boolean down;

    @GuardedBy("this")
    private long downSince;

    /** Whether somebody waits to hear that the store is back. */
    @GuardedBy("this")
    private boolean said;

    @GuardedBy("this")
    private boolean limitReached;

    public StoreWatch(NanoClock clock) {
        this.clock = clock;
        this.logLimit = new LogLimit(clock);
    }

    /**
     * All attempts to store a segment have failed.
     *
     * @return what to tell those who wait for it: the cause, or one that says that waiting is no
     *     use
     */
    synchronized Throwable failed(int changeSets, long bytes, Throwable cause) {
        if (!down) {
            down = true;
            downSince = clock.nanos();
        }
        LogLimit.Length length = logLimit.next(LogLimit.kind(cause));
        Throwable trace = length == LogLimit.Length.FULL ? cause : null;
        boolean hopeless = !everStored && Refusal.isIn(cause);
        if (length == LogLimit.Length.NOTHING) {
            LOG.debug("Could not store a segment of {} change sets again", changeSets, cause);
        } else if (hopeless) {
            said = true;
            LOG.warn(
                    "The store refuses the changelog and has never stored any of it: checkpoints"
                            + " fail until that is put right: {}",
                    cause.toString(),
                    trace);
        } else {
            said = true;
            LOG.warn(
                    "Could not store a segment of {} change sets, and none for {} s: {} bytes are"
                            + " kept and sent again until the store takes them; checkpoints wait for"
                            + " that: {}",
                    changeSets,
                    downFor(TimeUnit.SECONDS),
                    bytes,
                    cause.toString(),
                    trace);
        }
        sayLimit();
        return hopeless ? new RefusedFromTheStartException(cause) : cause;
    }

    /** A segment was stored. */
    synchronized void stored() {
        everStored = true;
        if (down) {
            down = false;
            if (said) {
                said = false;
                LOG.info(
                        "The store takes segments again, {} ms after it took none",
                        downFor(TimeUnit.MILLISECONDS));
            }
        }
    }

    @GuardedBy("this")
    private long downFor(TimeUnit unit) {
        return unit.convert(clock.nanos() - downSince, TimeUnit.NANOSECONDS);
    }

    @Override
    public synchronized void reached(long bytes) {
        limitReached = true;
        LOG.debug("Tasks take no records: {} bytes are in flight", bytes);
        sayLimit();
    }

    @Override
    public synchronized void over() {
        limitReached = false;
        LOG.debug("Tasks take records again");
    }

    @GuardedBy("this")
    private void sayLimit() {
        if (down && limitReached && logLimit.next(LIMIT) != LogLimit.Length.NOTHING) {
            said = true;
            LOG.warn(
                    "The changes kept have reached upload.max-in-flight: tasks take no records"
                            + " until the store takes segments again");
        }
    }

    /** Whether the last put has failed, all attempts taken together. */
    public synchronized boolean isDown() {
        return down;
    }
}
