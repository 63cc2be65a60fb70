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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** What {@code /jobs/:id/checkpoints} says at one moment: the web UI shows the same. Immutable. */
public final class CheckpointStatistics {
    private final int completed;
    private final int failed;
    private final int restored;
    private final Distribution duration;
    private final Distribution checkpointedSize;
    private final Distribution fullSize;
    private final List<CompletedCheckpoint> history;
    private final Optional<CompletedCheckpoint> latest;
    private final OptionalLong restoredFrom;

    private CheckpointStatistics(JsonNode json) {
        JsonNode counts = Json.required(json, "counts");
        completed = Json.required(counts, "completed").intValue();
        failed = Json.required(counts, "failed").intValue();
        restored = Json.required(counts, "restored").intValue();
        JsonNode summary = Json.required(json, "summary");
        duration = Distribution.of(Json.required(summary, "end_to_end_duration"));
        checkpointedSize = Distribution.of(Json.required(summary, "checkpointed_size"));
        fullSize = Distribution.of(Json.required(summary, "state_size"));
        history = completedOnes(Json.required(json, "history"));
        JsonNode newest = json.path("latest").path("completed");
        latest = newest.isObject() ? Optional.of(CompletedCheckpoint.of(newest)) : Optional.empty();
        JsonNode origin = json.path("latest").path("restored");
        restoredFrom =
                origin.isObject()
                        ? OptionalLong.of(Json.required(origin, "id").longValue())
                        : OptionalLong.empty();
    }

    /** From the answer of Flink. */
    public static CheckpointStatistics of(JsonNode json) {
        return new CheckpointStatistics(json);
    }

    public int completed() {
        return completed;
    }

    public int failed() {
        return failed;
    }

    /** How many times this job has started from a checkpoint. */
    public int restored() {
        return restored;
    }

    /** End to End Duration, in milliseconds. */
    public Distribution duration() {
        return duration;
    }

    /** Checkpointed Data Size, in bytes: what each checkpoint added. */
    public Distribution checkpointedSize() {
        return checkpointedSize;
    }

    /** Full Checkpoint Data Size, in bytes: what each checkpoint refers to. */
    public Distribution fullSize() {
        return fullSize;
    }

    /** Those completed, oldest first, as many as {@code web.checkpoints.history} keeps. */
    public List<CompletedCheckpoint> history() {
        return history;
    }

    /** The one that a restart would start from. */
    public Optional<CompletedCheckpoint> latest() {
        return latest;
    }

    /** The id of the checkpoint that the job last started from. */
    public OptionalLong restoredFrom() {
        return restoredFrom;
    }

    private static List<CompletedCheckpoint> completedOnes(JsonNode history) {
        List<CompletedCheckpoint> found = new ArrayList<>();
        for (JsonNode entry : history) {
            if (Json.required(entry, "status").textValue().equals("COMPLETED")) {
                found.add(CompletedCheckpoint.of(entry));
            }
        }
        found.sort(Comparator.comparingLong(CompletedCheckpoint::id));
        return List.copyOf(found);
    }
}
