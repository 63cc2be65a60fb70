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

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * One task as the registry and the JobManager see it: a log of change sets in stored segments, on
 * top of what was materialized, on top of what was restored.
 */
final class SimulatedTask {

    private final WriterId writer;
    private final KeyGroupRange keyGroups;
    private final Bucket bucket;
    private final SegmentRegistry registry;

    private final List<FileStateHandle> log = new ArrayList<>();
    private List<KeyedStateHandle> materialized = new ArrayList<>();
    private List<ChangelogStateHandle> restoredLog = new ArrayList<>();
    private long materializationId;

    /** Whether the JobManager knows of what was materialized last. */
    private boolean materializedIsListed = true;

    /** What was snapshotted and not yet acknowledged, by checkpoint. */
    private final TreeMap<Long, KeyedStateHandle> unacknowledged = new TreeMap<>();

    /** What was snapshotted for checkpoints whose outcome this task does not know. */
    private final TreeMap<Long, Set<String>> undecided = new TreeMap<>();

    private OptionalLong lastBarrier;

    SimulatedTask(
            WriterId writer,
            KeyGroupRange keyGroups,
            Bucket bucket,
            SegmentRegistry registry,
            OptionalLong restoredFrom) {
        this.writer = writer;
        this.keyGroups = keyGroups;
        this.bucket = bucket;
        this.registry = registry;
        this.lastBarrier = restoredFrom;
        registry.openWriter(writer);
        restoredFrom.ifPresent(checkpointId -> registry.restored(writer, checkpointId));
    }

    boolean runsOn(SegmentRegistry taskManager) {
        return registry == taskManager;
    }

    void restore(List<ChangelogStateBackendHandle> state) {
        state.stream()
                .map(handle -> handle.getIntersection(keyGroups))
                .filter(Objects::nonNull)
                .map(ChangelogStateBackendHandle.class::cast)
                .forEach(
                        mine -> {
                            materialized.addAll(mine.getMaterializedStateHandles());
                            restoredLog.addAll(mine.getNonMaterializedStateHandles());
                            materializationId =
                                    Math.max(materializationId, mine.getMaterializationID());
                        });
    }

    /** Change sets that share a segment have to be of one epoch. */
    boolean isOfOneEpochWith(SimulatedTask other) {
        return lastBarrier.equals(other.lastBarrier);
    }

    /** A change set of this task is part of the segment, which is being stored. */
    void append(FileStateHandle segment) {
        log.add(segment);
    }

    /** The barrier of the checkpoint has come. */
    void snapshot(long checkpointId) {
        registry.pin(new CheckpointPin(writer, checkpointId), log);
        List<ChangelogStateHandle> logs = new ArrayList<>(restoredLog);
        List<Tuple2<StreamStateHandle, Long>> segments =
                log.stream()
                        .map(segment -> Tuple2.<StreamStateHandle, Long>of(segment, 0L))
                        .collect(toList());
        logs.add(
                new ChangelogStateHandleStreamImpl(
                        segments, keyGroups, log.size(), log.size(), "filesystem"));
        unacknowledged.put(
                checkpointId,
                new ChangelogStateBackendHandleImpl(
                        materialized, logs, keyGroups, checkpointId, materializationId, 0));
        undecided.put(checkpointId, Bucket.objectsOf(unacknowledged.get(checkpointId)));
        lastBarrier = OptionalLong.of(checkpointId);
    }

    boolean hasUnacknowledged() {
        return !unacknowledged.isEmpty();
    }

    /** Sends the oldest acknowledgement that has not been sent yet. */
    long acknowledge(SimulatedCoordinator coordinator, int subtask) {
        Map.Entry<Long, KeyedStateHandle> oldest = unacknowledged.pollFirstEntry();
        coordinator.acknowledge(oldest.getKey(), subtask, oldest.getValue());
        ChangelogStateBackendHandle handle = (ChangelogStateBackendHandle) oldest.getValue();
        materializedIsListed |= handle.getMaterializationID() == materializationId;
        return oldest.getKey();
    }

    /** What it has listed in acknowledgements that have not been sent. */
    Set<String> unsent() {
        Set<String> unsent = new TreeSet<>();
        unacknowledged.values().forEach(handle -> unsent.addAll(Bucket.objectsOf(handle)));
        return unsent;
    }

    /** They never arrive. */
    void loseAcknowledgements() {
        unacknowledged.clear();
    }

    boolean awaitsBarrier(long checkpointId) {
        return !lastBarrier.isPresent() || lastBarrier.getAsLong() < checkpointId;
    }

    void confirmed(long checkpointId, OptionalLong subsumed) {
        registry.confirm(new CheckpointPin(writer, checkpointId));
        subsumed.ifPresent(id -> registry.subsumed(writer, id));
        undecided.headMap(checkpointId, true).clear();
    }

    /** It may be wrong, so what the checkpoint listed stays until a later one is subsumed. */
    void aborted(long checkpointId) {
        registry.abort(new CheckpointPin(writer, checkpointId));
    }

    /** The frozen process goes on: what was under way is done, and then its task is cancelled. */
    void thaw(SimulatedCoordinator coordinator, int subtask) throws Exception {
        while (hasUnacknowledged()) {
            acknowledge(coordinator, subtask);
        }
        new ArrayList<>(undecided.keySet()).forEach(this::aborted);
        close();
    }

    /** The last one has been part of a checkpoint, so the next may replace it. */
    boolean mayMaterialize() {
        return materializedIsListed;
    }

    void materialize() {
        FileStateHandle snapshot = bucket.put("materialized");
        materialized =
                Collections.singletonList(
                        new KeyGroupsStateHandle(new KeyGroupRangeOffsets(keyGroups), snapshot));
        restoredLog = new ArrayList<>();
        materializationId++;
        materializedIsListed = false;
        truncate();
    }

    private void truncate() {
        List<FileStateHandle> truncated = new ArrayList<>(log);
        log.clear();
        truncated.forEach(registry::release);
    }

    /** The task ends; what it has materialized and nobody knows of goes with it. */
    void close() throws Exception {
        registry.closeWriter(writer);
        truncate();
        if (!materializedIsListed) {
            for (KeyedStateHandle handle : materialized) {
                handle.discardState();
            }
        }
    }

    /** The objects that a checkpoint of this task lists which is pending here, or comes later. */
    Set<String> needed(SimulatedCoordinator coordinator) {
        Set<String> needed = new TreeSet<>();
        unacknowledged.forEach(
                (checkpointId, handle) -> {
                    if (coordinator.isPending(checkpointId)) {
                        needed.addAll(Bucket.objectsOf(handle));
                    }
                });
        log.forEach(segment -> needed.add(Bucket.name(segment)));
        materialized.forEach(handle -> needed.addAll(Bucket.objectsOf(handle)));
        restoredLog.forEach(handle -> needed.addAll(Bucket.objectsOf(handle)));
        return needed;
    }

    /** What it has stored and may not know to be needed, or not needed. */
    Set<String> undecided() {
        Set<String> objects = new TreeSet<>();
        undecided.values().forEach(objects::addAll);
        unacknowledged.values().forEach(handle -> objects.addAll(Bucket.objectsOf(handle)));
        log.forEach(segment -> objects.add(Bucket.name(segment)));
        materialized.forEach(handle -> objects.addAll(Bucket.objectsOf(handle)));
        return objects;
    }
}
