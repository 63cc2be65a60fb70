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
package io.dstl.e2e.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One line of a panel: values over time, and the labels that tell it from others. Immutable. */
public final class Series {
    private static final Set<String> NO_NUMBER = Set.of("NaN", "+Inf", "-Inf");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{(\\w+)}}");

    private final Map<String, String> labels;
    private final NavigableMap<Double, Double> values;

    /**
     * @param values by seconds since the epoch
     */
    Series(Map<String, String> labels, NavigableMap<Double, Double> values) {
        this.labels = Collections.unmodifiableMap(new TreeMap<>(labels));
        this.values = Collections.unmodifiableNavigableMap(new TreeMap<>(values));
    }

    /** From an answer of Prometheus; values that are no number are left out. */
    static Series of(JsonNode answer) {
        Map<String, String> labels = new TreeMap<>();
        answer.path("metric")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        NavigableMap<Double, Double> values = new TreeMap<>();
        for (JsonNode point : answer.path("values")) {
            String value = point.get(1).asText();
            if (!NO_NUMBER.contains(value)) {
                values.put(point.get(0).asDouble(), Double.parseDouble(value));
            }
        }
        return new Series(labels, values);
    }

    /** By seconds since the epoch; may be empty. */
    NavigableMap<Double, Double> values() {
        return values;
    }

    /** A legend of Grafana with the labels in place of their names; nothing for one that is not. */
    String legend(String format) {
        return PLACEHOLDER
                .matcher(format)
                .replaceAll(
                        name -> Matcher.quoteReplacement(labels.getOrDefault(name.group(1), "")));
    }
}
