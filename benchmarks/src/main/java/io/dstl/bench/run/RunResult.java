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
package io.dstl.bench.run;

import io.dstl.bench.report.Finding;
import io.dstl.harness.report.RunReport.CheckpointRun;
import io.dstl.harness.report.RunReport.Timeline;
import java.util.List;
import java.util.Optional;

/** All that was learned in one run. */
final class RunResult {
    private final RunName name;
    private final List<Finding> findings;
    private final List<String> troubles;
    private final Optional<CheckpointRun> summary;
    private final Optional<Timeline> timeline;

    /**
     * @param troubles why some of the findings are none; empty when all went well
     * @param summary Flink's own percentiles over the whole run, with warm-up and faults
     * @param timeline of the whole run
     */
    RunResult(
            RunName name,
            List<Finding> findings,
            List<String> troubles,
            Optional<CheckpointRun> summary,
            Optional<Timeline> timeline) {
        this.name = name;
        this.findings = List.copyOf(findings);
        this.troubles = List.copyOf(troubles);
        this.summary = summary;
        this.timeline = timeline;
    }

    RunName name() {
        return name;
    }

    List<Finding> findings() {
        return findings;
    }

    List<String> troubles() {
        return troubles;
    }

    Optional<CheckpointRun> summary() {
        return summary;
    }

    Optional<Timeline> timeline() {
        return timeline;
    }
}
