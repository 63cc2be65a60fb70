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
import java.time.Instant;

/** One completed checkpoint of a job's history. */
public final class CompletedCheckpoint {
    private final long id;
    private final Instant triggered;
    private final Duration duration;
    private final long checkpointedSize;
    private final long fullSize;
    private final String path;

    private CompletedCheckpoint(JsonNode json) {
        id = Json.required(json, "id").longValue();
        triggered = Instant.ofEpochMilli(Json.required(json, "trigger_timestamp").longValue());
        duration = Duration.ofMillis(Json.required(json, "end_to_end_duration").longValue());
        checkpointedSize = Json.required(json, "checkpointed_size").longValue();
        fullSize = Json.required(json, "state_size").longValue();
        path = Json.required(json, "external_path").textValue();
    }

    static CompletedCheckpoint of(JsonNode json) {
        return new CompletedCheckpoint(json);
    }

    public long id() {
        return id;
    }

    public Instant triggered() {
        return triggered;
    }

    /** From the trigger to the last acknowledgement. */
    public Duration duration() {
        return duration;
    }

    /** In bytes. */
    public long checkpointedSize() {
        return checkpointedSize;
    }

    /** In bytes. */
    public long fullSize() {
        return fullSize;
    }

    /** Where a job can be started from it. */
    public String path() {
        return path;
    }
}
