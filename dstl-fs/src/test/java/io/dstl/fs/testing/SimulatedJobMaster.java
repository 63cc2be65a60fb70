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

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;

/**
 * The leading JobManager with what it retains, Flink's own {@code SharedStateRegistry}, and the
 * high-availability store beyond it.
 */
final class SimulatedJobMaster {

    private final int retains;
    private final TreeMap<Long, List<SimulatedTask.Answer>> highlyAvailable = new TreeMap<>();
    private final Set<String> forgotten = new TreeSet<>();

    private TreeMap<Long, List<SimulatedTask.Answer>> retained = new TreeMap<>();
    private SharedStateRegistry registry = new SharedStateRegistryImpl();
    private Set<String> registered = new TreeSet<>();

    /** What a leader has deleted lower ones for. */
    private long lowest;

    SimulatedJobMaster(int retains) {
        this.retains = retains;
    }

    /** An acknowledgement registers what it lists, however late it comes. */
    void acknowledge(long checkpointId, SimulatedTask.Answer answer) {
        answer.handles().forEach(handle -> handle.registerSharedStates(registry, checkpointId));
        answer.segments().forEach(registered::add);
    }

    /**
     * @return the highest that is subsumed
     */
    OptionalLong complete(long checkpointId, List<SimulatedTask.Answer> answers) {
        highlyAvailable.put(checkpointId, answers);
        retained.put(checkpointId, answers);
        OptionalLong subsumed = OptionalLong.empty();
        while (retained.size() > retains) {
            long oldest = retained.pollFirstEntry().getKey();
            highlyAvailable.remove(oldest);
            subsumed = OptionalLong.of(oldest);
        }
        lowest = Math.max(lowest, retained.firstKey());
        registry.unregisterUnusedState(retained.firstKey());
        return subsumed;
    }

    /** The write succeeds, its answer is lost: this leader never learns of the checkpoint. */
    void completeInDoubt(long checkpointId, List<SimulatedTask.Answer> answers) {
        highlyAvailable.put(checkpointId, answers);
    }

    /** Another leads from now on: it knows what the high-availability store holds. */
    void failOver() {
        forgotten.addAll(registered);
        registered = new TreeSet<>();
        registry = new SharedStateRegistryImpl();
        retained = new TreeMap<>(highlyAvailable);
        retained.forEach((id, answers) -> answers.forEach(answer -> acknowledge(id, answer)));
    }

    /** What this leader restores from. */
    Map.Entry<Long, List<SimulatedTask.Answer>> latest() {
        return retained.lastEntry();
    }

    boolean isRecoverable() {
        return !highlyAvailable.isEmpty();
    }

    int retains() {
        return retains;
    }

    /** All that can be restored: a leader deletes what is below the lowest that one has kept. */
    Stream<SimulatedTask.Answer> restorable() {
        return highlyAvailable.tailMap(lowest).values().stream().flatMap(List::stream);
    }

    /** Segments that only a leader knew that is gone. */
    Set<String> forgotten() {
        return forgotten;
    }
}
