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

import static io.dstl.materializer.MaterializationOptions.LOG_SIZE_FACTOR;
import static io.dstl.materializer.MaterializationOptions.LOG_SIZE_MIN;
import static io.dstl.materializer.MaterializationOptions.RECOVERY_TARGET;
import static org.apache.flink.configuration.StateChangelogOptions.ENABLE_STATE_CHANGE_LOG;
import static org.apache.flink.configuration.StateChangelogOptions.MATERIALIZATION_MAX_FAILURES_ALLOWED;
import static org.apache.flink.configuration.StateChangelogOptions.PERIODIC_MATERIALIZATION_ENABLED;
import static org.apache.flink.configuration.StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL;
import static org.apache.flink.configuration.StateChangelogOptions.STATE_CHANGE_LOG_STORAGE;

import java.util.List;
import org.apache.flink.configuration.ConfigOption;

/** The options of the backend: Flink's own, those of materialization by need, and of the replay. */
public final class ChangelogKeys {

    private static final List<ConfigOption<?>> ALL =
            List.of(
                    ENABLE_STATE_CHANGE_LOG,
                    STATE_CHANGE_LOG_STORAGE,
                    PERIODIC_MATERIALIZATION_ENABLED,
                    PERIODIC_MATERIALIZATION_INTERVAL,
                    LOG_SIZE_FACTOR,
                    LOG_SIZE_MIN,
                    RECOVERY_TARGET,
                    MATERIALIZATION_MAX_FAILURES_ALLOWED,
                    ReplayOptions.BULK_ENABLED,
                    ReplayOptions.BULK_MAX_MEMORY,
                    ReplayOptions.BACKGROUND_ENABLED,
                    ReplayOptions.WARM_UP_ENABLED);

    private ChangelogKeys() {}

    public static List<ConfigOption<?>> all() {
        return ALL;
    }
}
