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
package io.dstl.changelog.keyed;

import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.STRINGS;

import io.dstl.changelog.testing.FlinkMembers;
import io.dstl.changelog.testing.Gauges;
import io.dstl.changelog.testing.KeyedTask;
import io.dstl.materializer.LogSize;
import io.dstl.testkit.ManualMailbox;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDbMemory;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.testutils.OneShotLatch;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.executiongraph.ExecutionGraphTestUtils;
import org.apache.flink.runtime.metrics.TimerGauge;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.TestTaskStateManager;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.runtime.taskmanager.TestCheckpointResponder;
import org.apache.flink.streaming.api.operators.BackendRestorerProcedure;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.util.concurrent.Executors;

/**
 * One keyed subtask with a backend of ours: a last value, a list of all values, and a timer for
 * each key, as far as the job has them.
 */
final class TestSubtask {
    private static final int MAX_STATE_BYTES = 5 << 20;

    /**
     * So much that RocksDB never flushes for want of it. With less than some blocks of a memtable
     * (8 MB each) it does after a few entries, now and then: how many fit into the first 2 KB is
     * drawn, as are the heights of a skip list.
     */
    private static final int MANAGED_MEMORY = 256 << 20;

    private final ManualPolicy policy = new ManualPolicy();
    private final ManualMailbox mailbox = ManualMailbox.direct();
    private final Gauges gauges = new Gauges();
    private final MockEnvironment env;
    private final LoggedKeyedStateBackend<Integer> backend;
    private final ValueState<String> last;
    private final Optional<ListState<String>> all;
    private final Optional<
                    KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>>
            timers;

    TestSubtask(
            TestJob job,
            StateBackend delegate,
            StateChangelogStorage<?> storage,
            KeyGroupRange keyGroups,
            List<? extends Collection<KeyedStateHandle>> alternatives,
            LocalRecoveryConfig local)
            throws Exception {
        env = environment(job, storage, local);
        if (!job.has("mails")) {
            mailbox.hold();
        }
        backend =
                new BackendRestorerProcedure<LoggedKeyedStateBackend<Integer>, KeyedStateHandle>(
                                restored -> build(job, delegate, env, keyGroups, restored),
                                new CloseableRegistry(),
                                "a test's backend")
                        .createAndRestore(
                                alternatives, StateObject.StateObjectSizeStatsCollector.create());
        last = KeyedTask.state(backend, new ValueStateDescriptor<>("last", STRINGS));
        all = job.has("all") ? Optional.of(createList()) : Optional.empty();
        timers = job.has("timers") ? Optional.of(queue("timers")) : Optional.empty();
    }

    private ListState<String> createList() throws Exception {
        return KeyedTask.state(backend, new ListStateDescriptor<>("all", STRINGS));
    }

    /** One more queue of timers, or one of its own again. */
    KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> queue(
            String name) {
        return queue(name, new TimerSerializer<>(INTS, VoidNamespaceSerializer.INSTANCE));
    }

    <N> KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, N>> queue(
            String name, TimerSerializer<Integer, N> elements) {
        return backend.create(name, elements);
    }

    private MockEnvironment environment(
            TestJob job, StateChangelogStorage<?> storage, LocalRecoveryConfig local) {
        MockEnvironment env =
                new MockEnvironmentBuilder()
                        .setJobID(job.id())
                        .setMaxParallelism(TestJob.MAX_PARALLELISM)
                        .setManagedMemorySize(MANAGED_MEMORY)
                        .setTaskStateManager(stateManager(job, storage, local))
                        .build();
        env.getJobConfiguration().addAll(job.options());
        env.setMainMailboxExecutor(mailbox);
        env.setAsyncOperationsThreadPool(Executors.newDirectExecutorService());
        env.setCheckpointStorageAccess(job.checkpointStorage());
        return env;
    }

    private static TestTaskStateManager stateManager(
            TestJob job, StateChangelogStorage<?> storage, LocalRecoveryConfig local) {
        return new TestTaskStateManager(
                job.id(),
                ExecutionGraphTestUtils.createExecutionAttemptId(),
                new TestCheckpointResponder(),
                local,
                storage,
                Map.of(),
                -1L,
                new OneShotLatch()) {
            @Override
            public StateChangelogStorageView<?> getStateChangelogStorageView(
                    Configuration configuration, ChangelogStateHandle log) {
                return job.view().isPresent()
                        ? job.view().get()
                        : super.getStateChangelogStorageView(configuration, log);
            }
        };
    }

    private LoggedKeyedStateBackend<Integer> build(
            TestJob job,
            StateBackend delegate,
            MockEnvironment env,
            KeyGroupRange keyGroups,
            Collection<KeyedStateHandle> restored)
            throws Exception {
        return policy.backend(
                delegate,
                new KeyedTask<>(INTS)
                        .environment(env)
                        .operator(job.operator().toHexString())
                        .keyGroups(TestJob.MAX_PARALLELISM, keyGroups)
                        .metrics(gauges)
                        .restored(restored)
                        .parameters(),
                job.uploads());
    }

    boolean owns(int key) {
        return backend.getKeyGroupRange()
                .contains(KeyGroupRangeAssignment.assignToKeyGroup(key, TestJob.MAX_PARALLELISM));
    }

    void put(int key, String value) throws Exception {
        backend.setCurrentKey(key);
        last.update(value);
        all.orElseThrow().add(value);
        if (timers.isPresent()) {
            addTimer(key);
        }
    }

    /** Leaves nothing of the key. */
    void remove(int key) {
        backend.setCurrentKey(key);
        last.clear();
        all.orElseThrow().clear();
        if (timers.isPresent()) {
            removeTimer(key);
        }
    }

    /** Not through a method of the state. */
    void removeFromList(int key, String value) throws Exception {
        backend.setCurrentKey(key);
        Iterator<String> values = all.orElseThrow().get().iterator();
        while (!values.next().equals(value)) {
            // Goes on to it.
        }
        values.remove();
    }

    void addTimer(int key) {
        timers.orElseThrow().add(timer(key));
    }

    /** The state of the key in words: last value, all values, whether it has its timer. */
    String read(int key) throws Exception {
        backend.setCurrentKey(key);
        return last.value()
                + " of "
                + all.orElseThrow().get()
                + (timers.isPresent() && hasTimer(key) ? " timed" : "");
    }

    private boolean hasTimer(int key) {
        int keyGroup = KeyGroupRangeAssignment.assignToKeyGroup(key, TestJob.MAX_PARALLELISM);
        return timers.orElseThrow().getSubsetForKeyGroup(keyGroup).contains(timer(key));
    }

    static TimerHeapInternalTimer<Integer, VoidNamespace> timer(int key) {
        return new TimerHeapInternalTimer<>(1_000L + key, key, VoidNamespace.INSTANCE);
    }

    void removeTimer(int key) {
        timers.orElseThrow().remove(timer(key));
    }

    int timers() {
        return timers.orElseThrow().size();
    }

    /** Of one of its states, which RocksDB has not written to a file yet. */
    long entriesInMemory() throws Exception {
        return RocksDbMemory.entries(
                (RocksDBKeyedStateBackend<?>) backend.getDelegatedKeyedStateBackend(false), "last");
    }

    /** One more state of its own, with the key as the current one. */
    <S extends State> S state(int key, StateDescriptor<S, ?> descriptor) throws Exception {
        backend.setCurrentKey(key);
        return state(descriptor);
    }

    /** One more state of its own. */
    <S extends State> S state(StateDescriptor<S, ?> descriptor) throws Exception {
        return KeyedTask.state(backend, descriptor);
    }

    /** Has one more state, or registers one of its own again. */
    <S extends State> void register(StateDescriptor<S, ?> descriptor) throws Exception {
        backend.createOrUpdateInternalState(VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    LoggedKeyedStateBackend<Integer> backend() {
        return backend;
    }

    /** Of Flink, with the backend's queues. */
    InternalTimeServiceManager<Integer> timerServices(ProcessingTimeService time) throws Exception {
        return FlinkMembers.timerServices(env.getMetricGroup(), backend, keyContext(), time);
    }

    private KeyContext keyContext() {
        return new KeyContext() {
            @Override
            public void setCurrentKey(Object key) {
                backend.setCurrentKey((Integer) key);
            }

            @Override
            public Object getCurrentKey() {
                return backend.getCurrentKey();
            }
        };
    }

    Stream<Integer> keys() {
        return backend.getKeys("last", VoidNamespace.INSTANCE);
    }

    /** From outside, which is an error of the test otherwise. */
    void expectFailure(Class<? extends Throwable> cause) {
        env.setExpectedExternalFailureCause(cause);
    }

    /** What it has been failed with from outside. */
    Optional<? extends Throwable> failure() {
        return env.getActualExternalFailureCause();
    }

    ManualMailbox mailbox() {
        return mailbox;
    }

    /** Of the completed checkpoints, as far as they have the base of the moment. */
    List<LogSize> sizes() {
        return policy.sizes();
    }

    /** The value of one of its gauges. */
    long gauge(String name) {
        return gauges.of(name);
    }

    void materialize() {
        policy.materialize();
    }

    RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(long checkpointId, SnapshotType type)
            throws Exception {
        if (SavepointType.savepoint(SavepointFormatType.CANONICAL).equals(type)) {
            return KeyedTask.canonicalSavepoint(backend, checkpointId);
        }
        return backend.snapshot(
                checkpointId,
                checkpointId,
                new MemCheckpointStreamFactory(MAX_STATE_BYTES),
                CheckpointOptions.alignedNoTimeout(
                        type,
                        CheckpointOptions.forCheckpointWithDefaultLocation().getTargetLocation()));
    }

    static SnapshotResult<KeyedStateHandle> finish(
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot)
            throws InterruptedException, ExecutionException {
        snapshot.run();
        return snapshot.get();
    }

    void complete(long checkpointId) throws Exception {
        backend.notifyCheckpointComplete(checkpointId);
    }

    void subsume(long checkpointId) {
        backend.notifyCheckpointSubsumed(checkpointId);
    }

    void letTimePass(Duration time) {
        policy.letTimePass(time);
    }

    void abort(long checkpointId) {
        backend.notifyCheckpointAborted(checkpointId);
    }

    /** As Flink measures it. */
    TimerGauge backPressured() {
        return env.getMetricGroup().getIOMetricGroup().getHardBackPressuredTimePerSecond();
    }

    /** By any thread, while the task's may be at work. */
    void cancel() throws Exception {
        backend.close();
    }

    void end() throws Exception {
        backend.close();
        backend.dispose();
    }
}
