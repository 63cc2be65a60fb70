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
import java.time.Duration;

/**
 * What one checkpoint's time was spent on in the subtasks of one vertex: of each part the longest.
 * Immutable.
 */
public final class CheckpointParts {
    private final Duration startDelay;
    private final Duration alignment;
    private final Duration sync;
    private final Duration async;

    private CheckpointParts(JsonNode summary) {
        startDelay = longest(Json.required(summary, "start_delay"));
        alignment = longest(Json.required(Json.required(summary, "alignment"), "duration"));
        JsonNode duration = Json.required(summary, "checkpoint_duration");
        sync = longest(Json.required(duration, "sync"));
        async = longest(Json.required(duration, "async"));
    }

    static CheckpointParts of(JsonNode json) {
        return new CheckpointParts(Json.required(json, "summary"));
    }

    /** From the trigger to the arrival of the first barrier. */
    public Duration startDelay() {
        return startDelay;
    }

    /** From the first barrier to the last. */
    public Duration alignment() {
        return alignment;
    }

    /** What the task thread does for the checkpoint. */
    public Duration sync() {
        return sync;
    }

    /** From then on until all is stored. */
    public Duration async() {
        return async;
    }

    private static Duration longest(JsonNode distribution) {
        return Duration.ofMillis(Json.required(distribution, "max").longValue());
    }
}
