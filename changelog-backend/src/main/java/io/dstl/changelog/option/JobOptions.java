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
package io.dstl.changelog.option;

import static org.apache.flink.configuration.CheckpointingOptions.CHECKPOINTING_INTERVAL;
import static org.apache.flink.configuration.StateChangelogOptions.ENABLE_STATE_CHANGE_LOG;
import static org.apache.flink.configuration.StateChangelogOptions.PERIODIC_MATERIALIZATION_ENABLED;
import static org.apache.flink.configuration.StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL;
import static org.apache.flink.configuration.StateChangelogOptions.STATE_CHANGE_LOG_STORAGE;

import io.dstl.fs.log.StorageIdentifier;
import io.dstl.fs.option.DstlOptions;
import io.dstl.fs.option.OptionReport;
import io.dstl.fs.option.OptionReport.OptionSpelling;
import io.dstl.fs.option.SilentKeys;
import io.dstl.materializer.MaterializationOptions;
import io.dstl.materializer.MaterializationSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.execution.Environment;

/**
 * Checks the configurations of a job with a changelog and of its TaskManager: reports each
 * combination that Flink accepts silently and that lacks the effect it seems to have.
 *
 * <p>Skips the storage's own options where the storage checks them: {@link
 * io.dstl.fs.option.DstlSettings}.
 */
public final class JobOptions {
    /** The options of the backend: Flink's own, of materialization by need, and of the replay. */
    public static final List<ConfigOption<?>> ALL =
            Stream.<List<ConfigOption<?>>>of(
                            List.of(ENABLE_STATE_CHANGE_LOG, STATE_CHANGE_LOG_STORAGE),
                            KeyPlaces.OF_THE_JOB,
                            ReplayOptions.ALL)
                    .flatMap(List::stream)
                    .collect(Collectors.toUnmodifiableList());

    private static final String MEMORY = "memory";

    private static final List<String> PREFIXES =
            List.of("state.changelog.", "state.backend.changelog.");

    private final Configuration job;
    private final Configuration cluster;
    private final ExecutionConfig execution;

    JobOptions(Environment env) {
        this(
                env.getJobConfiguration(),
                env.getTaskManagerInfo().getConfiguration(),
                env.getExecutionConfig());
    }

    /**
     * @param job the configuration that the job was submitted with: the client's and the program's
     * @param cluster the TaskManager's
     */
    JobOptions(Configuration job, Configuration cluster, ExecutionConfig execution) {
        this.job = job;
        this.cluster = cluster;
        this.execution = execution;
    }

    void check(OptionReport report) {
        checkStorage(report);
        checkIntervals(report);
        new KeyPlaces(job, cluster).check(report);
        withoutStorageKeys(cluster, report).check(ALL, PREFIXES);
        withoutStorageKeys(job, report).checkUnknown(ALL, PREFIXES);
        SilentKeys ofTheJob = new SilentKeys(job, report);
        ofTheJob.checkOlder(ALL, cluster);
        ofTheJob.checkOlder(DstlOptions.ALL, cluster);
    }

    private void checkStorage(OptionReport report) {
        String storage = cluster.get(STATE_CHANGE_LOG_STORAGE);
        if (storage.equalsIgnoreCase(MEMORY)) {
            report.warn(
                    STATE_CHANGE_LOG_STORAGE.key(),
                    storage,
                    "the log is kept on the heap of the TaskManagers and in the metadata of each"
                            + " checkpoint, which is for tests"
                            + basePathWithoutEffect()
                            + ". Set it to "
                            + StorageIdentifier.FILESYSTEM
                            + " and "
                            + DstlOptions.BASE_PATH.key()
                            + " to a directory, both in the configuration of the cluster");
        }
    }

    private String basePathWithoutEffect() {
        return cluster.contains(DstlOptions.BASE_PATH)
                ? ", and " + DstlOptions.BASE_PATH.key() + " has no effect"
                : "";
    }

    private void checkIntervals(OptionReport report) {
        // 0 turns them off as well.
        Optional<Duration> checkpoints =
                job.getOptional(CHECKPOINTING_INTERVAL).filter(interval -> !interval.isZero());
        if (!checkpoints.isPresent()) {
            report.warn(
                    ENABLE_STATE_CHANGE_LOG.key(),
                    true,
                    "the job takes no checkpoints, so that each change is stored for nothing and"
                            + " the log is never truncated. Set "
                            + CHECKPOINTING_INTERVAL.key()
                            + ", or turn the changelog off for this job");
        }
        if (execution.isPeriodicMaterializeEnabled()) {
            checkMaterialization(checkpoints, report);
        }
        if (MaterializationSettings.of(execution, job).interval().isEmpty()) {
            MaterializationOptions.ALL.forEach(option -> warnOfUnused(option, report));
        }
    }

    private void warnOfUnused(ConfigOption<?> option, OptionReport report) {
        if (job.contains(option)) {
            report.warn(
                    option.key(),
                    new OptionSpelling(job).value(option),
                    "it has no effect, as nothing is ever materialized. Set "
                            + PERIODIC_MATERIALIZATION_ENABLED.key()
                            + " to true and "
                            + PERIODIC_MATERIALIZATION_INTERVAL.key()
                            + " to more than 0, or leave it out");
        }
    }

    private void checkMaterialization(Optional<Duration> checkpoints, OptionReport report) {
        Duration interval = Duration.ofMillis(execution.getPeriodicMaterializeIntervalMillis());
        String key = PERIODIC_MATERIALIZATION_INTERVAL.key();
        if (interval.isZero() || interval.isNegative()) {
            report.warn(
                    key,
                    interval.toMillis() + " ms",
                    "nothing is ever materialized, and the log grows until the job ends. Set it to"
                            + " more than 0");
        } else if (checkpoints.isPresent() && interval.compareTo(checkpoints.get()) < 0) {
            report.warn(
                    key,
                    interval.toMillis() + " ms",
                    "it is less than "
                            + CHECKPOINTING_INTERVAL.key()
                            + " ("
                            + checkpoints.get().toMillis()
                            + " ms), and each materialization waits for a checkpoint with the one"
                            + " before. Set it to a multiple of that");
        }
    }

    /** The storage checks its own keys. */
    private static SilentKeys withoutStorageKeys(Configuration config, OptionReport report) {
        Configuration others = new Configuration(config);
        config.keySet().stream()
                .filter(
                        key ->
                                key.startsWith(DstlOptions.PREFIX)
                                        || key.startsWith(DstlOptions.DEPRECATED_PREFIX))
                .forEach(others::removeKey);
        return new SilentKeys(others, report);
    }
}
