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
package io.dstl.changelog.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.option.HeardMetrics;
import io.dstl.changelog.option.SmallJob;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/metrics.md lists what a running job registers. */
class MetricsPageTest {
    @Test
    void eachMetricIsExplained(@TempDir Path directory) throws Exception {
        Configuration cluster = new Configuration();
        cluster.setString("state.changelog.enabled", "true");
        cluster.setString("state.changelog.storage", "filesystem");
        cluster.setString(
                "state.changelog.dstl.dfs.base-path", directory.resolve("log").toUri().toString());
        HeardMetrics.listen(cluster);
        Configuration job = new Configuration();
        job.setString("execution.checkpointing.interval", "20 ms");

        new SmallJob(cluster, job).run(2, false);

        Map<String, String> explained = new TreeMap<>();
        for (List<String> row : DocsTest.Page.read("metrics.md").table("metric")) {
            explained.put(DocsTest.Page.code(row.get(0)).get(0), row.get(1) + " per " + row.get(2));
            assertThat(row).as(row.get(0)).hasSize(6).doesNotContain("");
        }
        assertThat(explained).isEqualTo(HeardMetrics.ofTheChangelog());
        long ofASubtask =
                explained.values().stream()
                        .filter(scope -> scope.endsWith(" per operator and subtask"))
                        .count();
        String page = Files.readString(DocsTest.Page.ROOT.resolve("docs/metrics.md"));
        assertThat(page)
                .contains("Each subtask of a keyed operator has " + ofASubtask + " of these");
        assertThat(excluded(page, explained.keySet()))
                .containsExactlyInAnyOrder(
                        "ChangelogStateBackend.restoreApplyTime",
                        "ChangelogStateBackend.restoreWaitTime",
                        "ChangelogStateBackend.restoreFetchTime",
                        "ChangelogStateBackend.restoreDecodeTime");
    }

    /** By the filter that the page advises; Flink compares a pattern with the whole name. */
    private static List<String> excluded(String page, Set<String> names) {
        Matcher filter = Pattern.compile("filter\\.excludes: \"\\*:([^\"]+)\"").matcher(page);
        assertThat(filter.find()).isTrue();
        String pattern = filter.group(1).replace(".", "\\.").replace("*", ".*").replace(',', '|');
        return names.stream().filter(name -> name.matches(pattern)).collect(Collectors.toList());
    }
}
