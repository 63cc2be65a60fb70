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
package io.dstl.bench.storage;

import io.dstl.e2e.report.CheckpointRun;
import io.dstl.e2e.report.Timeline;
import java.util.List;

/** All that was learned of a variant. */
final class VariantResult {
    private final Variant variant;
    private final Measured measured;
    private final List<Endured> endured;
    private final CheckpointRun flinkSummary;
    private final Timeline timeline;

    /**
     * @param flinkSummary Flink's own percentiles over the whole run, with warm-up and faults
     * @param timeline of the whole run
     */
    VariantResult(
            Variant variant,
            Measured measured,
            List<Endured> endured,
            CheckpointRun flinkSummary,
            Timeline timeline) {
        this.variant = variant;
        this.measured = measured;
        this.endured = List.copyOf(endured);
        this.flinkSummary = flinkSummary;
        this.timeline = timeline;
    }

    Variant variant() {
        return variant;
    }

    Measured measured() {
        return measured;
    }

    List<Endured> endured() {
        return endured;
    }

    CheckpointRun flinkSummary() {
        return flinkSummary;
    }

    Timeline timeline() {
        return timeline;
    }
}
