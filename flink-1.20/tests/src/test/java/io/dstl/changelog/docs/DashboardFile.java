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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/** {@code docs/dashboards/dstl-dashboard.json}. Immutable. */
final class DashboardFile {
    static final String NAME = "dstl-dashboard.json";

    private static final Pattern OF_A_VARIABLE =
            Pattern.compile("label_values\\((?<selector>.*), (?<label>\\w+)\\)");

    final JsonNode root;

    private DashboardFile(JsonNode root) {
        this.root = root;
    }

    static DashboardFile read() throws IOException {
        return new DashboardFile(
                new ObjectMapper().readTree(AlertRules.DIRECTORY.resolve(NAME).toFile()));
    }

    List<JsonNode> panels() {
        return list(root.path("panels"));
    }

    List<JsonNode> variables() {
        return list(root.path("templating").path("list"));
    }

    /** Each query by the panel or the variable that it is of, and its number there. */
    Map<String, String> queries() {
        Map<String, String> queries = new TreeMap<>();
        for (JsonNode panel : panels()) {
            for (JsonNode target : panel.path("targets")) {
                queries.put(
                        "panel '"
                                + panel.path("title").asText()
                                + "', query "
                                + target.path("refId").asText(),
                        target.path("expr").asText());
            }
        }
        for (JsonNode variable : variables()) {
            if (variable.path("type").asText().equals("query")) {
                queries.put(
                        "variable " + variable.path("name").asText(),
                        ofVariable(variable.path("definition").asText()));
            }
        }
        return queries;
    }

    /** An expression that has the same metric and labels. */
    private static String ofVariable(String definition) {
        Matcher matcher = OF_A_VARIABLE.matcher(definition);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    definition + ": a variable is label_values(<selector>, <label>)");
        }
        return "count by (" + matcher.group("label") + ") (" + matcher.group("selector") + ")";
    }

    private static List<JsonNode> list(JsonNode array) {
        List<JsonNode> elements = new ArrayList<>();
        array.forEach(elements::add);
        return elements;
    }
}
