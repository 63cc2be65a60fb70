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
package io.dstl.harness.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.dstl.harness.report.Figure.Percentile;
import io.dstl.harness.report.RunReport.CheckpointRun;
import io.dstl.harness.report.RunReport.Event;
import io.dstl.harness.report.RunReport.Timeline;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The report for programs: times in ISO 8601, durations in milliseconds, sizes in bytes. */
public final class JsonReport {
    private JsonReport() {}

    public static void write(RunReport report, Path file) throws IOException {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("headline", report.headline());
        json.put("conditions", report.conditions());
        json.put("results", report.results());
        json.put("runs", each(report.runs(), JsonReport::run));
        json.put("timelines", each(report.timelines(), JsonReport::timeline));
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(file.toFile(), json);
    }

    private static Map<String, Object> run(CheckpointRun run) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("label", run.label);
        json.put("completed", run.statistics.completed);
        json.put("failed", run.statistics.failed);
        for (Figure figure : Figure.values()) {
            Map<String, Object> percentiles = new LinkedHashMap<>();
            for (Percentile percentile : Percentile.values()) {
                double value = percentile.of(figure.summary(run.statistics));
                percentiles.put(percentile.title(), Double.isNaN(value) ? null : value);
            }
            json.put(figure.key(), percentiles);
        }
        return json;
    }

    private static Map<String, Object> timeline(Timeline timeline) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("label", timeline.label);
        json.put("events", each(timeline.events, JsonReport::event));
        json.put("checkpoints", each(timeline.checkpoints, JsonReport::checkpoint));
        return json;
    }

    private static Map<String, Object> event(Event event) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("at", event.at.toString());
        json.put("what", event.what);
        return json;
    }

    private static Map<String, Object> checkpoint(CompletedCheckpoint checkpoint) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", checkpoint.id);
        json.put("triggered", checkpoint.triggered.toString());
        for (Figure figure : Figure.values()) {
            json.put(figure.key(), (long) figure.of(checkpoint));
        }
        return json;
    }

    private static <T> List<Map<String, Object>> each(
            List<T> all, Function<T, Map<String, Object>> one) {
        return all.stream().map(one).collect(Collectors.toCollection(ArrayList::new));
    }
}
