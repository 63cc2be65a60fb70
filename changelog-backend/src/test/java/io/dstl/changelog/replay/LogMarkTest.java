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
package io.dstl.changelog.replay;

import static io.dstl.changelog.replay.ReplayFixture.VERIFIED;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.junit.jupiter.api.Test;

/** What a log's handle says of it is in the metadata of a checkpoint, where restores find it. */
class LogMarkTest {

    @Test
    void isKeptInTheMetadataOfACheckpoint() throws Exception {
        ChangelogStateHandle plain = log(DelegateKind.ALL, segment(VERIFIED, new byte[9]));
        ChangelogStateHandle marked = LogMark.withoutQueues(plain);

        List<ChangelogStateHandle> read = throughMetadata(List.of(plain, marked));

        assertThat(read).extracting(LogMark::isWithoutQueues).containsExactly(false, true);
        assertThat(read.get(1))
                .isInstanceOfSatisfying(
                        ChangelogStateHandleStreamImpl.class,
                        log -> {
                            assertThat(log.getHandlesAndOffsets())
                                    .isEqualTo(
                                            ((ChangelogStateHandleStreamImpl) plain)
                                                    .getHandlesAndOffsets());
                            assertThat(log.getStateSize()).isEqualTo(plain.getStateSize());
                            assertThat(log.getKeyGroupRange()).isEqualTo(plain.getKeyGroupRange());
                            assertThat(log.getStorageIdentifier())
                                    .isEqualTo(plain.getStorageIdentifier());
                        });
    }

    /** Which another subtask has a part of, and its size nobody knows. */
    @Test
    void isNotKeptWhenKeyGroupsAreSplit() throws Exception {
        ChangelogStateHandle marked =
                LogMark.withoutQueues(log(DelegateKind.ALL, segment(VERIFIED, new byte[9])));

        assertThat(
                        LogMark.isWithoutQueues(
                                (ChangelogStateHandle) marked.getIntersection(DelegateKind.ALL)))
                .isFalse();
    }

    private static List<ChangelogStateHandle> throughMetadata(List<ChangelogStateHandle> logs)
            throws Exception {
        OperatorState state = new OperatorState(new OperatorID(), 1, DelegateKind.KEY_GROUPS);
        state.putState(
                0,
                OperatorSubtaskState.builder()
                        .setManagedKeyedState(
                                new ChangelogStateBackendHandleImpl(
                                        List.of(), logs, DelegateKind.ALL, 1, 1, 0))
                        .build());
        ByteArrayOutputStream stored = new ByteArrayOutputStream();
        Checkpoints.storeCheckpointMetadata(
                new CheckpointMetadata(1, List.of(state), List.of()), new DataOutputStream(stored));
        CheckpointMetadata restored =
                Checkpoints.loadCheckpointMetadata(
                        new DataInputStream(new ByteArrayInputStream(stored.toByteArray())),
                        LogMarkTest.class.getClassLoader(),
                        "a test's");
        return Stream.of(restored.getOperatorStates().iterator().next().getState(0))
                .flatMap(subtask -> subtask.getManagedKeyedState().stream())
                .map(ChangelogStateBackendHandle.class::cast)
                .map(ChangelogStateBackendHandle::getNonMaterializedStateHandles)
                .findAny()
                .orElseThrow();
    }
}
