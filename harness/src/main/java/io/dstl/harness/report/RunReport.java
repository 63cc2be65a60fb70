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

import io.dstl.harness.rest.CheckpointStatistics;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Everything that a run has to tell, before it is given a form. */
public final class RunReport {
    private final String headline;
    private final Map<String, String> conditions;
    private final List<CheckpointRun> runs;
    private final List<Timeline> timelines;
    private final List<String> results;

    /**
     * @param headline what was gained, in one sentence
     * @param conditions under which the run was made, by name, in the order to show
     * @param runs the columns of the table
     * @param timelines the lines of the plots
     * @param results what the comparisons found
     */
    public RunReport(
            String headline,
            Map<String, String> conditions,
            List<CheckpointRun> runs,
            List<Timeline> timelines,
            List<String> results) {
        this.headline = headline;
        this.conditions = conditions;
        this.runs = List.copyOf(runs);
        this.timelines = List.copyOf(timelines);
        this.results = List.copyOf(results);
    }

    public String headline() {
        return headline;
    }

    public Map<String, String> conditions() {
        return conditions;
    }

    public List<CheckpointRun> runs() {
        return runs;
    }

    public List<Timeline> timelines() {
        return timelines;
    }

    public List<String> results() {
        return results;
    }

    /** The percentiles as a table of Markdown, with the results and the conditions under it. */
    public String markdown() {
        StringBuilder text = new StringBuilder(headline).append("\n\n");
        text.append(new PercentileTable(runs).markdown()).append('\n');
        results.forEach(result -> text.append(result).append(".  \n"));
        return text.append(conditions(": ", condition -> condition)).append('\n').toString();
    }

    /** In one line, each with its name before it. */
    String conditions(String between, UnaryOperator<String> spelled) {
        return conditions.entrySet().stream()
                .map(
                        each ->
                                spelled.apply(each.getKey())
                                        + between
                                        + spelled.apply(each.getValue()))
                .collect(Collectors.joining(" · "));
    }

    /**
     * What the REST API said of one job's checkpoints at one moment, under a name for the reader.
     */
    public static final class CheckpointRun {
        public final String label;
        public final CheckpointStatistics statistics;

        public CheckpointRun(String label, CheckpointStatistics statistics) {
            this.label = label;
            this.statistics = statistics;
        }
    }

    /**
     * All checkpoints of one way of running the job, over its restarts, with what was done to it.
     */
    public static final class Timeline {
        public final String label;

        /** In the order in which they were triggered. */
        public final List<CompletedCheckpoint> checkpoints;

        public final List<Event> events;

        public Timeline(String label, List<CompletedCheckpoint> checkpoints, List<Event> events) {
            this.label = label;
            this.checkpoints = List.copyOf(checkpoints);
            this.events = List.copyOf(events);
        }
    }

    /** Something that was done to a job while its checkpoints were counted. */
    public static final class Event {
        public final Instant at;
        public final String what;

        public Event(Instant at, String what) {
            this.at = at;
            this.what = what;
        }
    }
}
