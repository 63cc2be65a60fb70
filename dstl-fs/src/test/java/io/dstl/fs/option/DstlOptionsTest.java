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
package io.dstl.fs.option;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.changelog.fs.FsStateChangelogOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.FallbackKey;
import org.junit.jupiter.api.Test;

class DstlOptionsTest {

    /** Keys that Flink's own storage does not know. */
    private static final Set<String> OURS =
            Set.of(
                    "state.changelog.dstl.dfs.compaction.enabled",
                    "state.changelog.dstl.dfs.s3.client",
                    "state.changelog.dstl.dfs.upload.hard-max-in-flight",
                    "state.changelog.dstl.dfs.upload.hedge.max-share",
                    "state.changelog.dstl.dfs.upload.hedge.max-in-flight",
                    "state.changelog.dstl.dfs.download.num-threads",
                    "state.changelog.dstl.dfs.download.max-ahead");

    @Test
    void areThoseOfFlinksOwnStorage() throws Exception {
        Map<String, String> flinks = describe(FsStateChangelogOptions.class);
        Map<String, String> ours = describe(DstlOptions.class);

        assertThat(ours).containsAllEntriesOf(flinks);
        ours.keySet().removeAll(flinks.keySet());
        assertThat(ours.keySet()).isEqualTo(OURS);
    }

    @Test
    void eachOneStatesItsDefaultAndItsPrice() throws Exception {
        Configuration empty = new Configuration();
        for (ConfigOption<?> option : options(DstlOptions.class)) {
            String description = option.description().toString();
            assertThat(option.description()).as(option.key()).isNotNull();
            assertThat(description).as(option.key()).isNotEmpty();
            assertThat(empty.get(option)).as(option.key()).isEqualTo(option.defaultValue());
        }
    }

    @Test
    void areAllListed() throws Exception {
        assertThat(DstlOptions.ALL).containsExactlyInAnyOrderElementsOf(options(DstlOptions.class));
    }

    /** Key, default with its type, and deprecated keys. */
    private static Map<String, String> describe(Class<?> holder) throws Exception {
        Map<String, String> described = new TreeMap<>();
        for (ConfigOption<?> option : options(holder)) {
            List<String> fallbacks = new ArrayList<>();
            for (FallbackKey key : option.fallbackKeys()) {
                fallbacks.add(key.getKey() + (key.isDeprecated() ? " (deprecated)" : ""));
            }
            Object value = option.defaultValue();
            described.put(
                    option.key(),
                    (value == null ? "none" : value.getClass() + " " + value) + " " + fallbacks);
        }
        return described;
    }

    private static List<ConfigOption<?>> options(Class<?> holder) throws Exception {
        List<ConfigOption<?>> options = new ArrayList<>();
        for (Field field : holder.getFields()) {
            if (field.getType() == ConfigOption.class) {
                options.add((ConfigOption<?>) field.get(null));
            }
        }
        return options;
    }
}
