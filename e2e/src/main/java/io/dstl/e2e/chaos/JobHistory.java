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

import io.dstl.e2e.chaos.RestartCause.Restart;
import io.dstl.harness.rest.JobSubmission.JobId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What the JobManagers' logs say has happened to the jobs, over all changes of leader: the REST API
 * forgets it with each. For one thread.
 */
final class JobHistory {
    private final Map<Path, Tail> tails = new HashMap<>();
    private final List<JobManagerEvent> events = new ArrayList<>();
    private final Map<JobId, Map<Long, Instant>> triggered = new HashMap<>();
    private final List<Restart> restarts = new ArrayList<>();
    private final Set<JobId> started = new HashSet<>();

    /** The logs of those that were told so last, and not the opposite since. */
    private final Set<Path> leading = new LinkedHashSet<>();

    private Path leader;

    /** Reads what has been written since the last time. */
    void read(List<Path> logs) throws IOException {
        for (Path log : logs) {
            if (Files.exists(log)) {
                Tail tail = tails.computeIfAbsent(log, Tail::new);
                for (String line : tail.next()) {
                    take(log, tail, line);
                }
            }
        }
    }

    private void take(Path log, Tail tail, String line) {
        tail.reason.take(line);
        if (line.contains("switched from state RESTARTING to RUNNING")) {
            tail.reason.forget();
        }
        Optional<JobManagerEvent> seen = JobManagerEvent.parse(line);
        if (seen.isEmpty()) {
            return;
        }
        JobManagerEvent event = seen.get();
        events.add(event);
        switch (event.kind) {
            case LEADS:
                leader = log;
                leading.add(log);
                break;
            case LEADS_NOT:
                leading.remove(log);
                break;
            case CHECKPOINT_TRIGGERED:
                triggered
                        .computeIfAbsent(event.job.orElseThrow(), job -> new HashMap<>())
                        .put(event.checkpoint, event.at);
                break;
            case RESTARTING:
                restarts.add(new Restart(event.at, false, tail.reason.text()));
                break;
            case STARTED:
                if (!started.add(event.job.orElseThrow())) {
                    restarts.add(new Restart(event.at, true, log.getFileName().toString()));
                }
                break;
            default:
                break;
        }
    }

    /** The log of the JobManager that has become the leader last; empty before one has. */
    Optional<Path> leader() {
        return Optional.ofNullable(leader);
    }

    /**
     * The logs of all JobManagers that hold themselves to lead, or did so until their end, from the
     * one that has for longest.
     */
    List<Path> leaders() {
        return List.copyOf(leading);
    }

    /** In the order in which they were read. */
    List<Restart> restarts() {
        return List.copyOf(restarts);
    }

    /** The last one, for a message; empty text where there was none. */
    String lastRestart() {
        return restarts.isEmpty() ? "" : restarts.get(restarts.size() - 1).toString();
    }

    /** How many checkpoints of all jobs have been completed. */
    int completed() {
        return count(JobManagerEvent.Kind.CHECKPOINT_COMPLETED);
    }

    /** How many checkpoints of all jobs have failed. */
    int failed() {
        return count(JobManagerEvent.Kind.CHECKPOINT_FAILED);
    }

    /**
     * Where the checkpoints are whose commit to ZooKeeper has failed so that nobody knows whether
     * it has. Flink removes none of them, and says that it is to be done by hand.
     */
    List<String> inDoubt() {
        return events.stream()
                .filter(event -> event.kind == JobManagerEvent.Kind.COMMIT_AMBIGUOUS)
                .flatMap(event -> event.path.stream())
                .collect(Collectors.toUnmodifiableList());
    }

    /** What is known of the job's own checkpoints by now. */
    CheckpointLine checkpointsOf(JobId job) {
        List<JobManagerEvent> own =
                events.stream().filter(event -> event.isOf(job)).collect(Collectors.toList());
        return CheckpointLine.of(own);
    }

    /** How often the job has come to that. */
    long count(JobId job, JobManagerEvent.Kind kind) {
        return events.stream().filter(event -> event.kind == kind && event.isOf(job)).count();
    }

    /** How many checkpoints of the job are complete that were triggered after that moment. */
    long completedSince(JobId job, Instant moment) {
        Map<Long, Instant> known = triggered.getOrDefault(job, Map.of());
        Predicate<JobManagerEvent> since =
                event ->
                        known.containsKey(event.checkpoint)
                                && known.get(event.checkpoint).isAfter(moment);
        return events.stream()
                .filter(
                        event ->
                                event.kind == JobManagerEvent.Kind.CHECKPOINT_COMPLETED
                                        && event.isOf(job))
                .filter(since)
                .count();
    }

    private int count(JobManagerEvent.Kind kind) {
        return (int) events.stream().filter(event -> event.kind == kind).count();
    }

    /** The first failure that a log has told of since the job was last well, in a few lines. */
    static final class Reason {
        private static final int LINES = 12;
        private final List<String> lines = new ArrayList<>();
        private boolean open;

        void take(String line) {
            boolean dated = !line.isEmpty() && Character.isDigit(line.charAt(0));
            if (dated) {
                open =
                        lines.isEmpty()
                                && (line.contains(" to FAILED") || line.contains("global failure"));
                if (open) {
                    lines.add(line);
                }
            } else if (open
                    && lines.size() < LINES
                    && (lines.size() == 1 || line.startsWith("Caused by"))) {
                lines.add(line);
            }
        }

        void forget() {
            lines.clear();
            open = false;
        }

        String text() {
            return lines.stream().map(String::trim).collect(Collectors.joining(" | "));
        }
    }

    /** One log, read as it grows. */
    private static final class Tail {
        private final Path file;
        private final Reason reason = new Reason();
        private long position;

        Tail(Path file) {
            this.file = file;
        }

        /** The whole lines that are new. */
        List<String> next() throws IOException {
            try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
                long length = open.length();
                if (length == position) {
                    return List.of();
                }
                byte[] bytes = new byte[(int) Math.min(Integer.MAX_VALUE / 4, length - position)];
                open.seek(position);
                open.readFully(bytes);
                int end = bytes.length;
                while (end > 0 && bytes[end - 1] != '\n') {
                    end--;
                }
                position += end;
                return new String(bytes, 0, end, StandardCharsets.UTF_8)
                        .lines()
                        .collect(Collectors.toList());
            }
        }
    }

    /**
     * The checkpoints of one job that Flink goes by, over all changes of leader: not the newest in
     * the bucket is what a job is restored from, but the last one that a leader has completed or
     * restored. Sinks have committed no other's rows. Savepoints are none. Immutable.
     */
    static final class CheckpointLine {
        private final Optional<JobManagerEvent> last;
        private final Set<Long> superseded;

        private CheckpointLine(Optional<JobManagerEvent> last, Set<Long> superseded) {
            this.last = last;
            this.superseded = superseded;
        }

        /**
         * @param events of one job, in any order
         */
        static CheckpointLine of(List<JobManagerEvent> events) {
            Optional<JobManagerEvent> last = Optional.empty();
            Set<Long> savepoints = new HashSet<>();
            Deque<Long> kept = new ArrayDeque<>();
            NavigableSet<Long> open = new TreeSet<>();
            Set<Long> superseded = new TreeSet<>();
            List<JobManagerEvent> inOrder = new ArrayList<>(events);
            inOrder.sort(Comparator.comparing(one -> one.at));
            for (JobManagerEvent event : inOrder) {
                switch (event.kind) {
                    case SAVEPOINT_TRIGGERED:
                        savepoints.add(event.checkpoint);
                        break;
                    case CHECKPOINT_TRIGGERED:
                        open.add(event.checkpoint);
                        break;
                    case CHECKPOINT_COMPLETED:
                        if (!savepoints.contains(event.checkpoint)) {
                            open.remove(event.checkpoint);
                            superseded.addAll(open.headSet(event.checkpoint));
                            open.headSet(event.checkpoint).clear();
                            last = Optional.of(event);
                            kept.addLast(event.checkpoint);
                            while (kept.size() > ChaosHost.RETAINED) {
                                superseded.add(kept.removeFirst());
                            }
                        }
                        break;
                    case RESTORED:
                        open.remove(event.checkpoint);
                        last = Optional.of(event);
                        // Of another job, or one that was in doubt and that the next leader has
                        // found.
                        if (!kept.contains(event.checkpoint)) {
                            kept.addLast(event.checkpoint);
                        }
                        break;
                    default:
                        break;
                }
            }
            return new CheckpointLine(last, superseded);
        }

        /** Where the job goes on from; empty for one that has nothing yet. */
        Optional<String> last() {
            return last.map(
                    event ->
                            event.path.orElseGet(
                                    () ->
                                            ChaosHost.checkpoint(
                                                    event.job.orElseThrow(), event.checkpoint)));
        }

        /**
         * The numbers of those that newer ones have taken the place of. A leader that dies while it
         * discards one, and one that has not completed it itself, leave the metadata behind; so
         * does one that dies between writing it and telling ZooKeeper.
         */
        Set<Long> superseded() {
            return Set.copyOf(superseded);
        }
    }
}
