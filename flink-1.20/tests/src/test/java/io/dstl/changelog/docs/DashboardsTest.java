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

import io.dstl.changelog.docs.PromQl.Selector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/dashboards/ asks for what a running job exports, in a form that Grafana can show. */
class DashboardsTest {
    private static final int COLUMNS = 24;
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{?(?!__)(\\w+)}?");
    private static final Pattern QUANTILE = Pattern.compile("quantile=\"([^\"]*)\"");
    private static final Pattern IN_A_LEGEND = Pattern.compile("\\{\\{(\\w+)}}");

    /** Of Grafana's ids for units. */
    private static final Set<String> UNITS =
            new HashSet<>(
                    Arrays.asList(
                            "Bps",
                            "cpm",
                            "decbytes",
                            "ms",
                            "ns",
                            "ops",
                            "percentunit",
                            "reqps",
                            "short"));

    @Test
    void aRunningJobExportsEachMetricAndLabel(@TempDir Path directory) throws Exception {
        AlertRules rules = AlertRules.read();
        Map<String, String> queries = new TreeMap<>(DashboardFile.read().queries());
        queries.putAll(rules.queries());
        ExportedMetrics exported = ExportedMetrics.ofARunningJob(directory);

        List<String> missing = new ArrayList<>();
        queries.forEach(
                (where, query) ->
                        missing(query, rules.records().keySet(), exported)
                                .forEach(what -> missing.add(where + ": " + what)));
        assertThat(missing).as("what no running job exports").isEmpty();
    }

    private static List<String> missing(
            String query, Set<String> records, ExportedMetrics exported) {
        List<String> missing = new ArrayList<>();
        PromQl parsed = PromQl.parse(query);
        for (Selector selector : parsed.selectors()) {
            if (records.contains(selector.metric)) {
                continue;
            }
            Optional<Set<String>> labels = exported.labels(selector.metric);
            if (labels.isEmpty()) {
                missing.add(selector.metric);
                continue;
            }
            Set<String> wanted = new TreeSet<>(parsed.grouping());
            wanted.addAll(selector.labels);
            wanted.removeAll(labels.get());
            wanted.forEach(label -> missing.add(selector.metric + " by " + label));
        }
        Matcher quantile = QUANTILE.matcher(query);
        while (quantile.find()) {
            if (!exported.quantiles().contains(quantile.group(1))) {
                missing.add(quantile.group());
            }
        }
        return missing;
    }

    @Test
    void eachMetricOfThePageIsOnTheDashboard() throws IOException {
        Set<String> shown = new TreeSet<>();
        for (String query : DashboardFile.read().queries().values()) {
            for (Selector selector : PromQl.parse(query).selectors()) {
                shown.add(selector.metric);
            }
        }
        for (List<String> row : DocsTest.Page.read("metrics.md").table("metric")) {
            String metric = DocsTest.Page.code(row.get(0)).get(0).replace('.', '_');
            assertThat(shown)
                    .as(metric)
                    .anyMatch(name -> name.endsWith(metric) || name.endsWith(metric + "_count"));
        }
    }

    @Test
    void panelsHaveTheirPlace() throws IOException {
        Set<Integer> ids = new HashSet<>();
        Map<String, String> taken = new TreeMap<>();
        for (JsonNode panel : DashboardFile.read().panels()) {
            String title = panel.path("title").asText();
            assertThat(ids.add(panel.path("id").intValue())).as("id of " + title).isTrue();
            JsonNode place = panel.path("gridPos");
            int x = place.path("x").intValue();
            int y = place.path("y").intValue();
            int width = place.path("w").intValue();
            int height = place.path("h").intValue();
            assertThat(width).as(title).isPositive();
            assertThat(height).as(title).isPositive();
            assertThat(x + width).as(title).isLessThanOrEqualTo(COLUMNS);
            for (int column = x; column < x + width; column++) {
                for (int line = y; line < y + height; line++) {
                    assertThat(taken.put(column + "," + line, title))
                            .as("what is where " + title + " is")
                            .isNull();
                }
            }
        }
    }

    @Test
    void eachPanelHasUnitQueriesAndLegends() throws IOException {
        for (JsonNode panel : DashboardFile.read().panels()) {
            if (panel.path("type").asText().equals("row")) {
                continue;
            }
            String title = panel.path("title").asText();
            assertThat(title).isNotEmpty();
            assertThat(panel.path("description").asText()).as(title).isNotEmpty();
            assertThat(panel.path("fieldConfig").path("defaults").path("unit").asText())
                    .as("unit of " + title)
                    .isIn(UNITS);
            Set<String> refIds = new HashSet<>();
            for (JsonNode target : panel.path("targets")) {
                assertThat(refIds.add(target.path("refId").asText())).as(title).isTrue();
                assertThat(target.path("datasource").path("uid").asText())
                        .as(title)
                        .isEqualTo("${datasource}");
                assertLegend(title, target);
            }
            assertThat(refIds).as(title).isNotEmpty();
        }
    }

    /** A legend can name no label that the query has summed away. */
    private static void assertLegend(String title, JsonNode target) {
        String query = target.path("expr").asText();
        String legend = target.path("legendFormat").asText();
        assertThat(legend).as(title).isNotEmpty();
        Set<String> grouping = PromQl.parse(query).grouping();
        Matcher label = IN_A_LEGEND.matcher(legend);
        while (label.find()) {
            if (!grouping.isEmpty()) {
                assertThat(grouping).as(title + ": " + legend).contains(label.group(1));
            }
        }
    }

    @Test
    void grafanaTakesIt() throws IOException {
        DashboardFile dashboard = DashboardFile.read();
        assertThat(dashboard.root.path("schemaVersion").intValue()).isEqualTo(41);
        assertThat(dashboard.root.path("uid").asText()).isNotEmpty();
        assertThat(dashboard.root.path("title").asText()).isNotEmpty();
        // Else an import would overwrite the dashboard that has this id.
        assertThat(dashboard.root.has("id")).isFalse();

        Set<String> variables = new TreeSet<>();
        for (JsonNode variable : dashboard.variables()) {
            variables.add(variable.path("name").asText());
            assertThat(variable.path("query").path("query").asText())
                    .isEqualTo(variable.path("definition").asText());
        }
        Set<String> used = new TreeSet<>();
        Matcher matcher = VARIABLE.matcher(dashboard.root.path("panels").toString());
        while (matcher.find()) {
            used.add(matcher.group(1));
        }
        assertThat(used).isEqualTo(variables);
    }
}
