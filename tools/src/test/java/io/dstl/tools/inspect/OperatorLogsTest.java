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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;

class OperatorLogsTest {
    /** After scaling out, two subtasks have the files of one, and files of their own. */
    @Test
    void aFileThatSeveralSubtasksHaveCountsOnce() throws IOException {
        OperatorState operator =
                WrittenLog.operator(
                        1,
                        subtask(file("shared.sst", 1_000), file("a.sst", 200)),
                        subtask(file("shared.sst", 1_000), file("b.sst", 30)));

        List<OperatorLogs> found =
                OperatorLogs.of(new CheckpointMetadata(7, List.of(operator), List.of()));

        assertThat(found).hasSize(1);
        assertThat(found.get(0).baseBytes()).isEqualTo(1_000 + 200 + 30 + 4);
    }

    /** Their snapshot's metadata are the same four bytes, in the metadata of the checkpoint. */
    private static KeyedStateHandle subtask(StreamStateHandle... files) {
        KeyedStateHandle base =
                new IncrementalRemoteKeyedStateHandle(
                        new UUID(1, 2),
                        WrittenLog.ALL,
                        5,
                        List.of(
                                HandleAndLocalPath.of(files[0], "1"),
                                HandleAndLocalPath.of(files[1], "2")),
                        List.of(),
                        new ByteStreamStateHandle("meta", new byte[4]));
        return WrittenLog.changelog(base, WrittenLog.log(1));
    }

    private static StreamStateHandle file(String name, long bytes) {
        return new FileStateHandle(new Path("s3://bucket/" + name), bytes);
    }
}
