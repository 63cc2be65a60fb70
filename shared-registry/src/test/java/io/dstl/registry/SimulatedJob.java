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
package io.dstl.registry;

import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.flink.core.execution.RestoreMode;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** A job of one keyed operator on some TaskManagers, each with its registry, over one bucket. */
final class SimulatedJob {

    final SimulatedCoordinator coordinator;
    final List<SimulatedTask> tasks = new ArrayList<>();
    final SegmentLedger ledger = new SegmentLedger();

    private final Bucket bucket;
    private final List<SegmentRegistry> taskManagers = new ArrayList<>();

    /** Of processes that are frozen, while the job goes on without them. */
    private final List<SimulatedTask> zombies = new ArrayList<>();

    private final List<SegmentRegistry> frozen = new ArrayList<>();

    /** What tasks have left that ended with something in doubt. */
    private final Set<String> inDoubt = new TreeSet<>();

    /**
     * What no acknowledgement told the JobManager of as the job restarted. The next attempts delete
     * it, unless they restart in their turn before they have heard of a later checkpoint.
     */
    final Set<String> unproven = new TreeSet<>();

    private int attempts;

    /** A new leader owns what it recovers. */
    SimulatedJob(File directory, int retained, int taskManagerCount) {
        this(directory, retained, taskManagerCount, RestoreMode.CLAIM);
    }

    SimulatedJob(File directory, int retained, int taskManagerCount, RestoreMode recovery) {
        bucket = new Bucket(directory);
        coordinator = new SimulatedCoordinator(retained, recovery);
        for (int i = 0; i < taskManagerCount; i++) {
            taskManagers.add(createRegistry());
        }
    }

    private SegmentRegistry createRegistry() {
        DeletionQueue deletions =
                new DeletionQueue(
                        StreamStateHandle::discardState,
                        Runnable::run,
                        DeletionSchedule.none(),
                        ledger);
        return new SegmentRegistry(deletions, ledger);
    }

    /** From the latest completed checkpoint, if any. */
    void start(int parallelism) throws Exception {
        attempts++;
        OptionalLong latest = coordinator.latest();
        List<ChangelogStateBackendHandle> state =
                latest.isPresent() ? coordinator.latestState() : Collections.emptyList();
        for (int subtask = 0; subtask < parallelism; subtask++) {
            SegmentRegistry registry = registryOf(subtask);
            SimulatedTask task =
                    new SimulatedTask(
                            new WriterId("task " + subtask + " attempt " + attempts),
                            keyGroups(subtask, parallelism),
                            bucket,
                            registry,
                            latest);
            task.restore(state);
            tasks.add(task);
        }
    }

    /** All tasks end, and with them all pending checkpoints. */
    void stop() throws Exception {
        for (SimulatedTask task : tasks) {
            inDoubt.addAll(task.undecided());
            unproven.addAll(task.unsent());
            task.close();
        }
        tasks.clear();
        coordinator.pending().forEach(coordinator::abort);
    }

    /** A process is frozen: the job loses its tasks, and goes on with another in its place. */
    void freeze(int taskManager) throws Exception {
        List<SimulatedTask> lost =
                tasks.stream()
                        .filter(task -> task.runsOn(taskManagers.get(taskManager)))
                        .collect(toList());
        zombies.addAll(lost);
        tasks.removeAll(lost);
        frozen.add(taskManagers.set(taskManager, createRegistry()));
        stop();
    }

    /** The frozen processes go on, and end. */
    void thaw() throws Exception {
        for (SimulatedTask zombie : zombies) {
            inDoubt.addAll(zombie.undecided());
            zombie.thaw(coordinator, 0);
        }
        zombies.clear();
        frozen.forEach(SegmentRegistry::close);
        frozen.clear();
    }

    /** The job leaves its TaskManagers. */
    void leave() {
        taskManagers.forEach(SegmentRegistry::close);
    }

    /** One segment with a change set of each of these tasks, which run on one TaskManager. */
    String store(Integer... subtasks) {
        FileStateHandle segment = bucket.put("segment");
        registryOf(subtasks[0]).register(segment, subtasks.length);
        Arrays.stream(subtasks).forEach(subtask -> tasks.get(subtask).append(segment));
        return Bucket.name(segment);
    }

    boolean runOnOneTaskManager(int subtask, int other) {
        return registryOf(subtask) == registryOf(other);
    }

    /** A checkpoint of all tasks, completed and told to all of them. */
    long checkpoint() throws Exception {
        long checkpointId = triggerAndAcknowledge();
        OptionalLong subsumed = complete(checkpointId);
        tasks.forEach(task -> task.confirmed(checkpointId, subsumed));
        return checkpointId;
    }

    long triggerAndAcknowledge() {
        long checkpointId = coordinator.trigger(tasks.size());
        for (int subtask = 0; subtask < tasks.size(); subtask++) {
            tasks.get(subtask).snapshot(checkpointId);
            while (tasks.get(subtask).hasUnacknowledged()) {
                tasks.get(subtask).acknowledge(coordinator, subtask);
            }
        }
        return checkpointId;
    }

    /** Returns what was subsumed with it. */
    OptionalLong complete(long checkpointId) throws Exception {
        return coordinator.complete(checkpointId);
    }

    Set<String> listing() {
        return bucket.listing();
    }

    /**
     * Nothing that anyone needs is missing, and nothing is there that nobody answers for. Between
     * the two are objects of checkpoints that failed: the JobManager may still hold them, or a
     * TaskManager that does not know better.
     */
    void checkBucket(String when) {
        Set<String> needed = needed();
        Set<String> accountedFor = new TreeSet<>(needed);
        accountedFor.addAll(coordinator.held());
        accountedFor.addAll(coordinator.forgotten());
        accountedFor.addAll(inDoubt);
        tasks.forEach(task -> accountedFor.addAll(task.undecided()));
        zombies.forEach(task -> accountedFor.addAll(task.undecided()));
        assertThat(listing()).as(when).containsAll(needed).isSubsetOf(accountedFor);
    }

    /** What some task or some checkpoint, retained or pending, refers to. */
    Set<String> needed() {
        Set<String> needed = coordinator.needed();
        tasks.forEach(task -> needed.addAll(task.needed(coordinator)));
        return needed;
    }

    List<Integer> subtasks() {
        return IntStream.range(0, tasks.size()).boxed().collect(toList());
    }

    private SegmentRegistry registryOf(int subtask) {
        return taskManagers.get(subtask % taskManagers.size());
    }

    private static KeyGroupRange keyGroups(int subtask, int parallelism) {
        int perTask = SimulatedCoordinator.MAX_PARALLELISM / parallelism;
        int last =
                subtask == parallelism - 1
                        ? SimulatedCoordinator.MAX_PARALLELISM - 1
                        : (subtask + 1) * perTask - 1;
        return KeyGroupRange.of(subtask * perTask, last);
    }
}
