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

import io.dstl.fs.option.DstlOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

/** The alert rules and what the pages say of them are one. */
class AlertRulesTest {
    private static final String RUNBOOK = "When an alert fires";
    private static final Pattern ITALIC = Pattern.compile("\\*([^*]+)\\*");

    /** Of Flink's web UI, and lines of a panel. */
    private static final Set<String> ELSEWHERE =
            new TreeSet<>(
                    Arrays.asList("Checkpoints", "History", "base", "apply", "wait", "fetch"));

    private static final Pattern LINK = Pattern.compile("\\(operations\\.md#(dstl\\w+)\\)");

    @Test
    void eachAlertHasItsEntryInTheRunbook() throws IOException {
        Set<String> entries = runbook().keySet();

        assertThat(entries).isEqualTo(AlertRules.read().alerts().keySet());
        AlertRules.read()
                .alerts()
                .forEach(
                        (name, rule) -> {
                            JsonNode annotations = rule.path("annotations");
                            assertThat(annotations.path("runbook").asText())
                                    .isEqualTo(
                                            "docs/operations.md#" + name.toLowerCase(Locale.ROOT));
                            assertThat(annotations.path("summary").asText()).as(name).isNotEmpty();
                            assertThat(rule.path("labels").path("severity").asText())
                                    .as(name)
                                    .isIn("critical", "warning", "info");
                        });
    }

    @Test
    void eachEntryOfTheRunbookSaysWhatToDo() throws IOException {
        runbook()
                .forEach(
                        (name, text) ->
                                assertThat(text)
                                        .as(name)
                                        .contains(
                                                "- **Means:** ", "- **Look at:** ", "- **Do:** "));
    }

    @Test
    void theRunbookNamesPanelsThatThereAre() throws IOException {
        Set<String> known = new TreeSet<>(ELSEWHERE);
        for (JsonNode panel : DashboardFile.read().panels()) {
            known.add(panel.path("title").asText());
        }
        Set<String> named = new TreeSet<>();
        for (String text : runbook().values()) {
            Matcher name = ITALIC.matcher(text.replaceAll("\\*\\*[^*]+\\*\\*|\\s+", " "));
            while (name.find()) {
                named.add(name.group(1));
            }
        }

        assertThat(named).isNotEmpty();
        assertThat(known).containsAll(named);
    }

    /** The text under each heading of the third level. */
    private static Map<String, String> runbook() throws IOException {
        String page = Files.readString(DocsTest.Page.ROOT.resolve("docs").resolve("operations.md"));
        String section = page.substring(page.indexOf("\n## " + RUNBOOK + "\n") + 1);
        Map<String, String> entries = new TreeMap<>();
        for (String entry : section.split("\n## ")[0].split("\n### ")) {
            if (!entry.startsWith("## ")) {
                int end = entry.indexOf('\n');
                entries.put(entry.substring(0, end), entry.substring(end));
            }
        }
        return entries;
    }

    @Test
    void aMetricLinksToTheAlertThatReadsIt() throws IOException {
        Map<String, JsonNode> byAnchor = new TreeMap<>();
        AlertRules.read()
                .alerts()
                .forEach((name, rule) -> byAnchor.put(name.toLowerCase(Locale.ROOT), rule));
        Set<String> linked = new TreeSet<>();
        for (List<String> row : DocsTest.Page.read("metrics.md").table("metric")) {
            String metric = DocsTest.Page.code(row.get(0)).get(0).replace('.', '_');
            Matcher link = LINK.matcher(row.get(5));
            while (link.find()) {
                linked.add(link.group(1));
                assertThat(byAnchor).containsKey(link.group(1));
                assertThat(metrics(byAnchor.get(link.group(1))))
                        .as(metric + " in " + link.group(1))
                        .anyMatch(
                                name -> name.endsWith(metric) || name.endsWith(metric + "_count"));
            }
        }

        Set<String> ofOurMetrics =
                byAnchor.entrySet().stream()
                        .filter(
                                alert ->
                                        metrics(alert.getValue()).stream()
                                                .anyMatch(name -> name.contains("_Changelog")))
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toCollection(TreeSet::new));
        assertThat(linked).isEqualTo(ofOurMetrics);
    }

    private static List<String> metrics(JsonNode rule) {
        return PromQl.parse(rule.path("expr").asText()).selectors().stream()
                .map(selector -> selector.metric)
                .collect(Collectors.toList());
    }

    @Test
    void theValuesToSetAreTheDefaults() throws IOException {
        Map<String, String> records = AlertRules.read().records();

        assertThat(records.keySet())
                .isEqualTo(
                        new TreeSet<>(
                                Arrays.asList(
                                        "dstl:upload_timeout:ns",
                                        "dstl:upload_max_in_flight:bytes",
                                        "dstl:materialization_interval:ms",
                                        "dstl:recovery_limit:ms",
                                        "dstl:checkpoint_duration_limit:ms")));
        assertThat(value(records, "dstl:upload_timeout:ns"))
                .isEqualTo(DstlOptions.UPLOAD_TIMEOUT.defaultValue().toNanos());
        assertThat(value(records, "dstl:upload_max_in_flight:bytes"))
                .isEqualTo(DstlOptions.IN_FLIGHT_DATA_LIMIT.defaultValue().getBytes());
        assertThat(value(records, "dstl:materialization_interval:ms"))
                .isEqualTo(
                        StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL
                                .defaultValue()
                                .toMillis());
    }

    private static double value(Map<String, String> records, String name) {
        return Double.parseDouble(records.get(name).replaceAll("vector\\((.*)\\)", "$1"));
    }

    @Test
    void aWindowOfTwoIntervalsIsTwoIntervals() throws IOException {
        long minutes =
                StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL.defaultValue().toMinutes();

        for (String name : Arrays.asList("DstlNotMaterialized", "DstlLogGrows")) {
            assertThat(AlertRules.read().alerts().get(name).path("expr").asText())
                    .contains("offset " + 2 * minutes + "m");
        }
    }

    @Test
    void eachAlertHasAUnitTest() throws IOException {
        List<String> expected = AlertRules.expectations();

        for (String name : AlertRules.read().alerts().keySet()) {
            assertThat(expected)
                    .as("what the unit tests expect")
                    .anyMatch(
                            samples ->
                                    samples.contains(name + "\\\", job_name=\\\"bad\\\"")
                                            && !samples.contains(
                                                    name + "\\\", job_name=\\\"good\\\""));
        }
    }
}
