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

import static io.dstl.materializer.MaterializationOptions.LOG_SIZE_FACTOR;
import static io.dstl.materializer.MaterializationOptions.LOG_SIZE_MIN;
import static io.dstl.materializer.MaterializationOptions.RECOVERY_TARGET;
import static java.util.Objects.requireNonNull;
import static org.apache.flink.configuration.StateChangelogOptions.MATERIALIZATION_MAX_FAILURES_ALLOWED;

import io.dstl.materializer.MaterializationPolicy.AnyPolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ReadableConfig;

/** The validated materialization options of a job. */
public final class MaterializationSettings {

    private final Optional<Duration> interval;
    private final int maxFailuresAllowed;
    private final Duration checkpoints;
    private final double factor;
    private final long minBytes;
    private final Duration recoveryTarget;

    private MaterializationSettings(
            Optional<Duration> interval, int maxFailuresAllowed, ReadableConfig job) {
        this.interval = requireNonNull(interval);
        this.maxFailuresAllowed = maxFailuresAllowed;
        this.checkpoints =
                job.getOptional(CheckpointingOptions.CHECKPOINTING_INTERVAL).orElse(Duration.ZERO);
        this.factor = job.get(LOG_SIZE_FACTOR);
        this.minBytes = job.get(LOG_SIZE_MIN).getBytes();
        this.recoveryTarget = job.get(RECOVERY_TARGET);
        if (maxFailuresAllowed < 0) {
            throw new IllegalArgumentException(
                    MATERIALIZATION_MAX_FAILURES_ALLOWED.key()
                            + " is "
                            + maxFailuresAllowed
                            + ": set it to 0 to fail the job at the first failure, or to a large"
                            + " number to tolerate many in a row");
        }
        if (!(factor >= 0 && Double.isFinite(factor))) {
            throw new IllegalArgumentException(
                    LOG_SIZE_FACTOR.key()
                            + " is "
                            + factor
                            + ": set it to a share of what is materialized, such as 0.25, or to 0"
                            + " to turn it off");
        }
        if (recoveryTarget.isNegative()) {
            throw new IllegalArgumentException(
                    RECOVERY_TARGET.key()
                            + " is "
                            + recoveryTarget.toMillis()
                            + " ms: set it to the time that a replay may take, or to 0 to turn it"
                            + " off");
        }
    }

    /**
     * Reads the options of this job, with the cluster's values as defaults.
     *
     * @param execution has Flink's own options of materialization
     * @param job the job's configuration
     * @throws IllegalArgumentException if a value is out of its range
     */
    public static MaterializationSettings of(ExecutionConfig execution, ReadableConfig job) {
        long millis = execution.getPeriodicMaterializeIntervalMillis();
        boolean periodic = execution.isPeriodicMaterializeEnabled() && millis > 0;
        return new MaterializationSettings(
                periodic ? Optional.of(Duration.ofMillis(millis)) : Optional.empty(),
                execution.getMaterializationMaxAllowedFailures(),
                job);
    }

    /**
     * The time from the end of one materialization until the next is due by period. If empty, the
     * task is never materialized, not even by size or replay time.
     */
    public Optional<Duration> interval() {
        return interval;
    }

    public int maxFailuresAllowed() {
        return maxFailuresAllowed;
    }

    /**
     * The log size at which a task is materialized. Without an {@link #interval} there is no limit,
     * since the task is never materialized.
     *
     * @param rate of replay in this process
     */
    public LogLimit limit(ReplayRate rate) {
        return interval.isPresent()
                ? new LogLimit(factor, minBytes, recoveryTarget, rate)
                : new LogLimit(0, 0, Duration.ZERO, rate);
    }

    /**
     * Creates a policy for one task.
     *
     * @param scheduler runs short commands
     * @param uniform draws from [0, 1)
     * @param millis a monotonic time
     */
    public MaterializationPolicy policy(
            LogLimit limit,
            ScheduledExecutorService scheduler,
            DoubleSupplier uniform,
            LongSupplier millis) {
        return interval.<MaterializationPolicy>map(
                        period ->
                                new AnyPolicy(
                                        new PeriodicPolicy(period, scheduler, uniform),
                                        new LogLimitPolicy(limit, checkpoints, millis, uniform)))
                .orElseGet(MaterializationPolicy::never);
    }
}
