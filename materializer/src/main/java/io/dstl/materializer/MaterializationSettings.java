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

import static org.apache.flink.configuration.StateChangelogOptions.MATERIALIZATION_MAX_FAILURES_ALLOWED;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.DoubleSupplier;
import org.apache.flink.api.common.ExecutionConfig;

/** What a job says of materialization; validated once. */
public final class MaterializationSettings {

    private final Optional<Duration> interval;
    private final int maxFailuresAllowed;

    /**
     * @param interval between two materializations; empty for none at all
     * @param maxFailuresAllowed how many in a row may fail without the job failing; not negative
     */
    public MaterializationSettings(Optional<Duration> interval, int maxFailuresAllowed) {
        if (maxFailuresAllowed < 0) {
            throw new IllegalArgumentException(
                    MATERIALIZATION_MAX_FAILURES_ALLOWED.key()
                            + " is "
                            + maxFailuresAllowed
                            + ": set it to 0 to fail the job at the first failure, or to a large"
                            + " number to tolerate many in a row");
        }
        this.interval = interval;
        this.maxFailuresAllowed = maxFailuresAllowed;
    }

    /** As set for this job, with the cluster's values as defaults. */
    public static MaterializationSettings of(ExecutionConfig job) {
        long millis = job.getPeriodicMaterializeIntervalMillis();
        boolean periodic = job.isPeriodicMaterializeEnabled() && millis > 0;
        return new MaterializationSettings(
                periodic ? Optional.of(Duration.ofMillis(millis)) : Optional.empty(),
                job.getMaterializationMaxAllowedFailures());
    }

    public Optional<Duration> interval() {
        return interval;
    }

    public int maxFailuresAllowed() {
        return maxFailuresAllowed;
    }

    /** A policy for one task; its parameters are those of {@link PeriodicPolicy}. */
    public MaterializationPolicy policy(
            ScheduledExecutorService scheduler, DoubleSupplier uniform) {
        return interval.<MaterializationPolicy>map(
                        period -> new PeriodicPolicy(period, scheduler, uniform))
                .orElseGet(MaterializationPolicy::never);
    }
}
