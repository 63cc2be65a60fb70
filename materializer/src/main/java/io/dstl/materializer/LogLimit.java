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
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The log size at which a task is due for materialization: by the space of the log relative to the
 * base, and by the time of its replay. Either limit may be off; the lower one counts.
 *
 * <p>No limit is lower than twice the log that a materialization leaves. Otherwise a task with many
 * timers on the heap, which are in each log, would always be due.
 *
 * <p>Immutable, but for the measured rate of replay. Thread-safe.
 */
public final class LogLimit {

    /** Factor on the log that a materialization leaves: a shorter log is not worth another one. */
    private static final long LEAST_GROWTH = 2;

    private final double factor;
    private final long minBytes;
    private final Duration recoveryTarget;
    private final ReplayRate rate;

    /**
     * @param factor of the bytes materialized; 0 for no limit by space
     * @param minBytes the least limit, by space and by time
     * @param recoveryTarget how long a replay may take; zero for no limit by time
     * @param rate of replay on this machine; without a rate there is no limit by time
     */
    LogLimit(double factor, long minBytes, Duration recoveryTarget, ReplayRate rate) {
        this.factor = factor;
        this.minBytes = minBytes;
        this.recoveryTarget = requireNonNull(recoveryTarget);
        this.rate = requireNonNull(rate);
    }

    /** In bytes of log; empty if there is no limit. */
    OptionalLong bytes(LogSize size) {
        return limits(size).values().stream().mapToLong(limit -> limit).min();
    }

    /**
     * Which limit the log has reached, if any.
     *
     * @param share of the limit at which it counts as reached; in (0, 1]
     */
    Optional<Reason> reached(LogSize size, double share) {
        return limits(size).entrySet().stream()
                .filter(limit -> isReached(size, limit.getValue(), share))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** Those that there are, in bytes of log; of several that are reached the first is told. */
    private Map<Reason, Long> limits(LogSize size) {
        Map<Reason, Long> limits = new LinkedHashMap<>();
        bySpace(size).ifPresent(bytes -> limits.put(Reason.LOG_SIZE, bytes));
        byTime(size).ifPresent(bytes -> limits.put(Reason.RECOVERY_TARGET, bytes));
        return limits;
    }

    /** The expected duration of a replay of the log, in ms; empty while no rate is known. */
    OptionalLong replayMillis(LogSize size) {
        OptionalDouble bytesPerSecond = rate.bytesPerSecond();
        return bytesPerSecond.isPresent()
                ? OptionalLong.of((long) (size.log() * 1000.0 / bytesPerSecond.getAsDouble()))
                : OptionalLong.empty();
    }

    /** An empty log is never due. */
    private static boolean isReached(LogSize size, long limit, double share) {
        return size.log() > 0 && size.log() >= share * limit;
    }

    private OptionalLong bySpace(LogSize size) {
        return factor > 0
                ? OptionalLong.of(atLeast(size, (long) (factor * size.materialized())))
                : OptionalLong.empty();
    }

    private long atLeast(LogSize size, long bytes) {
        return Math.max(Math.max(minBytes, LEAST_GROWTH * size.leastLog()), bytes);
    }

    private OptionalLong byTime(LogSize size) {
        OptionalDouble bytesPerSecond = rate.bytesPerSecond();
        return recoveryTarget.isZero() || bytesPerSecond.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(
                        atLeast(
                                size,
                                (long)
                                        (recoveryTarget.toMillis()
                                                / 1000.0
                                                * bytesPerSecond.getAsDouble())));
    }
}
