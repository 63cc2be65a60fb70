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

import java.util.List;
import java.util.Map;

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
}
