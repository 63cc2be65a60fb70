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

import io.dstl.harness.rest.CheckpointStatistics;
import java.time.Duration;
import java.time.Instant;

/** What is known of a running job at one moment. */
final class Sample {
    private final Instant at;
    private final CheckpointStatistics checkpoints;
    private final long records;
    private final Duration cpu;

    /**
     * @param records that the tasks with the state have read since they were last started
     * @param cpu that the TaskManager has used since it was started
     */
    Sample(Instant at, CheckpointStatistics checkpoints, long records, Duration cpu) {
        this.at = at;
        this.checkpoints = checkpoints;
        this.records = records;
        this.cpu = cpu;
    }

    Instant at() {
        return at;
    }

    CheckpointStatistics checkpoints() {
        return checkpoints;
    }

    long records() {
        return records;
    }

    Duration cpu() {
        return cpu;
    }
}
