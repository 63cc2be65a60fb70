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

import static io.dstl.harness.rest.FlinkRest.required;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** What {@code /jobs/:id/checkpoints} says at one moment: the web UI shows the same. Immutable. */
public final class CheckpointStatistics {
    public final int completed;
    public final int failed;

    /** How many times this job has started from a checkpoint. */
    public final int restored;

    /** End to End Duration, in milliseconds. */
    public final Distribution duration;

    /** Checkpointed Data Size, in bytes: what each checkpoint added. */
    public final Distribution checkpointedSize;

    /** Full Checkpoint Data Size, in bytes: what each checkpoint refers to. */
    public final Distribution fullSize;

    /** Those completed, oldest first, as many as {@code web.checkpoints.history} keeps. */
    public final List<CompletedCheckpoint> history;

    /** The one that a restart would start from. */
    public final Optional<CompletedCheckpoint> latest;

    /** The id of the checkpoint that the job last started from. */
    public final OptionalLong restoredFrom;

    private CheckpointStatistics(JsonNode json) {
        JsonNode counts = required(json, "counts");
        completed = required(counts, "completed").intValue();
        failed = required(counts, "failed").intValue();
        restored = required(counts, "restored").intValue();
        JsonNode summary = required(json, "summary");
        duration = Distribution.of(required(summary, "end_to_end_duration"));
        checkpointedSize = Distribution.of(required(summary, "checkpointed_size"));
        fullSize = Distribution.of(required(summary, "state_size"));
        history = completedOnes(required(json, "history"));
        JsonNode newest = json.path("latest").path("completed");
        latest = newest.isObject() ? Optional.of(CompletedCheckpoint.of(newest)) : Optional.empty();
        JsonNode origin = json.path("latest").path("restored");
        restoredFrom =
                origin.isObject()
                        ? OptionalLong.of(required(origin, "id").longValue())
                        : OptionalLong.empty();
    }

    /** From the answer of Flink. */
    public static CheckpointStatistics of(JsonNode json) {
        return new CheckpointStatistics(json);
    }

    private static List<CompletedCheckpoint> completedOnes(JsonNode history) {
        List<CompletedCheckpoint> found = new ArrayList<>();
        for (JsonNode entry : history) {
            if (required(entry, "status").textValue().equals("COMPLETED")) {
                found.add(CompletedCheckpoint.of(entry));
            }
        }
        found.sort(Comparator.comparingLong(one -> one.id));
        return List.copyOf(found);
    }

    /** One completed checkpoint of a job's history. */
    public static final class CompletedCheckpoint {
        public final long id;
        public final Instant triggered;

        /** From the trigger to the last acknowledgement. */
        public final Duration duration;

        /** In bytes. */
        public final long checkpointedSize;

        /** In bytes. */
        public final long fullSize;

        /** Where a job can be started from it. */
        public final String path;

        private CompletedCheckpoint(JsonNode json) {
            id = required(json, "id").longValue();
            triggered = Instant.ofEpochMilli(required(json, "trigger_timestamp").longValue());
            duration = Duration.ofMillis(required(json, "end_to_end_duration").longValue());
            checkpointedSize = required(json, "checkpointed_size").longValue();
            fullSize = required(json, "state_size").longValue();
            path = required(json, "external_path").textValue();
        }

        static CompletedCheckpoint of(JsonNode json) {
            return new CompletedCheckpoint(json);
        }
    }

    /** The percentiles that Flink keeps of one figure of all checkpoints, in that figure's unit. */
    public static final class Distribution {
        public final double p50;
        public final double p90;
        public final double p99;
        public final double p999;

        private Distribution(double p50, double p90, double p99, double p999) {
            this.p50 = p50;
            this.p90 = p90;
            this.p99 = p99;
            this.p999 = p999;
        }

        static Distribution of(JsonNode json) {
            return new Distribution(
                    percentile(json, "p50"),
                    percentile(json, "p90"),
                    percentile(json, "p99"),
                    percentile(json, "p999"));
        }

        /** Flink says "NaN", in quotes, while there is no checkpoint yet. */
        private static double percentile(JsonNode json, String name) {
            return required(json, name).asDouble(Double.NaN);
        }
    }

    /**
     * What one checkpoint's time was spent on in the subtasks of one vertex: of each part the
     * longest. Immutable.
     */
    public static final class CheckpointParts {
        /** From the trigger to the arrival of the first barrier. */
        public final Duration startDelay;

        /** From the first barrier to the last. */
        public final Duration alignment;

        /** What the task thread does for the checkpoint. */
        public final Duration sync;

        /** From then on until all is stored. */
        public final Duration async;

        private CheckpointParts(JsonNode summary) {
            startDelay = longest(required(summary, "start_delay"));
            alignment = longest(required(required(summary, "alignment"), "duration"));
            JsonNode duration = required(summary, "checkpoint_duration");
            sync = longest(required(duration, "sync"));
            async = longest(required(duration, "async"));
        }

        static CheckpointParts of(JsonNode json) {
            return new CheckpointParts(required(json, "summary"));
        }

        private static Duration longest(JsonNode distribution) {
            return Duration.ofMillis(required(distribution, "max").longValue());
        }
    }
}
