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
import io.dstl.fs.option.DstlOptions;
import io.dstl.store.LogThrottle;
import io.dstl.store.LogThrottle.Length;
import io.dstl.store.NanoClock;
import io.dstl.store.RefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs that a store takes no segments: at once, then each minute, and when the kind of the cause
 * changes; also that tasks stop or wait for the store, and that it takes segments again. Logs at
 * debug level in between, and when a store that fails now and then would fill more than a line a
 * minute.
 *
 * <p>Knows whether the store has ever taken one: a refusal before that is an error in the set-up.
 *
 * <p><b>Threading.</b> Any thread, also the task's. Log lines are chosen under the lock and written
 * outside of it, so that an appender that blocks holds up no other thread.
 */
public final class StoreWatch {

    private static final Logger LOG = LoggerFactory.getLogger(StoreWatch.class);

    private static final String LIMIT = "upload.max-in-flight";
    private static final String HARD_LIMIT = "upload.hard-max-in-flight";

    /** What the tasks can still do. */
    public enum Pressure {
        /** Everything. */
        NONE,
        /** They take no records. */
        UNAVAILABLE,
        /** They take no records, and since then task threads have had to wait. */
        WAITING
    }

    private final NanoClock clock;
    private final LogThrottle logThrottle;

    @GuardedBy("this")
    private boolean everStored;

    @GuardedBy("this")
    private boolean down;

    @GuardedBy("this")
    private long downSince;

    /** Whether the log has to say that the store is back. */
    @GuardedBy("this")
    private boolean said;

    @GuardedBy("this")
    private Pressure pressure = Pressure.NONE;

    @GuardedBy("this")
    private long waitingSince;

    /** Whether the log has to say that task threads wait no more. */
    @GuardedBy("this")
    private boolean saidWaiting;

    public StoreWatch(NanoClock clock) {
        this.clock = clock;
        this.logThrottle = new LogThrottle(clock);
    }

    /**
     * All attempts to store a segment have failed.
     *
     * @return the error for the waiting writers: the cause, or one that says that waiting is of no
     *     use
     */
    Throwable failed(int changeSets, long bytes, Throwable cause) {
        List<Runnable> lines = new ArrayList<>();
        boolean hopeless;
        synchronized (this) {
            if (!down) {
                down = true;
                downSince = clock.nanos();
            }
            hopeless = !everStored && RefusedException.isIn(cause);
            Length length = logThrottle.next(LogThrottle.kind(cause));
            said |= length != Length.NOTHING;
            lines.add(failureLine(changeSets, bytes, cause, length, hopeless));
            if (!hopeless) {
                addLimitLine(lines);
            }
        }
        lines.forEach(Runnable::run);
        return hopeless ? new RefusedFromTheStartException(cause) : cause;
    }

    @GuardedBy("this")
    private Runnable failureLine(
            int changeSets, long bytes, Throwable cause, Length length, boolean hopeless) {
        Throwable trace = length.trace(cause);
        if (length == Length.NOTHING) {
            return () ->
                    LOG.debug(
                            "Could not store a segment of {} change sets again", changeSets, cause);
        }
        if (hopeless) {
            return () ->
                    LOG.warn(
                            "The store refuses the changelog and has never stored any of it:"
                                    + " checkpoints fail until that is put right: {}",
                            cause.toString(),
                            trace);
        }
        long seconds = since(downSince, TimeUnit.SECONDS);
        return () ->
                LOG.warn(
                        "Could not store a segment of {} change sets, and none for {} s: {} bytes"
                                + " are kept and sent again until the store takes them; checkpoints"
                                + " wait for that: {}",
                        changeSets,
                        seconds,
                        bytes,
                        cause.toString(),
                        trace);
    }

    /** A segment was stored. */
    void stored() {
        long downMillis;
        synchronized (this) {
            everStored = true;
            downMillis = since(downSince, TimeUnit.MILLISECONDS);
            boolean news = down && said;
            said &= !down;
            down = false;
            if (!news) {
                return;
            }
        }
        LOG.info("The store takes segments again, {} ms after it took none", downMillis);
    }

    @GuardedBy("this")
    private long since(long nanos, TimeUnit unit) {
        return unit.convert(clock.nanos() - nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * The pressure on the tasks has changed. Called in the order of the changes; must not block.
     *
     * @param bytes in flight
     */
    public void changed(Pressure now, long bytes) {
        LOG.debug("Pressure on the tasks is {}: {} bytes are in flight", now, bytes);
        List<Runnable> lines = new ArrayList<>();
        synchronized (this) {
            pressure = now;
            if (now == Pressure.WAITING) {
                addWaitLine(lines, bytes);
            } else if (now == Pressure.NONE && saidWaiting) {
                saidWaiting = false;
                long millis = since(waitingSince, TimeUnit.MILLISECONDS);
                lines.add(
                        () ->
                                LOG.info(
                                        "Task threads wait no more for the store, {} ms after the"
                                                + " first did",
                                        millis));
            }
            addLimitLine(lines);
        }
        lines.forEach(Runnable::run);
    }

    @GuardedBy("this")
    private void addWaitLine(List<Runnable> lines, long bytes) {
        if (logThrottle.next(HARD_LIMIT) == Length.NOTHING) {
            return;
        }
        saidWaiting = true;
        waitingSince = clock.nanos();
        lines.add(
                () ->
                        LOG.warn(
                                "Task threads wait for the store, with their timers and barriers:"
                                        + " changes that are not stored yet hold {} bytes of heap,"
                                        + " more than upload.hard-max-in-flight",
                                bytes));
    }

    @GuardedBy("this")
    private void addLimitLine(List<Runnable> lines) {
        if (down && pressure != Pressure.NONE && logThrottle.next(LIMIT) != Length.NOTHING) {
            said = true;
            lines.add(
                    () ->
                            LOG.warn(
                                    "The changes kept have reached upload.max-in-flight: tasks take"
                                            + " no records until the store takes segments again"));
        }
    }

    /** Whether the last put has failed with all its attempts. */
    public synchronized boolean isDown() {
        return down;
    }

    /**
     * The store refuses and has never stored anything, so waiting is of no use. Fails the persists
     * that need the change set, so that the operator who has just started the job sees the cause.
     */
    public static final class RefusedFromTheStartException extends IOException {

        private static final long serialVersionUID = 1L;

        RefusedFromTheStartException(Throwable cause) {
            super(
                    "The store refuses the changelog and has never stored any of it. Look at "
                            + DstlOptions.BASE_PATH.key()
                            + ", the credentials, their permissions and the store's certificate: "
                            + cause.getMessage(),
                    cause);
        }
    }
}
