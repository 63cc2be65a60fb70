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

/** What the REST API said of one job's checkpoints at one moment, under a name for the reader. */
public final class CheckpointRun {
    private final String label;
    private final CheckpointStatistics statistics;

    public CheckpointRun(String label, CheckpointStatistics statistics) {
        this.label = label;
        this.statistics = statistics;
    }

    public String label() {
        return label;
    }

    public CheckpointStatistics statistics() {
        return statistics;
    }
}
