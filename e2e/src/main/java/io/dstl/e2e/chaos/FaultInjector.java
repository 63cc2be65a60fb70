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

import io.dstl.e2e.chaos.Schedule.FaultKind;
import io.dstl.e2e.chaos.Schedule.PlannedFault;
import io.dstl.harness.cluster.HighlyAvailableCluster;
import io.dstl.harness.net.ServerProcess;
import io.dstl.harness.proxy.Disturbance.Errors;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Begins the faults of a schedule and ends them, and starts processes again that have ended by
 * themselves, as whatever runs a cluster would. For one thread.
 */
final class FaultInjector {
    /** Where Flink keeps what a JobManager knows of the completed checkpoints of a job. */
    private static final String CHECKPOINT_NODES = "/checkpoints/";

    /** How Flink's log tells that a process ends itself. */
    private static final String FATAL = "Fatal error occurred";

    /**
     * Longer than two sessions of ZooKeeper, after which the former leader has heard of the new.
     */
    private static final Duration TWO_LEADERS = Duration.ofSeconds(30);

    private static final double MOST_CONNECTIONS = 0.7;
    private static final long MILLIS_PER_CHOICE = 20;

    private final ChaosHost host;
    private final HighlyAvailableCluster cluster;
    private final JobHistory history;
    private final ChaosJournal journal;
    private final LongSupplier nanos;
    private final Map<FaultKind, Integer> begun = new EnumMap<>(FaultKind.class);
    private final Map<FaultKind, Integer> withoutEffect = new EnumMap<>(FaultKind.class);
    private final Map<PlannedFault, ServerProcess> paused = new HashMap<>();
    private final List<ProcessEnd> ends = new ArrayList<>();
    private int jobManagersAway;
    private int taskManagersAway;
    private Optional<LateKill> lateKill = Optional.empty();
    private Optional<Long> twoLeadersSince = Optional.empty();
    private int leadersKilled;

    FaultInjector(ChaosHost host, JobHistory history, ChaosJournal journal, LongSupplier nanos) {
        this.host = host;
        this.cluster = host.cluster;
        this.history = history;
        this.journal = journal;
        this.nanos = nanos;
    }

    /** Begins a fault; says so, and whom it hits. */
    void begin(PlannedFault fault) throws IOException, InterruptedException {
        Optional<String> victim = inflict(fault);
        if (victim.isEmpty()) {
            journal.note("  skipped: " + fault.kind);
            return;
        }
        begun.merge(fault.kind, 1, Integer::sum);
        journal.note("  begins: " + fault + " " + victim.get());
    }

    private Optional<String> inflict(PlannedFault fault) throws IOException, InterruptedException {
        switch (fault.kind) {
            case TASK_MANAGER_KILLED:
                return killTaskManager(fault);
            case TASK_MANAGER_PAUSED:
                return pauseTaskManager(fault);
            case JOB_MANAGER_KILLED:
                return killLeader();
            case ZOOKEEPER_KILLED:
                host.zooKeeper.kill();
                return Optional.of("zookeeper");
            case ZOOKEEPER_ANSWER_LOST:
                return loseZooKeepersAnswer(fault);
            case DISK_FULL:
                if (host.disk.obstacle().isPresent()) {
                    return Optional.empty();
                }
                host.disk.fill();
                return Optional.of(host.disk.directory().toString());
            default:
                disturbStore(fault);
                return Optional.of("the store");
        }
    }

    /** Puts right what the fault has put wrong, as far as it does not end by itself. */
    void end(PlannedFault fault) throws IOException, InterruptedException {
        switch (fault.kind) {
            case TASK_MANAGER_KILLED:
                startMissingTaskManagers();
                break;
            case TASK_MANAGER_PAUSED:
                ServerProcess process = paused.remove(fault);
                if (process != null && process.alive()) {
                    process.resume();
                }
                break;
            case JOB_MANAGER_KILLED:
                jobManagersAway = 0;
                cluster.startJobManagers();
                break;
            case ZOOKEEPER_KILLED:
                if (!host.zooKeeper.alive()) {
                    host.zooKeeper.restart();
                }
                break;
            case ZOOKEEPER_ANSWER_LOST:
                if (!host.zooKeeperProxy.forget()) {
                    withoutEffect.merge(fault.kind, 1, Integer::sum);
                    journal.note("  no checkpoint was committed: no answer was lost");
                }
                lateKill = Optional.empty();
                jobManagersAway = 0;
                cluster.startJobManagers();
                break;
            case DISK_FULL:
                host.disk.free();
                break;
            default:
                break;
        }
        journal.note("  over: " + fault.kind);
    }

    /** To be called again and again: starts what has ended by itself, and kills what is due. */
    void supervise(Instant now) throws IOException, InterruptedException {
        for (ServerProcess process : cluster.takeEnded()) {
            ends.add(new ProcessEnd(fatalError(process.log()).orElse(now), process.name()));
            journal.note("  " + process.name() + " has ended by itself: " + process.log());
        }
        killOneOfTwoLeaders();
        if (jobManagersAway == 0) {
            cluster.startJobManagers();
        }
        if (taskManagersAway == 0) {
            startMissingTaskManagers();
        }
        if (lateKill.isPresent() && lateKill.get().isDue(history.inDoubt().size(), nanos)) {
            lateKill = Optional.empty();
            journal.note("  kills after the lost answer: " + killLeader().orElse("nobody"));
        }
    }

    /**
     * A JobManager whose node in ZooKeeper has gone with a session leads on, beside the next one:
     * CURATOR-696, in the Curator of Flink 1.20. No job runs then, until somebody ends one of them.
     */
    private void killOneOfTwoLeaders() throws IOException, InterruptedException {
        List<ServerProcess> leaders = new ArrayList<>();
        for (Path log : history.leaders()) {
            cluster.jobManagers().stream()
                    .filter(one -> one.log().equals(log))
                    .forEach(leaders::add);
        }
        if (leaders.size() < 2) {
            twoLeadersSince = Optional.empty();
        } else if (twoLeadersSince.isEmpty()) {
            twoLeadersSince = Optional.of(nanos.getAsLong());
        } else if (nanos.getAsLong() - twoLeadersSince.get() > TWO_LEADERS.toNanos()) {
            journal.note("  two JobManagers lead at once: kills " + leaders.get(0).name());
            cluster.kill(leaders.get(0));
            leadersKilled++;
            twoLeadersSince = Optional.empty();
        }
    }

    /** When a process found that it must end, which may take it a while. */
    private static Optional<Instant> fatalError(Path log) throws IOException {
        if (!Files.exists(log)) {
            return Optional.empty();
        }
        // Takes any bytes: what was cut off by the end as well.
        try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.contains(FATAL) && Character.isDigit(line.charAt(0)))
                    .findFirst()
                    .map(JobManagerEvent::time);
        }
    }

    private Optional<String> killTaskManager(PlannedFault fault)
            throws IOException, InterruptedException {
        List<ServerProcess> candidates = atWork();
        if (candidates.isEmpty()) {
            return Optional.empty();
        }
        ServerProcess victim = candidates.get(fault.choice % candidates.size());
        cluster.kill(victim);
        taskManagersAway++;
        return Optional.of(victim.name());
    }

    private void startMissingTaskManagers() throws IOException, InterruptedException {
        taskManagersAway = 0;
        while (cluster.taskManagers().size() < ChaosHost.TASK_MANAGERS) {
            journal.note("  starts " + cluster.startTaskManager().name());
        }
    }

    private Optional<String> pauseTaskManager(PlannedFault fault)
            throws IOException, InterruptedException {
        List<ServerProcess> candidates = atWork();
        if (candidates.isEmpty()) {
            return Optional.empty();
        }
        ServerProcess victim = candidates.get(fault.choice % candidates.size());
        victim.pause();
        paused.put(fault, victim);
        return Optional.of(victim.name());
    }

    private List<ServerProcess> atWork() {
        return cluster.taskManagers().stream()
                .filter(one -> one.alive() && !paused.containsValue(one))
                .collect(Collectors.toList());
    }

    private Optional<String> killLeader() throws IOException, InterruptedException {
        history.read(cluster.jobManagerLogs());
        List<ServerProcess> running = cluster.jobManagers();
        if (running.isEmpty()) {
            return Optional.empty();
        }
        Optional<Path> leader = history.leader();
        ServerProcess victim =
                running.stream()
                        .filter(one -> leader.isPresent() && one.log().equals(leader.get()))
                        .findFirst()
                        .orElse(running.get(0));
        jobManagersAway++;
        cluster.kill(victim);
        return Optional.of(victim.name());
    }

    private Optional<String> loseZooKeepersAnswer(PlannedFault fault) {
        Duration outage = Duration.ofSeconds(5).plusMillis(MILLIS_PER_CHOICE * fault.choice);
        host.zooKeeperProxy.loseNextAnswer(CHECKPOINT_NODES, outage);
        if (fault.choice % 2 == 0) {
            // By then the tasks have heard that the checkpoint is aborted; the next leader finds it
            // in ZooKeeper, and no later one.
            lateKill =
                    Optional.of(
                            new LateKill(
                                    history.inDoubt().size(),
                                    Duration.ofMillis(200 + MILLIS_PER_CHOICE * fault.choice)));
            return Optional.of("then the leader is killed");
        }
        return Optional.of("the leader lives on");
    }

    private void disturbStore(PlannedFault fault) {
        switch (fault.kind) {
            case STORE_STALLED:
                host.disturbance.stall(fault.length);
                break;
            case STORE_UNAVAILABLE:
                host.disturbance.fail(new Errors(503, fault.share()), fault.length);
                break;
            case STORE_SLOW:
                host.disturbance.slow(
                        Duration.ofMillis(100 + MILLIS_PER_CHOICE * fault.choice), fault.length);
                break;
            case STORE_RESETS:
                host.disturbance.reset(MOST_CONNECTIONS * fault.share(), fault.length);
                break;
            case STORE_ANSWERS_LOST:
                host.disturbance.loseAnswers(MOST_CONNECTIONS * fault.share(), fault.length);
                break;
            default:
                throw new IllegalArgumentException(fault.kind + " is no fault of the store");
        }
    }

    /** How many of each kind have been begun; a kind that was never drawn is not in it. */
    Map<FaultKind, Integer> begun() {
        return new EnumMap<>(begun);
    }

    /** How many of those begun, by kind, have met nothing that they could put wrong. */
    Map<FaultKind, Integer> withoutEffect() {
        return new EnumMap<>(withoutEffect);
    }

    /** How many JobManagers have been killed because another one led beside them for long. */
    int leadersKilled() {
        return leadersKilled;
    }

    /** The processes that have ended by themselves. */
    List<ProcessEnd> ends() {
        return List.copyOf(ends);
    }

    /** A process that nobody has killed, and when it came to its end. Immutable. */
    static final class ProcessEnd {
        final Instant at;
        final String name;

        ProcessEnd(Instant at, String name) {
            this.at = at;
            this.name = name;
        }
    }

    /** The leader's, some time after it has called a checkpoint in doubt. */
    private static final class LateKill {
        private final int doubtsBefore;
        private final Duration delay;
        private long since;
        private boolean inDoubt;

        LateKill(int doubtsBefore, Duration delay) {
            this.doubtsBefore = doubtsBefore;
            this.delay = delay;
        }

        boolean isDue(int doubts, LongSupplier nanos) {
            if (!inDoubt && doubts > doubtsBefore) {
                inDoubt = true;
                since = nanos.getAsLong();
            }
            return inDoubt && nanos.getAsLong() - since >= delay.toNanos();
        }
    }
}
