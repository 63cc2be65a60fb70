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

import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/** Options of materialization by size and replay time, beside Flink's period. Read from the job. */
public final class MaterializationOptions {

    public static final ConfigOption<Double> LOG_SIZE_FACTOR =
            ConfigOptions.key("state.changelog.materialize.log-size.factor")
                    .doubleType()
                    .defaultValue(0.25)
                    .withDescription(
                            "Limit of a task's log, without compression, as a share of its"
                                    + " materialized bytes. At the limit the task is materialized"
                                    + " ahead of its period. Default: 0.25, so that a checkpoint"
                                    + " takes about 1.25 times the space of one without a log,"
                                    + " more where a log outgrows its limit. Lower: less to store"
                                    + " and replay, but more uploads of RocksDB's files. 0: off.");

    public static final ConfigOption<MemorySize> LOG_SIZE_MIN =
            ConfigOptions.key("state.changelog.materialize.log-size.min")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(4))
                    .withDescription(
                            "A log smaller than this is materialized neither for its share nor for"
                                    + " its replay. Default: 4 MB. It keeps a small state from being"
                                    + " materialized again and again. Costs up to this much in the"
                                    + " store, and its replay, for each task. 0: the share and the"
                                    + " replay alone count.");

    public static final ConfigOption<Duration> RECOVERY_TARGET =
            ConfigOptions.key("state.changelog.materialize.recovery-target")
                    .durationType()
                    .defaultValue(Duration.ZERO)
                    .withDescription(
                            "A task is materialized ahead of its period when the replay of its log"
                                    + " would take this long, at the rate at which logs were"
                                    + " replayed on its TaskManager. Default: 0, which turns it"
                                    + " off. It bounds the replay, not the download of what is"
                                    + " materialized. Lower: faster recovery, but more uploads. No"
                                    + " effect on a TaskManager that has not restored a log of at"
                                    + " least 1 MB yet, nor on a log below log-size.min.");

    public static final List<ConfigOption<?>> ALL =
            List.of(LOG_SIZE_FACTOR, LOG_SIZE_MIN, RECOVERY_TARGET);

    private MaterializationOptions() {}
}
