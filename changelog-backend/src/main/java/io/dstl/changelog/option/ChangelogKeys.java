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

import static org.apache.flink.configuration.StateChangelogOptions.ENABLE_STATE_CHANGE_LOG;
import static org.apache.flink.configuration.StateChangelogOptions.MATERIALIZATION_MAX_FAILURES_ALLOWED;
import static org.apache.flink.configuration.StateChangelogOptions.PERIODIC_MATERIALIZATION_ENABLED;
import static org.apache.flink.configuration.StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL;
import static org.apache.flink.configuration.StateChangelogOptions.STATE_CHANGE_LOG_STORAGE;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;

/** The options of the backend, which are Flink's own. */
public final class ChangelogKeys {

    private static final List<ConfigOption<?>> ALL =
            Collections.unmodifiableList(
                    Arrays.asList(
                            ENABLE_STATE_CHANGE_LOG,
                            STATE_CHANGE_LOG_STORAGE,
                            PERIODIC_MATERIALIZATION_ENABLED,
                            PERIODIC_MATERIALIZATION_INTERVAL,
                            MATERIALIZATION_MAX_FAILURES_ALLOWED));

    private ChangelogKeys() {}

    public static List<ConfigOption<?>> all() {
        return ALL;
    }
}
