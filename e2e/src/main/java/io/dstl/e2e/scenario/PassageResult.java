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
package io.dstl.e2e.scenario;

import io.dstl.e2e.flights.Comparison;
import io.dstl.harness.report.RunReport.CheckpointRun;
import io.dstl.harness.report.RunReport.Timeline;
import io.dstl.harness.rest.JobSubmission.JobId;
import java.util.List;
import java.util.Optional;

/** What one passage of the input has brought. */
final class PassageResult {
    private final JobId job;
    private final List<CheckpointRun> runs;
    private final Timeline timeline;
    private final Optional<Comparison> comparison;

    /**
     * @param comparison empty if the job has not come to the end of its input
     */
    PassageResult(
            JobId job,
            List<CheckpointRun> runs,
            Timeline timeline,
            Optional<Comparison> comparison) {
        this.job = job;
        this.runs = List.copyOf(runs);
        this.timeline = timeline;
        this.comparison = comparison;
    }

    /** The last one. */
    JobId job() {
        return job;
    }

    List<CheckpointRun> runs() {
        return runs;
    }

    Timeline timeline() {
        return timeline;
    }

    Optional<Comparison> comparison() {
        return comparison;
    }

    /** What the comparison says, and of what. */
    Optional<String> summary() {
        return comparison.map(made -> timeline.label() + ": " + made.summary());
    }
}
