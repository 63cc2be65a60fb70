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
package io.dstl.parity.leg;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;

/** What the metadata of a checkpoint or savepoint says about keyed state. */
public final class CheckpointFacts {

    public long checkpointId;

    /** The classes of the keyed handles. */
    public TreeSet<String> handles = new TreeSet<>();

    public TreeSet<Long> materializationIds = new TreeSet<>();
    int keyedSubtasks;
    int withMaterialization;
    int withLog;
    int finished;

    /** Records in channels that an unaligned checkpoint has taken along. */
    public long inFlightBytes;

    /** For JSON. */
    CheckpointFacts() {}

    static CheckpointFacts of(String checkpoint) throws IOException {
        CheckpointFacts facts = new CheckpointFacts();
        CheckpointMetadata metadata = read(checkpoint);
        facts.checkpointId = metadata.getCheckpointId();
        for (OperatorState operator : metadata.getOperatorStates()) {
            for (OperatorSubtaskState subtask : operator.getStates()) {
                facts.add(subtask);
            }
        }
        return facts;
    }

    private static CheckpointMetadata read(String checkpoint) throws IOException {
        Path metadata = Path.of(URI.create(checkpoint)).resolve("_metadata");
        try (DataInputStream in = new DataInputStream(Files.newInputStream(metadata))) {
            return Checkpoints.loadCheckpointMetadata(
                    in, CheckpointFacts.class.getClassLoader(), checkpoint);
        }
    }

    private void add(OperatorSubtaskState subtask) {
        finished += subtask.isFinished() ? 1 : 0;
        inFlightBytes +=
                subtask.getInputChannelState().getStateSize()
                        + subtask.getResultSubpartitionState().getStateSize();
        List<KeyedStateHandle> keyed = new ArrayList<>(subtask.getManagedKeyedState());
        if (!keyed.isEmpty()) {
            keyedSubtasks++;
        }
        for (KeyedStateHandle handle : keyed) {
            handles.add(handle.getClass().getSimpleName());
            if (handle instanceof ChangelogStateBackendHandle) {
                add((ChangelogStateBackendHandle) handle);
            }
        }
    }

    private void add(ChangelogStateBackendHandle handle) {
        materializationIds.add(handle.getMaterializationID());
        withMaterialization += handle.getMaterializedStateHandles().isEmpty() ? 0 : 1;
        withLog += handle.getNonMaterializedStateHandles().isEmpty() ? 0 : 1;
    }

    /** Whether all of a job's keyed state has been materialized since, and changed after that. */
    boolean isMaterializedSince(CheckpointFacts before) {
        return withMaterialization == keyedSubtasks
                && withLog > 0
                && Collections.disjoint(materializationIds, before.idsWhenRestored());
    }

    /** What is restored without a changelog goes by the id of its checkpoint. */
    private Set<Long> idsWhenRestored() {
        return materializationIds.isEmpty() ? Set.of(checkpointId) : materializationIds;
    }

    public boolean hasMaterialization() {
        return withMaterialization > 0;
    }

    public boolean hasLog() {
        return withLog > 0;
    }

    /** Whether tasks had finished before the checkpoint. */
    boolean hasFinished() {
        return finished > 0;
    }
}
