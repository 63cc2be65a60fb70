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

import io.dstl.harness.rest.JobSubmission.JobId;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A line of a JobManager's log that says what has become of a job. Immutable. */
final class JobManagerEvent {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss,SSS", Locale.ROOT);
    private static final int TIME_CHARACTERS = 23;

    private static final Pattern STATE =
            Pattern.compile(
                    "Job \\S+ \\(([0-9a-f]{32})\\) switched from state (\\w+) to (\\w+)\\.");
    private static final Pattern TRIGGERED =
            Pattern.compile(
                    "Triggering checkpoint (\\d+) \\(type=(\\w+).* @ (\\d+) for job ([0-9a-f]{32})");
    private static final Pattern COMPLETED =
            Pattern.compile("Completed checkpoint (\\d+) for job ([0-9a-f]{32})");
    private static final Pattern RESTORING =
            Pattern.compile(
                    "Restoring job ([0-9a-f]{32}) from \\w+ (\\d+) @ .* located at (\\S+)\\.$");
    private static final Pattern FAILED =
            Pattern.compile(
                    "Failed to trigger or complete checkpoint (\\d+) for job ([0-9a-f]{32})");
    private static final Pattern AMBIGUOUS =
            Pattern.compile(
                    "Flink was not able to determine whether the metadata was successfully"
                            + " persisted.* located at '([^']+)'");
    private static final Pattern REMOVED =
            Pattern.compile("Removed (?:job graph|execution plan) ([0-9a-f]{32}) from");
    private static final Pattern LEADS = Pattern.compile("was granted leadership");
    private static final Pattern LEADS_NOT =
            Pattern.compile("lost leadership|was revoked leadership");

    /** When it was; of a checkpoint that was triggered, when the coordinator says that it was. */
    final Instant at;

    final Kind kind;

    /** Empty where it is about no job. */
    final Optional<JobId> job;

    /** The number of the checkpoint; 0 where it is about none. */
    final long checkpoint;

    /** Where the checkpoint is, of a commit in doubt and of a restore; empty of other events. */
    final Optional<String> path;

    private JobManagerEvent(
            Instant at, Kind kind, Optional<JobId> job, long checkpoint, Optional<String> path) {
        this.at = at;
        this.kind = kind;
        this.job = job;
        this.checkpoint = checkpoint;
        this.path = path;
    }

    /** What the line says; empty for any other line. */
    static Optional<JobManagerEvent> parse(String line) {
        if (line.length() < TIME_CHARACTERS || !Character.isDigit(line.charAt(0))) {
            return Optional.empty();
        }
        Matcher state = STATE.matcher(line);
        if (state.find()) {
            return kindOf(state.group(2), state.group(3))
                    .map(kind -> of(line, kind, state.group(1)));
        }
        Matcher triggered = TRIGGERED.matcher(line);
        if (triggered.find()) {
            return Optional.of(
                    new JobManagerEvent(
                            Instant.ofEpochMilli(Long.parseLong(triggered.group(3))),
                            triggered.group(2).startsWith("Savepoint")
                                    ? Kind.SAVEPOINT_TRIGGERED
                                    : Kind.CHECKPOINT_TRIGGERED,
                            Optional.of(new JobId(triggered.group(4))),
                            Long.parseLong(triggered.group(1)),
                            Optional.empty()));
        }
        Matcher restoring = RESTORING.matcher(line);
        if (restoring.find()) {
            return Optional.of(
                    new JobManagerEvent(
                            time(line),
                            Kind.RESTORED,
                            Optional.of(new JobId(restoring.group(1))),
                            Long.parseLong(restoring.group(2)),
                            Optional.of(restoring.group(3))));
        }
        Matcher completed = COMPLETED.matcher(line);
        if (completed.find()) {
            return Optional.of(of(line, Kind.CHECKPOINT_COMPLETED, completed));
        }
        Matcher failed = FAILED.matcher(line);
        if (failed.find()) {
            return Optional.of(of(line, Kind.CHECKPOINT_FAILED, failed));
        }
        Matcher removed = REMOVED.matcher(line);
        if (removed.find()) {
            return Optional.of(of(line, Kind.REMOVED, removed.group(1)));
        }
        Matcher ambiguous = AMBIGUOUS.matcher(line);
        if (ambiguous.find()) {
            return Optional.of(
                    new JobManagerEvent(
                            time(line),
                            Kind.COMMIT_AMBIGUOUS,
                            Optional.empty(),
                            0,
                            Optional.of(ambiguous.group(1))));
        }
        if (line.contains("WebMonitorEndpoint") || line.contains("DispatcherRestEndpoint")) {
            if (LEADS.matcher(line).find()) {
                return Optional.of(of(line, Kind.LEADS));
            }
            if (LEADS_NOT.matcher(line).find()) {
                return Optional.of(of(line, Kind.LEADS_NOT));
            }
        }
        return Optional.empty();
    }

    private static Optional<Kind> kindOf(String from, String to) {
        switch (to) {
            case "RESTARTING":
                return Optional.of(Kind.RESTARTING);
            case "RUNNING":
                return from.equals("CREATED") ? Optional.of(Kind.STARTED) : Optional.empty();
            case "FINISHED":
                return Optional.of(Kind.FINISHED);
            case "FAILED":
                return Optional.of(Kind.FAILED);
            default:
                return Optional.empty();
        }
    }

    private static JobManagerEvent of(String line, Kind kind, String job) {
        return new JobManagerEvent(
                time(line), kind, Optional.of(new JobId(job)), 0, Optional.empty());
    }

    private static JobManagerEvent of(String line, Kind kind, Matcher checkpoint) {
        return new JobManagerEvent(
                time(line),
                kind,
                Optional.of(new JobId(checkpoint.group(2))),
                Long.parseLong(checkpoint.group(1)),
                Optional.empty());
    }

    private static JobManagerEvent of(String line, Kind kind) {
        return new JobManagerEvent(time(line), kind, Optional.empty(), 0, Optional.empty());
    }

    /** Of a line that starts with one. */
    static Instant time(String line) {
        return LocalDateTime.parse(line.substring(0, TIME_CHARACTERS), TIME)
                .toInstant(ZoneOffset.UTC);
    }

    boolean isOf(JobId wanted) {
        return job.isPresent() && job.get().equals(wanted);
    }

    /** What has happened. */
    enum Kind {
        /** A JobMaster has begun to run the job: on submission, and after a change of leader. */
        STARTED,
        RESTARTING,
        FINISHED,
        FAILED,
        /** It has ended and ZooKeeper has forgotten it: no leader will run it again. */
        REMOVED,
        /** The job goes on from that: its own, or what another one has left. */
        RESTORED,
        CHECKPOINT_TRIGGERED,
        SAVEPOINT_TRIGGERED,
        /** A checkpoint or a savepoint. */
        CHECKPOINT_COMPLETED,
        CHECKPOINT_FAILED,
        /** Whether ZooKeeper has a checkpoint that is reported as failed is not known. */
        COMMIT_AMBIGUOUS,
        /** The JobManager with this log has become the leader. */
        LEADS,
        LEADS_NOT
    }
}
