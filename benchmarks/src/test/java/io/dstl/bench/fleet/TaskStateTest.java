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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.bench.fleet.FleetCheckpoints.Directive;
import io.dstl.bench.fleet.FleetCheckpoints.Step;
import io.dstl.bench.fleet.StateShape.Pieces;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PlaceholderStreamStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.junit.jupiter.api.Test;

class TaskStateTest {
    private static final JobID JOB = new JobID(0, 1);
    private static final int PERIOD = 4;

    /** Three files of which one is new at each snapshot, one description, 50 B of log. */
    private static final StateShape SHAPE =
            new StateShape(
                    new Pieces(3, 1000, 1),
                    new Pieces(0, 0, 0),
                    new Pieces(0, 0, 0),
                    new Pieces(1, 10, 1),
                    50);

    @Test
    void aConfirmedFileIsOnlyNamedAndOldOnesGo() {
        TaskStates states = states(false);
        TaskState state = states.of(0);
        IncrementalRemoteKeyedStateHandle first = files(state, states, 1, -1);
        IncrementalRemoteKeyedStateHandle second = files(state, states, 2, 1);

        assertThat(first.getSharedState()).hasSize(3);
        assertThat(second.getSharedState()).hasSize(3);
        assertThat(second.getSharedState().get(0).getHandle())
                .isInstanceOf(PlaceholderStreamStateHandle.class);
        assertThat(second.getSharedState().get(0).getLocalPath())
                .isEqualTo(first.getSharedState().get(1).getLocalPath());
        assertThat(second.getSharedState().get(2).getHandle())
                .isNotInstanceOf(PlaceholderStreamStateHandle.class);
        assertThat(states.takeNamed()).isEqualTo(4);
    }

    @Test
    void whatWasNotConfirmedIsSentAgain() {
        TaskStates states = states(false);
        TaskState state = states.of(0);
        StreamStateHandle sent = files(state, states, 1, -1).getSharedState().get(1).getHandle();
        StreamStateHandle again = files(state, states, 2, -1).getSharedState().get(0).getHandle();

        assertThat(again).isEqualTo(sent);
    }

    @Test
    void theTasksOfATaskManagerShareASegment() {
        TaskStates states = states(true);
        TaskState one = states.of(0);
        TaskState other = states.of(1);
        states.begin(JOB, 1);
        Tuple2<StreamStateHandle, Long> first = log(one.checkpoint(run(1, -1))).get(0);
        Tuple2<StreamStateHandle, Long> second = log(other.checkpoint(run(1, -1))).get(0);

        assertThat(first.f0).isEqualTo(second.f0);
        assertThat(first.f1).isNotEqualTo(second.f1);
        assertThat(states.takeNamed()).isEqualTo(1);
    }

    @Test
    void aMaterializationCutsTheLog() {
        TaskStates states = states(true);
        TaskState state = states.of(0);
        List<Integer> segments = new ArrayList<>();
        long materializations = 0;
        for (long checkpoint = 1; checkpoint <= 2 * PERIOD; checkpoint++) {
            states.begin(JOB, checkpoint);
            KeyedStateHandle handle = state.checkpoint(run(checkpoint, checkpoint - 1));
            segments.add(log(handle).size());
            materializations = ((ChangelogStateBackendHandle) handle).getMaterializationID();
        }

        assertThat(segments).containsExactly(1, 2, 3, 1, 2, 3, 4, 1);
        assertThat(materializations).isEqualTo(2);
    }

    @Test
    void whatIsGatheredStaysUntilTheTruncation() {
        TaskStates states = states(true);
        TaskState state = states.of(0);
        List<Integer> segments = new ArrayList<>();
        // Beyond the turn of this task to materialize.
        for (long checkpoint = 1; checkpoint <= PERIOD + 1; checkpoint++) {
            states.begin(JOB, checkpoint);
            Directive gather = new Directive(checkpoint, checkpoint - 1, Step.GATHER, 10);
            segments.add(log(state.checkpoint(gather)).size());
        }
        states.begin(JOB, PERIOD + 2);
        Directive truncate = new Directive(PERIOD + 2, PERIOD + 1, Step.TRUNCATE, 0);
        segments.add(log(state.checkpoint(truncate)).size());

        assertThat(segments).containsExactly(11, 22, 33, 44, 55, 1);
    }

    /** It is not there in tests. */
    @Test
    void handlesOfDstlAreThoseOfItsJar() {
        assertThatThrownBy(() -> states(true, true))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("dstl's jar in lib/ has no");
    }

    private static TaskStates states(boolean changelog) {
        return states(changelog, false);
    }

    private static TaskStates states(boolean changelog, boolean ownHandles) {
        FleetSettings settings =
                new FleetSettings(Path.of("conf"), Path.of("fleet.csv"))
                        .changelog(changelog)
                        .ownHandles(ownHandles)
                        .size(2, 2)
                        .materializeEvery(PERIOD);
        return new TaskStates(
                settings, SHAPE, new TaskStates.Roots("s3://b/checkpoints", "s3://b/log"), 0);
    }

    private static IncrementalRemoteKeyedStateHandle files(
            TaskState state, TaskStates states, long checkpoint, long confirmed) {
        states.begin(JOB, checkpoint);
        return (IncrementalRemoteKeyedStateHandle) state.checkpoint(run(checkpoint, confirmed));
    }

    private static Directive run(long checkpoint, long confirmed) {
        return new Directive(checkpoint, confirmed, Step.RUN, 0);
    }

    private static List<Tuple2<StreamStateHandle, Long>> log(KeyedStateHandle handle) {
        return ((ChangelogStateHandleStreamImpl)
                        ((ChangelogStateBackendHandle) handle)
                                .getNonMaterializedStateHandles()
                                .get(0))
                .getHandlesAndOffsets();
    }
}
