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
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.MetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the progress of one restore: as metrics, and in the log if the restore takes long. At the
 * end it reports where the time went.
 *
 * <p>The task thread begins it, and the thread that replays last closes it. It logs on the timer's
 * thread.
 */
final class RestoreWatch implements AutoCloseable {
    static final Duration PERIOD = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(RestoreWatch.class);

    private final String operator;
    private final RestoreProgress progress;
    private final ScheduledExecutorService timer;

    @GuardedBy("this")
    private Future<?> next;

    @GuardedBy("this")
    private boolean closed;

    private RestoreWatch(
            String operator, RestoreProgress progress, ScheduledExecutorService timer) {
        this.operator = operator;
        this.progress = progress;
        this.timer = timer;
    }

    /**
     * @param group of the operator's metrics
     * @param timer not closed by the watch
     */
    static RestoreWatch begin(
            String operator,
            RestoreProgress progress,
            MetricGroup group,
            ScheduledExecutorService timer) {
        ChangelogBackendMetrics.OfRestore.show(progress, group);
        RestoreWatch watch = new RestoreWatch(operator, progress, timer);
        watch.schedule();
        return watch;
    }

    private synchronized void schedule() {
        if (!closed) {
            next = timer.schedule(this::tell, PERIOD.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void tell() {
        if (isClosed()) {
            return;
        }
        LOG.info("Restoring {} for {} s: {}", operator, progress.totalMillis() / 1000, progress);
        schedule();
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
        progress.ended();
    }
}
