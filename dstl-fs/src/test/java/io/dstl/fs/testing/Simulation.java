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
package io.dstl.fs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.store.SegmentStore.Naming;
import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;

/**
 * Tasks of one job on two TaskManagers and a JobManager with Flink's own registry, over all that a
 * put goes through, a {@link SimulatedStore}, and time and threads that move at random. Up to three
 * checkpoints are in flight at a time; one to three are retained. With an even seed a put replaces
 * objects, with an odd one a name is written once.
 *
 * <p>Now and then the job restarts, or one task does alone; a write to the high-availability store
 * succeeds and is reported as a failure; another JobManager takes over; a TaskManager is frozen,
 * the job goes on without it, and later it goes on as well. An acknowledgement may get lost.
 */
public final class Simulation {

    private static final int TASKS = 3;
    private static final int TASK_MANAGERS = 2;
    private static final int IN_FLIGHT = 3;

    /** That the store goes on with at a time. */
    private static final int REQUESTS = 6;

    /** Until all is stored that waits for it. */
    private static final int SECONDS = 20;

    /** The same over a slow link. */
    private static final int SLOW_SECONDS = 1000;

    private final Random random;

    /** Of the store. */
    private final ManualTimer timer = new ManualTimer();

    private final SimulatedStore store;
    private final SimulatedJobMaster jobManager;
    private final List<SimulatedTaskExecutor> taskManagers = new ArrayList<>();
    private final List<SimulatedTaskExecutor> zombies = new ArrayList<>();
    private final List<SimulatedTask> tasks = new ArrayList<>();

    /** Checkpoints in flight, by id: the answers of the tasks, by the number of the task. */
    private final TreeMap<Long, Map<Integer, SimulatedTask.Answer>> pending = new TreeMap<>();

    /** Answers that did not reach the JobManager. */
    private final Set<SimulatedTask.Answer> lost =
            Collections.newSetFromMap(new IdentityHashMap<>());

    /**
     * Of these, those before a restart. The next attempts delete what they list, unless they
     * restart in their turn before they hear of a later checkpoint, or it is stored in a frozen
     * process.
     */
    private final List<SimulatedTask.Answer> lostBeforeRestart = new ArrayList<>();

    /** Processes that the job has left, which still delete what they have begun to. */
    private final List<SimulatedTaskExecutor> left = new ArrayList<>();

    private int taskManagersSoFar;
    private boolean ending;
    private long checkpoints;
    private int completed;
    private int disasters;

    public Simulation(long seed) {
        this.random = new Random(seed);
        this.store =
                new SimulatedStore(
                        random, timer, seed % 2 == 0 ? Naming.REPLACES : Naming.WRITE_ONCE);
        this.jobManager = new SimulatedJobMaster(1 + random.nextInt(3));
        for (int i = 0; i < TASK_MANAGERS; i++) {
            taskManagers.add(createTaskManager());
        }
        startTasks();
    }

    private SimulatedTaskExecutor createTaskManager() {
        return new SimulatedTaskExecutor(taskManagersSoFar++, store, random);
    }

    private void startTasks() {
        Map.Entry<Long, List<SimulatedTask.Answer>> latest = jobManager.latest();
        for (int i = 0; i < TASKS; i++) {
            tasks.add(restored(i, latest));
        }
    }

    /**
     * @param latest null: there is none
     */
    private SimulatedTask restored(
            int task, @Nullable Map.Entry<Long, List<SimulatedTask.Answer>> latest) {
        SimulatedTaskExecutor taskManager = taskManagers.get(random.nextInt(TASK_MANAGERS));
        return latest == null
                ? taskManager.start(SimulatedTask.Answer.nothing(), OptionalLong.empty())
                : taskManager.start(latest.getValue().get(task), OptionalLong.of(latest.getKey()));
    }

    public int completedCheckpoints() {
        return completed;
    }

    public int failedRequests() {
        return store.faults();
    }

    /** Restarts, failovers, frozen processes, checkpoints in doubt. */
    public int disasters() {
        return disasters;
    }

    public void run(int steps) throws Exception {
        for (int step = 0; step < steps; step++) {
            step();
        }
    }

    private void step() throws Exception {
        int taskNumber = random.nextInt(TASKS);
        SimulatedTask task = tasks.get(taskNumber);
        int kind = random.nextInt(100);
        if (kind < 30) {
            task.append();
        } else if (kind < 36) {
            trigger();
        } else if (kind < 50) {
            deliverBarrier(taskNumber);
        } else if (kind < 64) {
            for (int request = 0; request < REQUESTS; request++) {
                store.runOne();
            }
        } else if (kind < 65) {
            otherwise();
        } else if (kind < 75) {
            pass(Duration.ofMillis(random.nextInt(400)));
        } else if (kind < 78) {
            task.materialize();
        } else if (kind < 81) {
            task.truncate();
        } else if (kind < 90) {
            task.takeNotification();
        } else {
            acknowledge();
        }
    }

    /** What happens now and then. */
    private void otherwise() throws Exception {
        store.changeWeather();
        taskManagers.forEach(SimulatedTaskExecutor::cleanUpOne);
        int kind = random.nextInt(20);
        if (kind < 2 && !pending.isEmpty()) {
            abort(pending.firstKey());
        } else if (kind < 4) {
            restart();
        } else if (kind < 6) {
            failOver();
        } else if (kind < 8) {
            freeze();
        } else if (kind < 11) {
            thaw();
        } else if (kind < 14) {
            restartRegion();
        }
    }

    private void pass(Duration time) {
        timer.advance(time);
        all().forEach(taskManager -> taskManager.pass(time));
    }

    private void trigger() {
        if (pending.size() < IN_FLIGHT) {
            checkpoints++;
            pending.put(checkpoints, new TreeMap<>());
        }
    }

    /** The lowest that this task has not seen: barriers don't overtake each other. */
    private void deliverBarrier(int task) {
        for (Map.Entry<Long, Map<Integer, SimulatedTask.Answer>> checkpoint : pending.entrySet()) {
            if (!checkpoint.getValue().containsKey(task)) {
                SimulatedTask.Answer answer = tasks.get(task).barrier(checkpoint.getKey());
                checkpoint.getValue().put(task, answer);
                if (!ending && random.nextInt(20) == 0) {
                    lost.add(answer);
                } else {
                    sendWhenStored(checkpoint.getKey(), answer);
                }
                return;
            }
        }
    }

    /** To whoever leads then, also for a checkpoint that has failed. */
    private void sendWhenStored(long checkpointId, SimulatedTask.Answer answer) {
        answer.persist.thenRun(() -> jobManager.acknowledge(checkpointId, answer));
    }

    private void acknowledge() throws Exception {
        for (long checkpointId : new ArrayList<>(pending.keySet())) {
            acknowledge(checkpointId);
        }
    }

    private void acknowledge(long checkpointId) throws Exception {
        Map<Integer, SimulatedTask.Answer> answers = pending.get(checkpointId);
        if (answers == null) {
            return;
        }
        for (SimulatedTask.Answer answer : answers.values()) {
            if (answer.persist.isCompletedExceptionally()) {
                abort(checkpointId);
                return;
            }
        }
        boolean all =
                answers.values().stream()
                        .allMatch(answer -> answer.isStored() && !lost.contains(answer));
        if (answers.size() == TASKS && all) {
            if (random.nextInt(10) == 0) {
                completeInDoubt(checkpointId, answers);
            } else {
                complete(checkpointId, answers);
            }
        }
    }

    private void abort(long checkpointId) {
        pending.remove(checkpointId);
        tasks.forEach(task -> task.abortLater(checkpointId));
    }

    /** As in Flink, each task hears of the completion before it does of what is dropped for it. */
    private void complete(long checkpointId, Map<Integer, SimulatedTask.Answer> answers)
            throws Exception {
        pending.remove(checkpointId);
        OptionalLong subsumed =
                jobManager.complete(checkpointId, new ArrayList<>(answers.values()));
        tasks.forEach(task -> task.confirmLater(checkpointId, subsumed));
        for (long lower : new ArrayList<>(pending.headMap(checkpointId).keySet())) {
            abort(lower);
        }
        completed++;
        checkRestorable();
    }

    /** The job restarts, where it tolerates no failure, or goes on. */
    private void completeInDoubt(long checkpointId, Map<Integer, SimulatedTask.Answer> answers)
            throws Exception {
        disasters++;
        jobManager.completeInDoubt(checkpointId, new ArrayList<>(answers.values()));
        abort(checkpointId);
        if (random.nextBoolean()) {
            tasks.forEach(SimulatedTask::takeAllNotifications);
            restart();
        }
    }

    /** Only from a checkpoint: a job that starts anew tells no TaskManager so. */
    private void restart() throws Exception {
        if (jobManager.latest() == null) {
            return;
        }
        disasters++;
        lostBeforeRestart.addAll(lost);
        lost.clear();
        pending.clear();
        tasks.clear();
        taskManagers.forEach(SimulatedTaskExecutor::stopTasks);
        startTasks();
        checkRestorable();
    }

    /**
     * One task fails that no other depends on: it alone is restored, and the others go on. What was
     * in flight is aborted before; they hear of that when they come to it.
     */
    private void restartRegion() throws Exception {
        Map.Entry<Long, List<SimulatedTask.Answer>> latest = jobManager.latest();
        if (latest == null) {
            return;
        }
        disasters++;
        for (long checkpointId : new ArrayList<>(pending.keySet())) {
            abort(checkpointId);
        }
        lostBeforeRestart.addAll(lost);
        lost.clear();
        int number = random.nextInt(TASKS);
        taskManagers.forEach(taskManager -> taskManager.stop(tasks.get(number)));
        tasks.set(number, restored(number, latest));
        checkRestorable();
    }

    private void failOver() throws Exception {
        if (jobManager.isRecoverable()) {
            disasters++;
            jobManager.failOver();
            restart();
        }
    }

    /** The job loses the tasks of one TaskManager, and has another one in its place. */
    private void freeze() throws Exception {
        if (jobManager.latest() == null) {
            return;
        }
        disasters++;
        int number = random.nextInt(TASK_MANAGERS);
        SimulatedTaskExecutor zombie = taskManagers.set(number, createTaskManager());
        zombie.freeze();
        zombies.add(zombie);
        restart();
    }

    /** What was frozen does for a while what it had to do, until it hears that it is not wanted. */
    private void thaw() throws Exception {
        for (SimulatedTaskExecutor zombie : zombies) {
            zombie.thaw();
            for (int i = 0; i < 10; i++) {
                for (SimulatedTask task : zombie.tasks()) {
                    task.append();
                    task.takeNotification();
                }
                store.runOne();
                Duration time = Duration.ofMillis(random.nextInt(1000));
                zombie.pass(time);
                pass(time);
            }
            zombie.stopTasks();
            left.add(zombie);
        }
        zombies.clear();
        checkRestorable();
    }

    /** No acknowledged change is missing, and no referenced object deleted. */
    private void checkRestorable() throws Exception {
        for (SimulatedTask.Answer answer : jobManager.restorable().collect(Collectors.toList())) {
            List<String> read = new ArrayList<>();
            for (ChangelogStateHandleStreamImpl handle : answer.handles()) {
                read.addAll(taskManagers.get(0).harness.read(handle));
            }
            assertThat(read).isEqualTo(answer.expected);
        }
    }

    /** Lets everything settle, completes the last checkpoints, and closes all logs. */
    public void end() throws Exception {
        ending = true;
        boolean slow = random.nextBoolean();
        store.calmDown(slow);
        thaw();
        settle(slow ? SLOW_SECONDS : SECONDS);
        checkNobodyWaits();
        store.calmDown(false);
        settle();
        for (long checkpointId : new ArrayList<>(pending.keySet())) {
            abort(checkpointId);
        }
        tasks.forEach(SimulatedTask::truncate);
        int enough = completed + jobManager.retains() + 2;
        for (int round = 0; completed < enough; round++) {
            assertThat(round).as("rounds until checkpoints complete").isLessThan(200);
            trigger();
            for (int task = 0; task < TASKS; task++) {
                deliverBarrier(task);
            }
            settle();
            acknowledge();
            for (long checkpointId : new ArrayList<>(pending.keySet())) {
                abort(checkpointId);
            }
        }
        settle();
        checkRestorable();
        boolean storing = random.nextBoolean();
        if (storing) {
            store.stirUp();
            beginToStore();
        }
        tasks.clear();
        taskManagers.forEach(SimulatedTaskExecutor::stopTasks);
        if (!storing) {
            settle();
            settleDeletions();
            checkRestorable();
            checkNothingLeftBehind();
            all().forEach(SimulatedTaskExecutor::checkHoldsNothing);
        }
        all().forEach(SimulatedTaskExecutor::leave);
        settle();
        store.calmDown(false);
        settleDeletions();
        checkRestorable();
        checkNothingLeftBehind();
    }

    /** What no checkpoint will ask for: some is stored, and some is under way. */
    private void beginToStore() throws Exception {
        for (int i = 0; i < 20; i++) {
            for (SimulatedTask task : tasks) {
                task.append();
            }
            pass(LogHarness.DELAY);
            store.runOne();
        }
    }

    /** The store is back: what was kept is sent again, without another checkpoint. */
    private void checkNobodyWaits() {
        pending.forEach(
                (checkpointId, answers) ->
                        answers.forEach(
                                (task, answer) ->
                                        assertThat(answer.persist)
                                                .as("task %d, checkpoint %d", task, checkpointId)
                                                .isDone()));
    }

    private void settle() {
        settle(SECONDS);
    }

    private void settle(int seconds) {
        for (int i = 0; i < seconds; i++) {
            store.runAll();
            all().forEach(SimulatedTaskExecutor::cleanUp);
            timer.advance(Duration.ofSeconds(1));
            all().forEach(taskManager -> taskManager.pass(Duration.ofSeconds(1)));
        }
        tasks.forEach(SimulatedTask::takeAllNotifications);
    }

    /** As long as a deletion is tried again, or a stray request waited for. */
    private void settleDeletions() {
        for (int i = 0; i < 60; i++) {
            all().forEach(SimulatedTaskExecutor::cleanUp);
            timer.advance(Duration.ofSeconds(10));
            all().forEach(taskManager -> taskManager.pass(Duration.ofSeconds(10)));
        }
        all().forEach(SimulatedTaskExecutor::cleanUp);
    }

    private List<SimulatedTaskExecutor> all() {
        List<SimulatedTaskExecutor> all = new ArrayList<>(taskManagers);
        all.addAll(left);
        return all;
    }

    /**
     * But for what a request brought back after the JobManager, which waits for none, deleted it,
     * and what a leader knew that is gone.
     */
    private void checkNothingLeftBehind() {
        Set<String> referenced =
                jobManager
                        .restorable()
                        .flatMap(SimulatedTask.Answer::segments)
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> remaining = store.names();
        assertThat(remaining).containsAll(referenced);
        remaining.removeAll(referenced);
        remaining.removeAll(store.maybeBroughtBack());
        remaining.removeAll(jobManager.forgotten());
        lostBeforeRestart.forEach(answer -> answer.segments().forEach(remaining::remove));
        assertThat(remaining).as("orphans").isEmpty();
    }
}
