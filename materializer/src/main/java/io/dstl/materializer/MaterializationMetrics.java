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

import io.dstl.materializer.MaterializationPolicy.Reason;
import io.dstl.materializer.MaterializationPolicy.Took;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.clock.Clock;

/**
 * Metrics of one task's materializations, under the names of Flink's own backend where it has them.
 *
 * <p>Called on the task thread; read by reporters on any thread.
 */
public final class MaterializationMetrics {

    /** Prefix of each name. */
    static final String GROUP = "ChangelogMaterialization.";

    static final String STARTED = GROUP + "startedMaterialization";
    static final String COMPLETED = GROUP + "completedMaterialization";
    static final String FAILED = GROUP + "failedMaterialization";
    static final String LAST_DURATION = GROUP + "lastDurationOfMaterialization";

    /** The names from here on are dstl's own; so are those of each {@link Reason}. */
    static final String LAST_SYNC_DURATION = GROUP + "lastSynchronousDuration";

    static final String LOG_SIZE = GROUP + "logSize";
    static final String LOG_SIZE_LIMIT = GROUP + "logSizeLimit";
    static final String REPLAY_TIME = GROUP + "estimatedReplayTime";

    /** Dashboards can't show an absent value; the same value as in the last duration. */
    private static final long UNKNOWN = -1;

    private final Counter started;
    private final Counter completed;
    private final Counter failed;
    private final Map<Reason, Counter> byReason = new EnumMap<>(Reason.class);
    private final LogLimit limit;
    private final Clock clock;

    private long beginMillis;
    private long synchronousMillis;
    private OptionalLong waitingSince = OptionalLong.empty();
    private long waitedMillis;
    private Duration waitedAhead = Duration.ZERO;

    /** -1 before the first completion, as dashboards for Flink's backend expect. */
    private volatile long lastDurationMillis = UNKNOWN;

    private volatile long lastSynchronousMillis = UNKNOWN;
    private volatile LogSize size = new LogSize(0, 0, 0);

    /**
     * @param group the metric group of the task
     * @param limit of the task's log
     */
    public MaterializationMetrics(MetricGroup group, LogLimit limit, Clock clock) {
        this.limit = requireNonNull(limit);
        this.clock = requireNonNull(clock);
        this.started = group.counter(STARTED);
        this.completed = group.counter(COMPLETED);
        this.failed = group.counter(FAILED);
        for (Reason reason : Reason.values()) {
            byReason.put(reason, group.counter(reason.metric()));
        }
        gauge(group, LAST_DURATION, () -> lastDurationMillis);
        gauge(group, LAST_SYNC_DURATION, () -> lastSynchronousMillis);
        gauge(group, LOG_SIZE, () -> size.log());
        gauge(group, LOG_SIZE_LIMIT, () -> this.limit.bytes(size).orElse(UNKNOWN));
        gauge(group, REPLAY_TIME, () -> this.limit.replayMillis(size).orElse(UNKNOWN));
    }

    private static void gauge(MetricGroup group, String name, Gauge<Long> value) {
        group.<Long, Gauge<Long>>gauge(name, value);
    }

    /** A checkpoint has completed. */
    void checkpointed(LogSize now) {
        size = now;
    }

    /** A materialization may begin; it counts as started only if there is something to do. */
    void beginning() {
        beginMillis = clock.relativeTimeMillis();
        waitingSince = OptionalLong.empty();
        waitedMillis = 0;
        waitedAhead = Duration.ZERO;
    }

    /** The task thread works on the materialization from now on. */
    void synchronousPart() {
        synchronousMillis = clock.relativeTimeMillis();
    }

    void endOfSynchronousPart() {
        lastSynchronousMillis = clock.relativeTimeMillis() - synchronousMillis;
    }

    /** Waits for room in the log or for other mails, until {@link #endOfWaiting}. */
    void waiting() {
        waitingSince = OptionalLong.of(clock.relativeTimeMillis());
    }

    /** Has no effect if the materialization does not wait. */
    void endOfWaiting() {
        waitingSince.ifPresent(since -> waitedMillis += clock.relativeTimeMillis() - since);
        waitingSince = OptionalLong.empty();
    }

    /** The flush ahead has waited for so long. */
    void waitedAhead(Duration time) {
        waitedAhead = waitedAhead.plus(time);
    }

    void started(Reason reason) {
        started.inc();
        byReason.get(reason).inc();
    }

    /**
     * The metric shows the whole duration.
     *
     * @return the duration without waiting for room in the log: the flush ahead, the synchronous
     *     and the asynchronous part
     */
    Took completed() {
        lastDurationMillis = clock.relativeTimeMillis() - beginMillis;
        completed.inc();
        return new Took(Duration.ofMillis(lastDurationMillis - waitedMillis), waitedAhead);
    }

    void failed() {
        failed.inc();
    }
}
