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
package io.dstl.materializer;

import static java.util.Objects.requireNonNull;

import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.clock.Clock;

/**
 * The metrics of one task's materializations, under the names that Flink's own backend uses.
 *
 * <p>Called on the task thread; read by reporters on any thread.
 */
public final class MaterializationMetrics {

    static final String STARTED = "ChangelogMaterialization.startedMaterialization";
    static final String COMPLETED = "ChangelogMaterialization.completedMaterialization";
    static final String FAILED = "ChangelogMaterialization.failedMaterialization";
    static final String LAST_DURATION = "ChangelogMaterialization.lastDurationOfMaterialization";

    private final Counter started;
    private final Counter completed;
    private final Counter failed;
    private final Clock clock;

    private long beginMillis;

    /** -1 before the first completion: what dashboards made for Flink's backend expect. */
    private volatile long lastDurationMillis = -1;

    /**
     * @param group the task's
     */
    public MaterializationMetrics(MetricGroup group, Clock clock) {
        this.clock = requireNonNull(clock);
        this.started = group.counter(STARTED);
        this.completed = group.counter(COMPLETED);
        this.failed = group.counter(FAILED);
        group.<Long, Gauge<Long>>gauge(LAST_DURATION, () -> lastDurationMillis);
    }

    /** One may start now: it counts as started only if there is something to materialize. */
    void beginning() {
        beginMillis = clock.relativeTimeMillis();
    }

    void started() {
        started.inc();
    }

    /** The duration is that of both the synchronous and the asynchronous part. */
    void completed() {
        lastDurationMillis = clock.relativeTimeMillis() - beginMillis;
        completed.inc();
    }

    void failed() {
        failed.inc();
    }
}
