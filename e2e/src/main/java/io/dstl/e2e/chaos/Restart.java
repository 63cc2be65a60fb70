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
package io.dstl.e2e.chaos;

import java.time.Instant;

/** One time that tasks of a job had to start again from a checkpoint. Immutable. */
final class Restart {
    private final Instant at;
    private final boolean leaderChanged;
    private final String reason;

    /**
     * @param leaderChanged a JobManager took the job over; else the one that had it restarted it
     * @param reason as the log has it
     */
    Restart(Instant at, boolean leaderChanged, String reason) {
        this.at = at;
        this.leaderChanged = leaderChanged;
        this.reason = reason;
    }

    Instant at() {
        return at;
    }

    boolean leaderChanged() {
        return leaderChanged;
    }

    String reason() {
        return reason;
    }

    @Override
    public String toString() {
        return at + (leaderChanged ? " new leader: " : " restart: ") + reason;
    }
}
