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
package io.dstl.tools.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.tools.checkpoint.StateReference.Part;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.checkpoint.channel.ResultSubpartitionInfo;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.ChannelStateHelper;
import org.apache.flink.runtime.state.InputChannelStateHandle;
import org.apache.flink.runtime.state.ResultSubpartitionStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Flink 2 writes into metadata and 1.20 does not. */
class CheckpointWalkOnFlink2Test {
    private static final StreamStateHandle BUFFERS = new FileStateHandle(new Path("/in"), 70);
    private static final StreamStateHandle SENT = new FileStateHandle(new Path("/out"), 30);

    @TempDir private java.nio.file.Path directory;

    /** Flink 2.1 and later merge them for each subtask, whatever is configured. */
    @Test
    void findsTheBuffersOfAnUnalignedCheckpoint() throws IOException {
        OperatorState operator = new OperatorState("Window", null, new OperatorID(1, 2), 1, 128);
        operator.putState(
                0,
                OperatorSubtaskState.builder()
                        .setInputChannelState(
                                ChannelStateHelper.mergeInputStateCollection(
                                        List.of(input(0), input(1))))
                        .setResultSubpartitionState(
                                ChannelStateHelper.mergeOutputStateCollection(
                                        List.of(output(0), output(1))))
                        .build());

        assertThat(walked(operator))
                .containsExactly(
                        Part.INPUT_CHANNEL + " in /in of 70",
                        Part.OUTPUT_CHANNEL + " in /out of 30");
    }

    private static InputChannelStateHandle input(int channel) {
        return new InputChannelStateHandle(
                new InputChannelInfo(0, channel), BUFFERS, List.of(35L * channel));
    }

    private static ResultSubpartitionStateHandle output(int subpartition) {
        return new ResultSubpartitionStateHandle(
                new ResultSubpartitionInfo(0, subpartition), SENT, List.of(15L * subpartition));
    }

    /** As it is read from a file. */
    private List<String> walked(OperatorState operator) throws IOException {
        java.nio.file.Path file = directory.resolve(MetadataFile.NAME);
        try (OutputStream out = Files.newOutputStream(file)) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(7, List.of(operator), List.of()), out);
        }
        List<String> found = new ArrayList<>();
        CheckpointWalk.walk(
                MetadataFile.at(new Path(directory.toUri())).read(),
                reference ->
                        found.add(
                                reference.part()
                                        + " in "
                                        + reference.file().orElseThrow().getPath()
                                        + " of "
                                        + reference.handle().getStateSize()));
        return found;
    }
}
