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

import java.time.Duration;

/** What a fault of the store did to the job. */
final class Endured {
    private final Fault fault;
    private final int restarts;
    private final int failed;
    private final Duration recovery;

    /**
     * @param restarts of the job
     * @param failed checkpoints
     * @param recovery from the end of the fault to the end of the first checkpoint that was
     *     triggered after it and completed
     */
    Endured(Fault fault, int restarts, int failed, Duration recovery) {
        this.fault = fault;
        this.restarts = restarts;
        this.failed = failed;
        this.recovery = recovery;
    }

    Fault fault() {
        return fault;
    }

    int restarts() {
        return restarts;
    }

    int failed() {
        return failed;
    }

    Duration recovery() {
        return recovery;
    }
}
