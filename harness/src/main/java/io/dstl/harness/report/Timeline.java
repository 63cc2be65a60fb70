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

import io.dstl.harness.rest.CompletedCheckpoint;
import java.util.List;

/** All checkpoints of one way of running the job, over its restarts, with what was done to it. */
public final class Timeline {
    private final String label;
    private final List<CompletedCheckpoint> checkpoints;
    private final List<Event> events;

    public Timeline(String label, List<CompletedCheckpoint> checkpoints, List<Event> events) {
        this.label = label;
        this.checkpoints = List.copyOf(checkpoints);
        this.events = List.copyOf(events);
    }

    public String label() {
        return label;
    }

    /** In the order in which they were triggered. */
    public List<CompletedCheckpoint> checkpoints() {
        return checkpoints;
    }

    public List<Event> events() {
        return events;
    }
}
