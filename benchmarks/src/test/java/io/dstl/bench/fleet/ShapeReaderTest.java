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
import static org.assertj.core.api.Assertions.within;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShapeReaderTest {
    private static final KeyGroupRange KEYS = KeyGroupRange.of(0, 63);

    @TempDir private Path directory;

    @Test
    void countsWhatIsNewPerCheckpoint() throws Exception {
        Path earlier = write(4, files(4, 0, 2));
        Path later = write(6, files(6, 1, 4));

        StateShape shape = ShapeReader.read(earlier, later, false);

        assertThat(shape.files.count).isEqualTo(4);
        assertThat(shape.files.bytes).isEqualTo(500);
        // 3 and 4 are new, in two checkpoints.
        assertThat(shape.files.added).isCloseTo(1, within(1e-9));
        assertThat(shape.inlineFiles.count).isEqualTo(1);
        assertThat(shape.inlineOwn.count).isEqualTo(2);
        assertThat(shape.own.count).isZero();
        assertThat(shape.logBytes).isZero();
    }

    @Test
    void readsTheLogBesideTheMaterialization() throws Exception {
        Path earlier = write(1, withLog(1, files(1, 0, 0)));
        Path later = write(60, withLog(60, files(2, 0, 1)));

        StateShape shape = ShapeReader.read(earlier, later, true);

        assertThat(shape.files.count).isEqualTo(2);
        assertThat(shape.files.added).isEqualTo(1);
        assertThat(shape.logBytes).isEqualTo(70);
    }

    @Test
    void withoutSuchStateItSaysWhatToDo() throws Exception {
        Path empty = write(1, null);

        assertThatThrownBy(() -> ShapeReader.read(empty, empty, true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(empty.toString())
                .hasMessageContaining("measure longer");
    }

    /** Stored files with those numbers, one in the handle, and two of the checkpoint's own. */
    private static IncrementalRemoteKeyedStateHandle files(long checkpoint, int from, int to) {
        List<HandleAndLocalPath> shared = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            shared.add(
                    HandleAndLocalPath.of(
                            new FileStateHandle(
                                    new org.apache.flink.core.fs.Path("file:///s/" + i), 500),
                            i + ".sst"));
        }
        shared.add(HandleAndLocalPath.of(bytes("small"), "small.sst"));
        return new IncrementalRemoteKeyedStateHandle(
                new UUID(0, 1),
                KEYS,
                checkpoint,
                shared,
                List.of(HandleAndLocalPath.of(bytes("own"), "MANIFEST")),
                bytes("description"));
    }

    private static KeyedStateHandle withLog(long checkpoint, KeyedStateHandle base) {
        return new ChangelogStateBackendHandleImpl(
                List.of(base),
                List.of(
                        new ChangelogStateHandleStreamImpl(
                                List.of(Tuple2.of(bytes("one"), 0L), Tuple2.of(bytes("two"), 0L)),
                                KEYS,
                                140,
                                70,
                                "filesystem")),
                KEYS,
                checkpoint,
                1,
                70);
    }

    private static ByteStreamStateHandle bytes(String name) {
        return new ByteStreamStateHandle(name, new byte[10]);
    }

    private Path write(long checkpoint, KeyedStateHandle state) throws Exception {
        OperatorState operator = new OperatorState(new OperatorID(0, 1), 1, 128);
        if (state != null) {
            operator.putState(
                    0, OperatorSubtaskState.builder().setManagedKeyedState(state).build());
        }
        Path folder = Files.createDirectories(directory.resolve("chk-" + checkpoint));
        try (OutputStream out = Files.newOutputStream(folder.resolve("_metadata"))) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(checkpoint, List.of(operator), List.of()), out);
        }
        return folder;
    }
}
