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
package io.dstl.changelog.keyed;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.changelog.replay.RestoreProgress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the progress of one restore: as metrics, and in the log if the restore takes long, in
 * turn with the other restores of the process. At the end it reports where the time went.
 *
 * <p>The task thread begins it, and the thread that replays last closes it. It logs on the timer's
 * thread. While the base is restored another thread looks at the local disk each time, unless the
 * one before still does; the metrics and the next line have what it has found.
 */
final class RestoreWatch implements AutoCloseable {
    static final Duration PERIOD = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(RestoreWatch.class);

    private final String operator;
    private final RestoreProgress progress;
    private final ScheduledExecutorService timer;
    private final Turns turns;

    /** Whether a thread looks at the disk. */
    private final AtomicBoolean looking = new AtomicBoolean();

    @GuardedBy("this")
    private Future<?> next;

    @GuardedBy("this")
    private boolean closed;

    private RestoreWatch(
            String operator,
            RestoreProgress progress,
            ScheduledExecutorService timer,
            Turns turns) {
        this.operator = operator;
        this.progress = progress;
        this.timer = timer;
        this.turns = turns;
    }

    /**
     * @param group of the operator's metrics
     * @param timer not closed by the watch
     * @param turns of all restores on this timer
     */
    static RestoreWatch begin(
            String operator,
            RestoreProgress progress,
            MetricGroup group,
            ScheduledExecutorService timer,
            Turns turns) {
        ChangelogBackendMetrics.OfRestore.show(progress, group);
        RestoreWatch watch = new RestoreWatch(operator, progress, timer, turns);
        turns.join(watch);
        watch.schedule();
        return watch;
    }

    private synchronized void schedule() {
        if (!closed) {
            next = timer.schedule(this::tick, PERIOD.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void tick() {
        if (isClosed()) {
            return;
        }
        lookAtDisk();
        turns.next().ifPresent(RestoreWatch::tell);
        schedule();
    }

    /** On a thread of its own, as a disk that hangs would keep the timer. */
    private void lookAtDisk() {
        if (!progress.isRestoringBase() || !looking.compareAndSet(false, true)) {
            return;
        }
        try {
            SystemScheduler.thread("dstl-restore-disk", this::look).start();
        } catch (Throwable t) {
            looking.set(false);
            LOG.debug("There is no thread to look at the disk", t);
        }
    }

    private void look() {
        try {
            progress.lookAtDisk();
        } catch (Throwable t) {
            // Nothing depends on it.
            ExceptionUtils.rethrowIfFatalError(t);
            LOG.debug("How far the restore is cannot be seen on the disk", t);
        } finally {
            looking.set(false);
        }
    }

    private void tell() {
        LOG.info("Restoring {} for {} s: {}", operator, progress.totalMillis() / 1000, progress);
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Reports that the restore has succeeded. */
    void succeeded() {
        progress.ended();
        if (progress.changes() > 0 || progress.totalMillis() >= PERIOD.toMillis()) {
            LOG.info(
                    "Restored {} in {} ms: {} ms for its materialized state, {} ms to apply its log, {}"
                            + " ms waiting for that. Beside it, reading the log took {} ms to fetch and"
                            + " {} ms to decode",
                    operator,
                    progress.totalMillis(),
                    progress.baseMillis(),
                    progress.applyMillis(),
                    progress.waitMillis(),
                    progress.fetchMillis(),
                    progress.decodeMillis());
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            next.cancel(false);
        }
        turns.leave(this);
        progress.ended();
    }

    /**
     * Limits the lines of all restores of a process: each restore asks once in a period, and the
     * one that has been silent longest tells. That is the one that asks, unless more restore at
     * once than there may be lines. Thread-safe.
     */
    static final class Turns {
        static final int LINES_OF_PERIOD = 20;

        /** The one that has been silent longest comes first. */
        @GuardedBy("this")
        private final Set<RestoreWatch> restores = new LinkedHashSet<>();

        @GuardedBy("this")
        private int asked;

        private synchronized void join(RestoreWatch restore) {
            restores.add(restore);
        }

        private synchronized void leave(RestoreWatch restore) {
            restores.remove(restore);
        }

        private synchronized Optional<RestoreWatch> next() {
            asked++;
            if (restores.isEmpty() || asked * LINES_OF_PERIOD < restores.size()) {
                return Optional.empty();
            }
            asked = 0;
            RestoreWatch next = restores.iterator().next();
            leave(next);
            join(next);
            return Optional.of(next);
        }
    }
}
