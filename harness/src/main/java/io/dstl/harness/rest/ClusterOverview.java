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
package io.dstl.harness.rest;

import com.fasterxml.jackson.databind.JsonNode;

/** What {@code /overview} says of the TaskManagers. */
public final class ClusterOverview {
    private final int taskManagers;
    private final int slots;

    private ClusterOverview(int taskManagers, int slots) {
        this.taskManagers = taskManagers;
        this.slots = slots;
    }

    static ClusterOverview of(JsonNode json) {
        return new ClusterOverview(
                Json.required(json, "taskmanagers").intValue(),
                Json.required(json, "slots-total").intValue());
    }

    /** Those that have registered. */
    public int taskManagers() {
        return taskManagers;
    }

    public int slots() {
        return slots;
    }
}
