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

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.dataformat.yaml.YAMLFactory;

/** {@code docs/dashboards/dstl-alerts.yaml}, and its unit tests. Immutable. */
final class AlertRules {
    static final Path DIRECTORY = DocsTest.Page.ROOT.resolve("docs").resolve("dashboards");
    static final String NAME = "dstl-alerts.yaml";
    static final String TESTS = "dstl-alerts-test.yaml";

    private final Map<String, JsonNode> alerts = new TreeMap<>();
    private final Map<String, String> records = new TreeMap<>();

    static AlertRules read() throws IOException {
        AlertRules read = new AlertRules();
        for (JsonNode group : yaml(NAME).path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                if (rule.has("alert")) {
                    read.alerts.put(rule.path("alert").asText(), rule);
                } else {
                    read.records.put(rule.path("record").asText(), rule.path("expr").asText());
                }
            }
        }
        return read;
    }

    /** What each unit test expects to fire, as it is written there; one element for each test. */
    static List<String> expectations() throws IOException {
        List<String> expected = new ArrayList<>();
        for (JsonNode test : yaml(TESTS).path("tests")) {
            for (JsonNode evaluated : test.path("promql_expr_test")) {
                expected.add(evaluated.path("exp_samples").toString());
            }
        }
        return expected;
    }

    private static JsonNode yaml(String name) throws IOException {
        return new ObjectMapper(new YAMLFactory()).readTree(DIRECTORY.resolve(name).toFile());
    }

    /** Each alert by its name. */
    Map<String, JsonNode> alerts() {
        return new TreeMap<>(alerts);
    }

    /** The values to set, by the name that the alerts read them by. */
    Map<String, String> records() {
        return new TreeMap<>(records);
    }

    /** Each query by the alert that it is of. */
    Map<String, String> queries() {
        Map<String, String> queries = new TreeMap<>();
        alerts.forEach((name, rule) -> queries.put("alert " + name, rule.path("expr").asText()));
        return queries;
    }
}
