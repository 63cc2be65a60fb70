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

import static org.apache.flink.configuration.StateChangelogOptions.MATERIALIZATION_MAX_FAILURES_ALLOWED;
import static org.apache.flink.configuration.StateChangelogOptions.PERIODIC_MATERIALIZATION_ENABLED;
import static org.apache.flink.configuration.StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL;
import static org.apache.flink.configuration.StateChangelogOptions.STATE_CHANGE_LOG_STORAGE;

import io.dstl.fs.option.DstlOptions;
import io.dstl.fs.option.OptionReport;
import io.dstl.fs.option.OptionReport.OptionSpelling;
import io.dstl.materializer.MaterializationOptions;
import io.dstl.secret.Redaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;

/**
 * Checks where keys are set. The storage's key and own keys are read from the cluster's
 * configuration only, those of materialization from the job's only. Elsewhere they have no effect.
 */
final class KeyPlaces {
    /** Read from the job's configuration alone. */
    static final List<ConfigOption<?>> OF_THE_JOB =
            Stream.<List<ConfigOption<?>>>of(
                            List.of(
                                    PERIODIC_MATERIALIZATION_ENABLED,
                                    PERIODIC_MATERIALIZATION_INTERVAL),
                            MaterializationOptions.ALL,
                            List.of(MATERIALIZATION_MAX_FAILURES_ALLOWED))
                    .flatMap(List::stream)
                    .collect(Collectors.toUnmodifiableList());

    private final Configuration job;
    private final Configuration cluster;

    KeyPlaces(Configuration job, Configuration cluster) {
        this.job = job;
        this.cluster = cluster;
    }

    void check(OptionReport report) {
        List<ConfigOption<?>> ofTheCluster = new ArrayList<>(DstlOptions.ALL);
        ofTheCluster.add(STATE_CHANGE_LOG_STORAGE);
        ofTheCluster.add(ReplayOptions.WARM_UP_ENABLED);
        ofTheCluster.forEach(option -> checkClusterOption(option, report));
        OF_THE_JOB.forEach(option -> checkJobOption(option, report));
    }

    private <T> void checkClusterOption(ConfigOption<T> option, OptionReport report) {
        T actual;
        try {
            actual = cluster.get(option);
        } catch (IllegalArgumentException e) {
            warnOfUnread(option, report);
            return;
        }
        if (job.contains(option) && !hasValue(job, option, actual)) {
            report.warn(
                    option.key(),
                    raw(job, option),
                    "it has no effect for a job: Flink takes it from the configuration of the"
                            + " cluster, where it is "
                            + Redaction.value(option.key(), OptionSpelling.inForce(actual))
                            + ". Set it there, and restart the TaskManagers");
        }
    }

    /** The value went unnoticed only because the cluster has another storage. */
    private void warnOfUnread(ConfigOption<?> option, OptionReport report) {
        report.warn(
                new OptionSpelling(cluster).key(option),
                raw(cluster, option),
                "it cannot be read, and has no effect, as "
                        + STATE_CHANGE_LOG_STORAGE.key()
                        + " is "
                        + cluster.get(STATE_CHANGE_LOG_STORAGE)
                        + ". Leave it out, or correct it before the storage is another");
    }

    private <T> void checkJobOption(ConfigOption<T> option, OptionReport report) {
        T actual = job.get(option);
        if (cluster.contains(option)
                && !job.contains(option)
                && !hasValue(cluster, option, actual)) {
            report.warn(
                    option.key(),
                    raw(cluster, option),
                    "it is set for the cluster only, and the job runs with "
                            + Redaction.value(option.key(), OptionSpelling.inForce(actual))
                            + ": Flink takes it from the configuration that the job is submitted"
                            + " with. Set it there, in the client's configuration or the program");
        }
    }

    /** False if the value cannot be read. */
    private static <T> boolean hasValue(Configuration config, ConfigOption<T> option, T value) {
        try {
            return Objects.equals(config.get(option), value);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The value as it is configured, under any of the option's names. */
    private static String raw(Configuration config, ConfigOption<?> option) {
        return new OptionSpelling(config).value(option);
    }
}
