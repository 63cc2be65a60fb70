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

import io.dstl.registry.DeletionSchedule;
import io.dstl.registry.Shown;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what lost attempts have stored, or may have, off the caller's thread.
 *
 * <p><b>Failure.</b> Tried again as {@link DeletionSchedule} has it: the outage that lets a put
 * fail lets the first deletion behind it fail too. When the attempts are used up, or too many wait,
 * the name is logged; the object stays, referenced by nothing.
 *
 * <p><b>Close.</b> What waits when the timer is shut down is not tried again; {@code dstl orphans}
 * finds it.
 *
 * <p><b>Threading.</b> Any thread; requests are made on the executor.
 */
final class Leftovers {

    /** Once a request was aborted, or its connection lost, the store may still carry it out. */
    static final Duration STRAY_REQUEST = Duration.ofSeconds(60);

    /** About 2 MB of them. */
    static final int MAX_WAITING = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

    private final Executor executor;
    private final ScheduledExecutorService timer;
    private final DeletionSchedule retries;

    /** For their pause, be it before another attempt or before the repetition. */
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * @param executor runs the deletions; takes them until the last attempt of the storage has
     *     ended
     * @param timer keeps the pauses; does not block
     */
    Leftovers(Executor executor, ScheduledExecutorService timer) {
        this.executor = executor;
        this.timer = timer;
        this.retries = DeletionSchedule.on(timer);
    }

    /** A request that deletes. */
    interface Deletion {
        void run() throws IOException;
    }

    /** One thing on its way out. Its attempts are one after the other. */
    private static final class Leftover {
        private final String name;
        private final Deletion deletion;
        private int attempts;

        private Leftover(String name, Deletion deletion) {
            this.name = name;
            this.deletion = deletion;
        }
    }

    /** Of what is there. */
    void delete(String name, Deletion deletion) {
        submit(new Leftover(name, deletion));
    }

    /** Of what is there, and what requests that have ended without an answer bring later. */
    void deleteNowAndLater(String name, Deletion deletion) {
        delete(name, deletion);
        Leftover later = new Leftover(name, deletion);
        boolean waits =
                await(
                        () ->
                                timer.schedule(
                                        () -> goOn(later),
                                        STRAY_REQUEST.toNanos(),
                                        TimeUnit.NANOSECONDS));
        if (!waits) {
            LOG.debug("{} is not deleted again", Shown.of(name));
        }
    }

    private void submit(Leftover leftover) {
        try {
            executor.execute(() -> attempt(leftover));
        } catch (Throwable t) {
            giveUp(leftover, t);
        }
    }

    private void attempt(Leftover leftover) {
        leftover.attempts++;
        try {
            leftover.deletion.run();
        } catch (Throwable t) {
            if (isTriedAgain(leftover)) {
                LOG.debug("Could not delete {}, and will try again", Shown.of(leftover.name), t);
            } else {
                giveUp(leftover, t);
            }
        }
    }

    private boolean isTriedAgain(Leftover leftover) {
        return retries.isLeftAfter(leftover.attempts)
                && await(() -> retries.schedule(leftover.attempts, () -> goOn(leftover)));
    }

    /** Whether there was room, and time. */
    private boolean await(Runnable schedule) {
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            return false;
        }
        try {
            schedule.run();
            return true;
        } catch (RejectedExecutionException e) {
            waiting.decrementAndGet();
            return false;
        }
    }

    private void goOn(Leftover leftover) {
        waiting.decrementAndGet();
        submit(leftover);
    }

    private static void giveUp(Leftover leftover, Throwable cause) {
        LOG.warn(
                "Could not delete {} of a lost attempt; nothing refers to it",
                Shown.of(leftover.name),
                cause);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%d deletions waiting", waiting.get());
    }
}
