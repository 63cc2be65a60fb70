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
package io.dstl.tools.inspect;

import io.dstl.tools.checkpoint.CheckpointWalk;
import io.dstl.tools.checkpoint.StateOwner;
import io.dstl.tools.checkpoint.StateReference;
import io.dstl.tools.checkpoint.StateReference.Part;
import io.dstl.tools.checkpoint.StateVisitor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;

/** An operator with keyed state on a changelog: the handles of its subtasks, as in the metadata. */
final class OperatorLogs {
    private static final Set<Part> BASE =
            EnumSet.of(Part.KEYED, Part.SHARED, Part.PRIVATE, Part.BACKEND_META);

    private final StateOwner owner;
    private final int numberOfKeyGroups;
    private final Map<Integer, List<ChangelogStateBackendHandle>> subtasks = new LinkedHashMap<>();
    private final Set<StreamStateHandle> base = new HashSet<>();

    private OperatorLogs(StateOwner owner, int numberOfKeyGroups) {
        this.owner = owner;
        this.numberOfKeyGroups = numberOfKeyGroups;
    }

    /**
     * The operators of a checkpoint that have a changelog, in the order of the metadata.
     *
     * @throws IOException at a handle of an unknown kind
     */
    static List<OperatorLogs> of(CheckpointMetadata metadata) throws IOException {
        Map<String, Integer> keyGroups = new HashMap<>();
        for (OperatorState operator : metadata.getOperatorStates()) {
            keyGroups.put(operator.getOperatorID().toString(), operator.getMaxParallelism());
        }
        Map<String, OperatorLogs> found = new LinkedHashMap<>();
        CheckpointWalk.walk(
                metadata,
                new StateVisitor() {
                    @Override
                    public void stream(StateReference reference) {
                        OperatorLogs operator = found.get(reference.owner().operatorId());
                        if (operator != null && BASE.contains(reference.part())) {
                            operator.base.add(reference.handle());
                        }
                    }

                    @Override
                    public void changelog(StateOwner owner, ChangelogStateBackendHandle handle) {
                        String id = owner.operatorId();
                        found.computeIfAbsent(id, any -> new OperatorLogs(owner, keyGroups.get(id)))
                                .add(owner, handle);
                    }
                });
        return new ArrayList<>(found.values());
    }

    private void add(StateOwner subtask, ChangelogStateBackendHandle handle) {
        subtasks.computeIfAbsent(subtask.subtask().getAsInt(), any -> new ArrayList<>())
                .add(handle);
    }

    /** 32 hexadecimal digits. */
    String id() {
        return owner.operatorId();
    }

    /** What people call it, as far as the metadata has that; else its id. */
    String label() {
        return owner.operatorUid().orElseGet(() -> owner.operatorName().orElse(id()));
    }

    StateOwner owner() {
        return owner;
    }

    /** The maximum parallelism. */
    int numberOfKeyGroups() {
        return numberOfKeyGroups;
    }

    /** The handles of each subtask, in the order in which a restore replays them. */
    Map<Integer, List<ChangelogStateBackendHandle>> subtasks() {
        return Collections.unmodifiableMap(subtasks);
    }

    /** What is materialized, each object once: after scaling out, several subtasks have it. */
    long baseBytes() {
        return base.stream().mapToLong(StateObject::getStateSize).sum();
    }
}
