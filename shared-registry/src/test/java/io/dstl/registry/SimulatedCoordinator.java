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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.RestoreMode;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.CheckpointsCleaner;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.DefaultCompletedCheckpointStore;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.persistence.IntegerResourceVersion;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.util.concurrent.Executors;

/**
 * The JobManager's side of checkpoints, with Flink's own completed-checkpoint store and {@link
 * SharedStateRegistryImpl}. Only the coordinator is played: it registers what each acknowledgement
 * refers to at once, and drops the lower pending checkpoints when one completes.
 */
final class SimulatedCoordinator {

    static final int MAX_PARALLELISM = 12;

    private final JobID job = new JobID();
    private final OperatorID operator = new OperatorID();
    private final int retained;
    private final RestoreMode mode;
    private final HighAvailabilityStore ha = new HighAvailabilityStore();

    /** Of the leader. */
    private DefaultCompletedCheckpointStore<IntegerResourceVersion> store;

    private final NavigableMap<Long, List<KeyedStateHandle>> pending = new TreeMap<>();

    /** What the shared registry has been told of, by checkpoint: all that it may still hold. */
    private final NavigableMap<Long, Set<String>> acknowledged = new TreeMap<>();

    private long checkpointsSoFar;

    /** What nobody may answer for any more, as the leader that knew it is gone. */
    private final Set<String> forgotten = new TreeSet<>();

    /**
     * The highest checkpoint that a leader found: what is not its own up to there it never deletes.
     */
    private OptionalLong recovered = OptionalLong.empty();

    /** The lowest checkpoint that the leaders have kept: what is below in the store is broken. */
    private long lowest;

    /**
     * @param mode how a new leader takes the checkpoints that it recovers: as its own, or not
     */
    SimulatedCoordinator(int retained, RestoreMode mode) {
        this.retained = retained;
        this.mode = mode;
        lead();
    }

    private void lead() {
        List<CompletedCheckpoint> recovered = ha.checkpoints();
        store =
                new DefaultCompletedCheckpointStore<>(
                        retained,
                        ha,
                        ha,
                        recovered,
                        SharedStateRegistry.DEFAULT_FACTORY.create(
                                Executors.directExecutor(), recovered, mode),
                        Executors.directExecutor());
    }

    /** Another one leads from now on, and knows what the high-availability store holds. */
    void failOver() {
        forgotten.addAll(held());
        pending.clear();
        acknowledged.clear();
        lead();
        ha.checkpoints().forEach(checkpoint -> addAll(handles(checkpoint), forgotten));
        recovered = ha.checkpoints().stream().mapToLong(CompletedCheckpoint::getCheckpointID).max();
    }

    /** Objects that may stay for ever, as a leader forgot them. */
    Set<String> forgotten() {
        return forgotten;
    }

    long trigger(int parallelism) {
        long checkpointId = ++checkpointsSoFar;
        pending.put(checkpointId, new ArrayList<>(Collections.nCopies(parallelism, null)));
        return checkpointId;
    }

    void acknowledge(long checkpointId, int subtask, KeyedStateHandle handle) {
        acknowledged
                .computeIfAbsent(checkpointId, id -> new TreeSet<>())
                .addAll(Bucket.objectsOf(handle));
        if (recovered.isPresent() && checkpointId <= recovered.getAsLong()) {
            forgotten.addAll(Bucket.objectsOf(handle));
        }
        subtaskState(handle).registerSharedStates(store.getSharedStateRegistry(), checkpointId);
        if (pending.containsKey(checkpointId)) {
            pending.get(checkpointId).set(subtask, handle);
        }
    }

    /** The acknowledgement of a task that has nothing to list. */
    void acknowledgeEmpty(long checkpointId, int subtask, KeyGroupRange keyGroups) {
        acknowledge(
                checkpointId,
                subtask,
                new ChangelogStateBackendHandleImpl(
                        Collections.emptyList(),
                        Collections.emptyList(),
                        keyGroups,
                        checkpointId,
                        0,
                        0));
    }

    boolean isPending(long checkpointId) {
        return pending.containsKey(checkpointId);
    }

    List<Long> pending() {
        return new ArrayList<>(pending.keySet());
    }

    boolean isFullyAcknowledged(long checkpointId) {
        return pending.get(checkpointId).stream().allMatch(Objects::nonNull);
    }

    /** The store takes it, and the leader does not know: it reports a failure. */
    void completeInDoubt(long checkpointId) {
        ha.loseNextAnswer();
        assertThatThrownBy(() -> complete(checkpointId))
                .hasRootCauseMessage(HighAvailabilityStore.LOST);
    }

    /**
     * @return the highest that was subsumed
     */
    OptionalLong complete(long checkpointId) throws Exception {
        List<KeyedStateHandle> handles = pending.remove(checkpointId);
        OperatorState state = new OperatorState(operator, handles.size(), MAX_PARALLELISM);
        for (int subtask = 0; subtask < handles.size(); subtask++) {
            state.putState(subtask, subtaskState(handles.get(subtask)));
        }
        CompletedCheckpoint checkpoint =
                new CompletedCheckpoint(
                        job,
                        checkpointId,
                        0,
                        0,
                        Collections.singletonMap(operator, state),
                        Collections.emptyList(),
                        CheckpointProperties.forCheckpoint(
                                CheckpointRetentionPolicy.NEVER_RETAIN_AFTER_TERMINATION),
                        new InMemoryLocation(checkpointId),
                        null);
        CompletedCheckpoint subsumed =
                store.addCheckpointAndSubsumeOldestOne(
                        checkpoint, new CheckpointsCleaner(), () -> {});
        store.getSharedStateRegistry().checkpointCompleted(checkpointId);
        pending.headMap(checkpointId).clear();
        lowest = Math.max(lowest, store.getAllCheckpoints().get(0).getCheckpointID());
        acknowledged.headMap(lowest).clear();
        return subsumed == null
                ? OptionalLong.empty()
                : OptionalLong.of(subsumed.getCheckpointID());
    }

    void abort(long checkpointId) {
        pending.remove(checkpointId);
    }

    /** Whether a new leader would find a checkpoint. */
    boolean isRecoverable() {
        return !ha.checkpoints().isEmpty();
    }

    OptionalLong latest() {
        return store.getAllCheckpoints().stream()
                .mapToLong(CompletedCheckpoint::getCheckpointID)
                .max();
    }

    List<ChangelogStateBackendHandle> latestState() throws Exception {
        return handles(store.getLatestCheckpoint()).stream()
                .map(ChangelogStateBackendHandle.class::cast)
                .collect(toList());
    }

    /**
     * What a restore may need, by this leader or the next, now or once a pending checkpoint has
     * completed. Not what is below the lowest that a leader has kept: it deletes that itself.
     */
    Set<String> needed() {
        Set<String> needed = new TreeSet<>();
        ha.checkpoints().stream()
                .filter(checkpoint -> checkpoint.getCheckpointID() >= lowest)
                .forEach(checkpoint -> addAll(handles(checkpoint), needed));
        pending.values().forEach(handles -> addAll(handles, needed));
        return needed;
    }

    /** All that the shared registry may hold: also what was acknowledged in vain. */
    Set<String> held() {
        Set<String> held = needed();
        acknowledged.values().forEach(held::addAll);
        return held;
    }

    private static void addAll(Collection<KeyedStateHandle> handles, Set<String> objects) {
        handles.stream()
                .filter(Objects::nonNull)
                .forEach(handle -> objects.addAll(Bucket.objectsOf(handle)));
    }

    private static List<KeyedStateHandle> handles(CompletedCheckpoint checkpoint) {
        return checkpoint.getOperatorStates().values().stream()
                .flatMap(state -> state.getStates().stream())
                .flatMap(subtask -> subtask.getManagedKeyedState().stream())
                .collect(toList());
    }

    private static OperatorSubtaskState subtaskState(KeyedStateHandle handle) {
        return OperatorSubtaskState.builder().setManagedKeyedState(handle).build();
    }

    /** Metadata that lives outside of the bucket. */
    private static final class InMemoryLocation
            implements CompletedCheckpointStorageLocation, Serializable {

        private final long checkpointId;

        InMemoryLocation(long checkpointId) {
            this.checkpointId = checkpointId;
        }

        @Override
        public String getExternalPointer() {
            return "chk-" + checkpointId;
        }

        @Override
        public StreamStateHandle getMetadataHandle() {
            return new ByteStreamStateHandle(getExternalPointer(), new byte[0]);
        }

        @Override
        public void disposeStorageLocation() {}
    }
}
