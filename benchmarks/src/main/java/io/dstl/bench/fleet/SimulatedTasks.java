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
package io.dstl.bench.fleet;

import io.dstl.bench.fleet.FleetCheckpoints.Directive;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointMetrics;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.jobmaster.JobMasterGateway;
import org.apache.flink.util.SerializedValue;

/** The tasks of one simulated TaskManager. For the main thread of that one. */
final class SimulatedTasks {
    private final TaskStates states;
    private final FleetCheckpoints checkpoints;

    /** A source, which has no state, is empty. */
    private final Map<ExecutionAttemptID, Optional<TaskState>> deployed = new LinkedHashMap<>();

    SimulatedTasks(TaskStates states, FleetCheckpoints checkpoints) {
        this.states = states;
        this.checkpoints = checkpoints;
    }

    void deploy(ExecutionAttemptID attempt, boolean source) {
        deployed.put(
                attempt,
                source ? Optional.empty() : Optional.of(states.of(attempt.getSubtaskIndex())));
    }

    void remove(ExecutionAttemptID attempt) {
        deployed.remove(attempt);
    }

    Set<ExecutionAttemptID> attempts() {
        return deployed.keySet();
    }

    /** A source is asked to begin a checkpoint: its barriers come to the whole fleet at once. */
    void trigger(long checkpoint, long triggered) {
        checkpoints.trigger(checkpoint, triggered);
    }

    void confirm(long checkpoint) {
        checkpoints.confirm(checkpoint);
    }

    /** Sends the acknowledgement of each task, as its last state is on the store. */
    void acknowledge(JobID job, long checkpoint, JobMasterGateway jobMaster) {
        Directive directive = checkpoints.directive(checkpoint);
        states.begin(job, checkpoint);
        deployed.forEach(
                (attempt, state) -> {
                    SerializedValue<TaskStateSnapshot> snapshot =
                            state.map(one -> serialized(attempt, one, directive)).orElse(null);
                    jobMaster.acknowledgeCheckpoint(
                            job, attempt, checkpoint, new CheckpointMetrics(), snapshot);
                    checkpoints.acknowledged(
                            checkpoint, snapshot == null ? 0 : snapshot.getByteArray().length);
                });
        checkpoints.named(checkpoint, states.takeNamed());
    }

    private static SerializedValue<TaskStateSnapshot> serialized(
            ExecutionAttemptID attempt, TaskState state, Directive directive) {
        TaskStateSnapshot snapshot = new TaskStateSnapshot();
        // The operator with the state is the first of its chain.
        snapshot.putSubtaskStateByOperatorID(
                OperatorID.fromJobVertexID(attempt.getJobVertexId()),
                OperatorSubtaskState.builder()
                        .setManagedKeyedState(state.checkpoint(directive))
                        .build());
        try {
            return new SerializedValue<>(snapshot);
        } catch (IOException e) {
            throw new UncheckedIOException("no acknowledgement of " + attempt, e);
        }
    }
}
