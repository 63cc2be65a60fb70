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
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A dashboard of Grafana, as far as a picture needs it. Immutable. */
public final class Dashboard {
    private static final Pattern VARIABLE = Pattern.compile("\\$(?!__)\\w+");

    private final List<Panel> panels;

    private Dashboard(List<Panel> panels) {
        this.panels = List.copyOf(panels);
    }

    public static Dashboard read(Path file) throws IOException {
        List<Panel> panels = new ArrayList<>();
        for (JsonNode panel : new ObjectMapper().readTree(file.toFile()).path("panels")) {
            panels.add(new Panel(panel));
        }
        return new Dashboard(panels);
    }

    List<Panel> panels() {
        return panels;
    }

    /** A heading, which has no targets, or a chart; placed on a grid of 24 columns. Immutable. */
    static final class Panel {
        final String title;
        final Unit unit;
        final int column;
        final int line;
        final int width;
        final int height;
        final List<Target> targets;

        private Panel(JsonNode panel) {
            title = panel.path("title").asText();
            unit = Unit.of(panel.path("fieldConfig").path("defaults").path("unit").asText());
            JsonNode place = panel.path("gridPos");
            column = place.path("x").asInt();
            line = place.path("y").asInt();
            width = place.path("w").asInt();
            height = place.path("h").asInt();
            List<Target> found = new ArrayList<>();
            for (JsonNode target : panel.path("targets")) {
                found.add(
                        new Target(
                                target.path("expr").asText(),
                                target.path("legendFormat").asText()));
            }
            targets = List.copyOf(found);
        }
    }

    /** A query of a panel. Immutable. */
    static final class Target {
        private final String expression;
        final String legend;

        private Target(String expression, String legend) {
            this.expression = expression;
            this.legend = legend;
        }

        /**
         * With all selected.
         *
         * @param rateInterval of each rate, as Prometheus reads it
         */
        String expression(String rateInterval) {
            return VARIABLE.matcher(expression.replace("$__rate_interval", rateInterval))
                    .replaceAll(".*");
        }
    }
}
