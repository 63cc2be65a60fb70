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

import io.dstl.fs.metric.PutMetrics;
import io.dstl.fs.metric.StorageMetrics;
import io.dstl.fs.option.DstlOptions;
import io.dstl.fs.option.DstlSettings;
import io.dstl.fs.option.RetrySettings;
import io.dstl.fs.store.Naming;
import io.dstl.fs.store.PutChain;
import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * Tasks of one job on one TaskManager and a JobManager with Flink's own registry, over all that a
 * put goes through, a {@link SimulatedStore}, and time and threads that move at random. Up to three
 * checkpoints are in flight at a time; one is retained. With an even seed a put replaces objects,
 * with an odd one a name is written once.
 */
public final class Simulation {

    private static final int TASKS = 3;
    private static final int IN_FLIGHT = 3;

    /** That the store goes on with at a time. */
    private static final int REQUESTS = 6;

    /** Until all is stored that waits for it. */
    private static final int SECONDS = 20;

    /** The same over a slow link. */
    private static final int SLOW_SECONDS = 1000;

    private final Random random;
    private final ManualTimer timer = new ManualTimer();
    private final SimulatedStore store;
    private final RandomExecutor cleanups;
    private final LogHarness harness;
    private final SharedStateRegistry jobManager = new SharedStateRegistryImpl();
    private final List<SimulatedTask> tasks = new ArrayList<>();

    /** Checkpoints in flight, by id: the answers of the tasks, by the number of the task. */
    private final TreeMap<Long, Map<Integer, SimulatedTask.Answer>> pending = new TreeMap<>();

    private final Map<Long, Set<Integer>> acknowledged = new TreeMap<>();
    private Map<Integer, SimulatedTask.Answer> retained = new TreeMap<>();
    private long checkpoints;
    private int completed;

    public Simulation(long seed) {
        this.random = new Random(seed);
        this.store =
                new SimulatedStore(
                        random, timer, seed % 2 == 0 ? Naming.REPLACES : Naming.WRITE_ONCE);
        this.cleanups = new RandomExecutor(random);
        MetricGroup metrics = new UnregisteredMetricsGroup();
        this.harness =
                new LogHarness(
                        PutChain.over(
                                store,
                                retries(),
                                new PutChain.Sources(
                                        timer::nanos,
                                        new CountedNames("further-"),
                                        random::nextDouble,
                                        timer,
                                        cleanups),
                                new StorageMetrics(metrics),
                                new PutMetrics(metrics)),
                        timer);
        for (int i = 0; i < TASKS; i++) {
            tasks.add(new SimulatedTask(harness.createLog(), random));
        }
    }

    private static RetrySettings retries() {
        Configuration config = new Configuration();
        config.set(DstlOptions.BASE_PATH, "file:///unused");
        config.set(DstlOptions.RETRY_MAX_ATTEMPTS, 2);
        config.set(DstlOptions.RETRY_DELAY_AFTER_FAILURE, Duration.ofMillis(200));
        config.set(DstlOptions.HEDGE_MAX_SHARE, 0.5);
        return DstlSettings.from(config).retry();
    }

    public int completedCheckpoints() {
        return completed;
    }

    public int failedRequests() {
        return store.faults();
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
            timer.advance(Duration.ofMillis(random.nextInt(400)));
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
    private void otherwise() {
        store.changeWeather();
        cleanups.runOne();
        if (random.nextInt(10) == 0 && !pending.isEmpty()) {
            abort(pending.firstKey());
        }
    }

    private void trigger() {
        if (pending.size() < IN_FLIGHT) {
            checkpoints++;
            pending.put(checkpoints, new TreeMap<>());
            acknowledged.put(checkpoints, new TreeSet<>());
        }
    }

    /** The lowest that this task has not seen: barriers don't overtake each other. */
    private void deliverBarrier(int task) {
        for (Map.Entry<Long, Map<Integer, SimulatedTask.Answer>> checkpoint : pending.entrySet()) {
            if (!checkpoint.getValue().containsKey(task)) {
                checkpoint.getValue().put(task, tasks.get(task).barrier(checkpoint.getKey()));
                return;
            }
        }
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
        for (Map.Entry<Integer, SimulatedTask.Answer> answer : answers.entrySet()) {
            if (answer.getValue().persist.isCompletedExceptionally()) {
                abort(checkpointId);
                return;
            }
            if (answer.getValue().persist.isDone()
                    && acknowledged.get(checkpointId).add(answer.getKey())) {
                handle(answer.getValue()).registerSharedStates(jobManager, checkpointId);
            }
        }
        if (acknowledged.get(checkpointId).size() == TASKS) {
            complete(checkpointId, answers);
        }
    }

    private void abort(long checkpointId) {
        pending.remove(checkpointId);
        tasks.forEach(task -> task.notifyLater(false, checkpointId));
    }

    private void complete(long checkpointId, Map<Integer, SimulatedTask.Answer> answers)
            throws Exception {
        for (long subsumed : new ArrayList<>(pending.headMap(checkpointId).keySet())) {
            abort(subsumed);
        }
        pending.remove(checkpointId);
        retained = answers;
        jobManager.unregisterUnusedState(checkpointId);
        tasks.forEach(task -> task.notifyLater(true, checkpointId));
        completed++;
        checkRetained();
    }

    /** No acknowledged change is missing, and no referenced object deleted. */
    private void checkRetained() throws Exception {
        for (SimulatedTask.Answer answer : retained.values()) {
            assertThat(harness.read(handle(answer))).isEqualTo(answer.expected);
        }
    }

    /** Lets everything settle, completes one last checkpoint, and closes all logs. */
    public void end() throws Exception {
        boolean slow = random.nextBoolean();
        store.calmDown(slow);
        settle(slow ? SLOW_SECONDS : SECONDS);
        checkNobodyWaits();
        store.calmDown(false);
        settle();
        for (long checkpointId : new ArrayList<>(pending.keySet())) {
            abort(checkpointId);
        }
        int before = completed;
        for (int round = 0; completed == before; round++) {
            assertThat(round).as("rounds until a checkpoint completes").isLessThan(200);
            trigger();
            for (int task = 0; task < TASKS; task++) {
                deliverBarrier(task);
            }
            settle();
            acknowledge();
        }
        settle();
        checkRetained();
        tasks.forEach(SimulatedTask::close);
        settle();
        settleDeletions();
        checkRetained();
        checkNothingLeftBehind();
        assertThat(harness.inFlight.bytes()).isZero();
        assertThat(harness.batcher.size()).isZero();
        harness.registry.close();
        harness.deletions.close();
        checkNothingLeftBehind();
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
            cleanups.runAll();
            timer.advance(Duration.ofSeconds(1));
        }
        tasks.forEach(SimulatedTask::takeAllNotifications);
    }

    /** As long as a deletion is tried again, or a stray request waited for. */
    private void settleDeletions() {
        for (int i = 0; i < 60; i++) {
            cleanups.runAll();
            timer.advance(Duration.ofSeconds(10));
        }
        cleanups.runAll();
    }

    private Set<String> referenced() {
        return retained.values().stream()
                .flatMap(answer -> handle(answer).getHandlesAndOffsets().stream())
                .map(location -> ((FileStateHandle) location.f0).getFilePath().getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * But for what a request brought back after the JobManager, which waits for none, deleted it.
     */
    private void checkNothingLeftBehind() {
        Set<String> left = store.names();
        left.removeAll(store.maybeBroughtBack());
        assertThat(left).isEqualTo(referenced());
    }

    private static ChangelogStateHandleStreamImpl handle(SimulatedTask.Answer answer) {
        return answer.persist.join().getJobManagerOwnedSnapshot();
    }
}
