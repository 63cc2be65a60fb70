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

import static io.dstl.changelog.testing.Awaiting.await;
import static io.dstl.changelog.testing.Awaiting.awaitSettled;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.testing.FlinkMembers;
import io.dstl.changelog.testing.KeyedTask;
import io.dstl.testkit.PathsBelow;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RunnableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.CheckpointsCleaner;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.checkpoint.StandaloneCompletedCheckpointStore;
import org.apache.flink.runtime.checkpoint.StateAssignmentOperation;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.TestLocalRecoveryConfig;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.testutils.TestCompletedCheckpointStorageLocation;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.concurrent.Executors;

/**
 * A job of one keyed operator on one TaskManager, with the JobManager's real {@code
 * SharedStateRegistry} and completed-checkpoint store, the real storage on local files, and no
 * network between them.
 */
final class TestJob implements AutoCloseable {
    static final int MAX_PARALLELISM = 16;

    /** Deletion has a thread of its own; how long it may take is no matter of these tests. */
    private static final Duration DELETION = Duration.ofMinutes(1);

    /** Those of a storage that write files or delete them. */
    private static final Pattern WRITER = Pattern.compile("dstl-(upload|discard|backup)-.*");

    private final Set<Thread> writersBefore = writers();
    private final JobID id = new JobID();
    private final OperatorID operator = new OperatorID();
    private final StateBackend delegate;
    private final Path logRoot;
    private final Path checkpointRoot;
    private final CheckpointStorageAccess checkpointStorage;
    private final StateChangelogStorage<?> storage;
    private final StandaloneCompletedCheckpointStore store = FlinkMembers.claimingStore();
    private final CheckpointsCleaner cleaner = new CheckpointsCleaner();
    private final TriggeredSnapshots triggered = new TriggeredSnapshots();
    private final Map<Long, OperatorState> acknowledged = new TreeMap<>();
    private final Configuration options = new Configuration();
    private final Set<String> absent = new TreeSet<>();

    /** With the last completed checkpoint. */
    private OptionalLong subsumed = OptionalLong.empty();

    private List<TestSubtask> subtasks = Collections.emptyList();
    private int planned;
    private Optional<TestLocalDisk> disk = Optional.empty();
    private Executor uploads = Executors.directExecutor();
    private Optional<StateChangelogStorageView<?>> view = Optional.empty();

    /** A batch goes when all subtasks have handed in, however slow the machine is. */
    TestJob(StateBackend delegate, Path directory) throws IOException {
        this(delegate, directory, Duration.ofHours(1));
    }

    /**
     * @param persistDelay after which a batch goes, whoever is missing
     */
    TestJob(StateBackend delegate, Path directory, Duration persistDelay) throws IOException {
        this.delegate = delegate;
        this.logRoot = directory.resolve("log");
        this.checkpointRoot = directory.resolve("checkpoints");
        this.checkpointStorage = KeyedTask.checkpointStorage(id, checkpointRoot);
        Configuration configuration = KeyedTask.logIn(logRoot);
        configuration.setString("state.changelog.dstl.dfs.upload.next-attempt-delay", "1 ms");
        configuration.setString(
                "state.changelog.dstl.dfs.batch.persist-delay", persistDelay.toMillis() + " ms");
        this.storage = KeyedTask.logStorage(id, configuration);
    }

    /** From the next start these run what is asynchronous, otherwise whoever waits for it. */
    void runOn(Executor asynchronousSnapshots, Executor materializations) {
        triggered.runOn(asynchronousSnapshots);
        uploads = materializations;
    }

    Executor uploads() {
        return uploads;
    }

    /** From their next start the subtasks don't have it: a state, or mails that are delivered. */
    void leaveOut(String what) {
        absent.add(what);
    }

    boolean has(String what) {
        return !absent.contains(what);
    }

    Configuration options() {
        return options;
    }

    /** Local recovery is on, from the next start of the subtasks. */
    TestLocalDisk recoverLocally(Path root) {
        TestLocalDisk used = new TestLocalDisk(root, id, operator);
        disk = Optional.of(used);
        return used;
    }

    /** Restored logs are read through this, from the next start of the subtasks. */
    void readThrough(StateChangelogStorageView<?> reading) {
        view = Optional.of(reading);
    }

    Optional<StateChangelogStorageView<?>> view() {
        return view;
    }

    JobID id() {
        return id;
    }

    OperatorID operator() {
        return operator;
    }

    CheckpointStorageAccess checkpointStorage() {
        return checkpointStorage;
    }

    List<TestSubtask> subtasks() {
        return subtasks;
    }

    /** Starts the subtasks from the last completed checkpoint, if there is one. */
    void start(int parallelism) throws Exception {
        disk.ifPresent(used -> used.leave(parallelism));
        planned = parallelism;
        List<TestSubtask> started = new ArrayList<>();
        for (KeyGroupRange keyGroups :
                StateAssignmentOperation.createKeyGroupPartitions(MAX_PARALLELISM, parallelism)) {
            started.add(start(started.size(), keyGroups));
        }
        subtasks = started;
    }

    /** One more attempt of a subtask; the job knows nothing of it. */
    TestSubtask start(int index, KeyGroupRange keyGroups) throws Exception {
        return new TestSubtask(
                this,
                delegate,
                storage,
                keyGroups,
                alternatives(index, restored(index, keyGroups)),
                disk.map(used -> used.config(index)).orElseGet(TestLocalRecoveryConfig::disabled));
    }

    private List<? extends Collection<KeyedStateHandle>> alternatives(
            int index, Collection<KeyedStateHandle> remote) {
        if (disk.isEmpty() || remote.isEmpty()) {
            return List.of(remote);
        }
        return disk.get()
                .alternatives(
                        index,
                        store.getAllCheckpoints().get(0).getCheckpointID(),
                        OperatorSubtaskState.builder()
                                .setManagedKeyedState(new StateObjectCollection<>(remote))
                                .build());
    }

    private Collection<KeyedStateHandle> restored(int index, KeyGroupRange keyGroups) {
        if (store.getAllCheckpoints().isEmpty()) {
            return new ArrayList<>();
        }
        OperatorState last = store.getAllCheckpoints().get(0).getOperatorStates().get(operator);
        return sent(
                new ArrayList<>(
                        last.getParallelism() == planned
                                ? last.getState(index).getManagedKeyedState()
                                : StateAssignmentOperation.getManagedKeyedStateHandles(
                                        last, keyGroups)));
    }

    /** What arrives of it on the other side of a remote procedure call. */
    private static <T extends Serializable> T sent(T object) {
        try {
            return InstantiationUtil.clone(object);
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends the subtasks, as a failure or a cancellation does. */
    void stop() throws Exception {
        for (TestSubtask subtask : subtasks) {
            subtask.end();
        }
        subtasks = Collections.emptyList();
    }

    TestSubtask ownerOf(int key) {
        return subtasks.stream().filter(s -> s.owns(key)).findAny().orElseThrow();
    }

    void put(int firstKey, int lastKey, String value) throws Exception {
        for (int key = firstKey; key <= lastKey; key++) {
            ownerOf(key).put(key, value);
        }
    }

    Map<Integer, String> read(int firstKey, int lastKey) throws Exception {
        Map<Integer, String> read = new TreeMap<>();
        for (int key = firstKey; key <= lastKey; key++) {
            read.put(key, ownerOf(key).read(key));
        }
        return read;
    }

    void materialize() {
        subtasks.forEach(TestSubtask::materialize);
    }

    /** A checkpoint from its trigger to the notification that it is complete. */
    void checkpoint(long checkpointId) throws Exception {
        checkpoint(checkpointId, CheckpointType.CHECKPOINT);
    }

    void checkpoint(long checkpointId, SnapshotType type) throws Exception {
        acknowledge(checkpointId, type);
        completeAndNotify(checkpointId);
    }

    /** Checkpoints of one attempt, which is over, each with another value of keys 1 to the last. */
    void writeALog(int parallelism, int lastKey, int checkpoints) throws Exception {
        start(parallelism);
        for (long checkpoint = 1; checkpoint <= checkpoints; checkpoint++) {
            put(1, lastKey, "v" + checkpoint);
            checkpoint(checkpoint);
        }
        stop();
    }

    void completeAndNotify(long checkpointId) throws Exception {
        complete(checkpointId);
        notifyComplete(checkpointId);
    }

    /** Up to the last acknowledgement: the JobManager knows the state, the tasks nothing yet. */
    void acknowledge(long checkpointId, SnapshotType type) throws Exception {
        trigger(checkpointId, type);
        acknowledge(checkpointId);
    }

    /** Barriers pass all subtasks, and nothing else happens yet. */
    void trigger(long checkpointId, SnapshotType type) throws Exception {
        triggered.add(checkpointId, type, subtasks);
    }

    /** What the barriers began is finished, and sent to the JobManager. */
    void acknowledge(long checkpointId) throws Exception {
        List<RunnableFuture<SnapshotResult<KeyedStateHandle>>> snapshots =
                triggered.take(checkpointId);
        OperatorState state =
                FlinkMembers.operatorState(operator, subtasks.size(), MAX_PARALLELISM);
        for (int i = 0; i < snapshots.size(); i++) {
            SnapshotResult<KeyedStateHandle> result = TestSubtask.finish(snapshots.get(i));
            int index = i;
            disk.ifPresent(
                    used -> used.keep(index, checkpointId, sent(result.getTaskLocalSnapshot())));
            KeyedStateHandle handle = result.getJobManagerOwnedSnapshot();
            OperatorSubtaskState.Builder subtask = OperatorSubtaskState.builder();
            if (handle != null) {
                subtask.setManagedKeyedState(sent(handle));
            }
            state.putState(i, subtask.build());
        }
        state.registerSharedStates(store.getSharedStateRegistry(), checkpointId);
        acknowledged.put(checkpointId, state);
    }

    /** From here on the subtasks' mailboxes keep what is posted. */
    void holdMails() {
        subtasks.forEach(subtask -> subtask.mailbox().hold());
    }

    void deliverMails() throws Exception {
        for (TestSubtask subtask : subtasks) {
            subtask.mailbox().deliver();
        }
    }

    /** The JobManager completes the checkpoint and subsumes the one before. */
    void complete(long checkpointId) throws Exception {
        CompletedCheckpoint oldest =
                store.addCheckpointAndSubsumeOldestOne(
                        new CompletedCheckpoint(
                                id,
                                checkpointId,
                                checkpointId,
                                checkpointId,
                                Map.of(operator, acknowledged.get(checkpointId)),
                                Collections.emptyList(),
                                CheckpointProperties.forCheckpoint(
                                        CheckpointRetentionPolicy.NEVER_RETAIN_AFTER_TERMINATION),
                                new TestCompletedCheckpointStorageLocation(),
                                null),
                        cleaner,
                        () -> {});
        subsumed =
                oldest == null ? OptionalLong.empty() : OptionalLong.of(oldest.getCheckpointID());
        store.getSharedStateRegistry().checkpointCompleted(checkpointId);
    }

    void notifyComplete(long checkpointId) throws Exception {
        for (TestSubtask subtask : subtasks) {
            subtask.complete(checkpointId);
            subsumed.ifPresent(subtask::subsume);
        }
        disk.ifPresent(used -> used.complete(checkpointId));
    }

    void notifyAborted(long checkpointId) {
        subtasks.forEach(subtask -> subtask.abort(checkpointId));
        disk.ifPresent(used -> used.abort(checkpointId));
    }

    /** The snapshots that the barriers of this checkpoint began are given up, as Flink does. */
    void cancelSnapshots(long checkpointId) {
        triggered.cancel(checkpointId);
    }

    /** Names of the segments that the given acknowledged checkpoint refers to. */
    Set<String> segmentsOf(long checkpointId) {
        return segments(acknowledged.get(checkpointId).getStates());
    }

    List<Set<String>> segmentsPerSubtask(long checkpointId) {
        return acknowledged.get(checkpointId).getStates().stream()
                .map(state -> segments(List.of(state)))
                .collect(Collectors.toList());
    }

    /** Names of the task-owned files that the given acknowledged checkpoint refers to. */
    Set<String> materializedFilesOf(long checkpointId) {
        Set<String> names = new TreeSet<>();
        handles(acknowledged.get(checkpointId).getStates())
                .flatMap(handle -> handle.getMaterializedStateHandles().stream())
                .forEach(handle -> streams(handle).forEach(stream -> add(stream, names)));
        return names;
    }

    private static Set<String> segments(Collection<OperatorSubtaskState> states) {
        Set<String> names = new TreeSet<>();
        handles(states)
                .flatMap(handle -> handle.getNonMaterializedStateHandles().stream())
                .forEach(log -> streams(log).forEach(stream -> add(stream, names)));
        return names;
    }

    private static Stream<ChangelogStateBackendHandle> handles(
            Collection<OperatorSubtaskState> states) {
        return states.stream()
                .flatMap(state -> state.getManagedKeyedState().stream())
                .map(ChangelogStateBackendHandle.class::cast);
    }

    private static Stream<StreamStateHandle> streams(ChangelogStateHandle log) {
        return ((ChangelogStateHandleStreamImpl) log)
                .getHandlesAndOffsets().stream().map(part -> part.f0);
    }

    private static Stream<StreamStateHandle> streams(KeyedStateHandle materialized) {
        if (materialized instanceof IncrementalRemoteKeyedStateHandle) {
            IncrementalRemoteKeyedStateHandle incremental =
                    (IncrementalRemoteKeyedStateHandle) materialized;
            return Stream.concat(
                    Stream.of(incremental.getMetaDataStateHandle()),
                    Stream.concat(
                                    incremental.getSharedState().stream(),
                                    incremental.getPrivateState().stream())
                            .map(file -> file.getHandle()));
        }
        return Stream.of(((KeyGroupsStateHandle) materialized).getDelegateStateHandle());
    }

    /** Small files are part of the metadata and none of their own. */
    private static void add(StreamStateHandle handle, Set<String> names) {
        if (handle instanceof FileStateHandle) {
            names.add(((FileStateHandle) handle).getFilePath().getName());
        }
    }

    Set<String> storedSegments() {
        return files(logRoot);
    }

    Set<String> storedMaterializedFiles() {
        return files(checkpointRoot);
    }

    private static Set<String> files(Path root) {
        if (!Files.exists(root)) {
            return Collections.emptySet();
        }
        try {
            return PathsBelow.files(root).stream()
                    .map(file -> file.getFileName().toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of all segments ever stored there are those that the checkpoint refers to, and no other. */
    void assertStoredIsReferenced(long lastCheckpointId) {
        awaitSettled()
                .atMost(DELETION)
                .untilAsserted(
                        () -> {
                            assertThat(storedSegments())
                                    .as("segments in the store")
                                    .isEqualTo(segmentsOf(lastCheckpointId));
                            assertThat(storedMaterializedFiles())
                                    .as("materialized files in the store")
                                    .isEqualTo(materializedFilesOf(lastCheckpointId));
                        });
    }

    @Override
    public void close() throws Exception {
        stop();
        storage.close();
        // An attempt that is under way would write into a directory that is being deleted.
        await().atMost(DELETION).until(() -> writers().stream().allMatch(writersBefore::contains));
    }

    private static Set<Thread> writers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> WRITER.matcher(thread.getName()).matches())
                .collect(Collectors.toSet());
    }
}
