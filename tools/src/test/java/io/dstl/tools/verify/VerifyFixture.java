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
package io.dstl.tools.verify;

import io.dstl.tools.DstlCommand;
import io.dstl.tools.checkpoint.MetadataFile;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
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
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two checkpoints of an operator with two subtasks, and the command on them. Both have a
 * materialized part and two segments; they share one of these.
 */
abstract class VerifyFixture {
    static final String JOB = "6aee10bfad071da255849dd0096b1a71";
    static final OperatorID WINDOW = new OperatorID(0x0a448493b4782967L, 0xb150582570326227L);
    static final KeyGroupRange LOWER = KeyGroupRange.of(0, 63);
    static final KeyGroupRange UPPER = KeyGroupRange.of(64, 127);

    @TempDir Path root;

    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    TestSegment first;
    TestSegment second;
    TestSegment third;
    Path sst;
    Path older;
    Path newer;

    @BeforeEach
    void twoCheckpoints() throws IOException {
        Path log = root.resolve("changelog").resolve(JOB).resolve("dstl");
        first = TestSegment.write(log, 1, false);
        second = TestSegment.write(log, 2, true);
        third = TestSegment.write(log, 3, true);
        Path state = root.resolve("checkpoints").resolve(JOB);
        sst = state.resolve("shared").resolve(new UUID(7, 1).toString());
        StreamStateHandle shared = stateFile(sst, 70_000);
        StreamStateHandle own =
                stateFile(state.resolve("taskowned").resolve(new UUID(7, 2).toString()), 800);
        StreamStateHandle meta =
                stateFile(state.resolve("taskowned").resolve(new UUID(7, 3).toString()), 300);
        KeyedStateHandle materialized =
                new IncrementalRemoteKeyedStateHandle(
                        new UUID(1, 2),
                        LOWER,
                        5,
                        List.of(HandleAndLocalPath.of(shared, "000008.sst")),
                        List.of(HandleAndLocalPath.of(own, "MANIFEST-000004")),
                        meta);
        older = checkpoint(7, materialized, first, second);
        newer = checkpoint(8, materialized, second, third);
    }

    private Path checkpoint(long id, KeyedStateHandle materialized, TestSegment... log)
            throws IOException {
        KeyedStateHandle inMemory =
                new IncrementalRemoteKeyedStateHandle(
                        new UUID(1, 3),
                        UPPER,
                        5,
                        List.of(),
                        List.of(),
                        new ByteStreamStateHandle("small", new byte[200]));
        return metadata(
                id,
                changelog(id, LOWER, materialized, logOf(LOWER, 0, log)),
                changelog(id, UPPER, inMemory, logOf(UPPER, 1, log)));
    }

    /** The set of that number of each segment. */
    static ChangelogStateHandle logOf(KeyGroupRange keyGroups, int set, TestSegment... segments) {
        List<Tuple2<StreamStateHandle, Long>> sets = new ArrayList<>();
        for (TestSegment segment : segments) {
            sets.add(Tuple2.of(segment.handle(), segment.offset(set)));
        }
        return new ChangelogStateHandleStreamImpl(sets, keyGroups, 1_000, 500, "filesystem");
    }

    static KeyedStateHandle changelog(
            long id,
            KeyGroupRange keyGroups,
            KeyedStateHandle materialized,
            ChangelogStateHandle log) {
        return new ChangelogStateBackendHandleImpl(
                List.of(materialized), List.of(log), keyGroups, id, 1, 500);
    }

    /** Writes the metadata of a checkpoint with a state for each subtask. */
    Path metadata(long id, KeyedStateHandle... subtasks) throws IOException {
        OperatorState operator = new OperatorState(WINDOW, subtasks.length, 1_024);
        for (int i = 0; i < subtasks.length; i++) {
            operator.putState(
                    i, OperatorSubtaskState.builder().setManagedKeyedState(subtasks[i]).build());
        }
        Path directory = root.resolve("checkpoints").resolve(JOB).resolve("chk-" + id);
        Path file = Files.createDirectories(directory).resolve(MetadataFile.NAME);
        try (OutputStream stream = Files.newOutputStream(file)) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(id, List.of(operator), List.of()), stream);
        }
        return file;
    }

    private static StreamStateHandle stateFile(Path file, int bytes) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[bytes]);
        return new FileStateHandle(new org.apache.flink.core.fs.Path(file.toUri()), bytes);
    }

    static void flip(Path file, long bit) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[(int) (bit / Byte.SIZE)] ^= (byte) (1 << (bit % Byte.SIZE));
        Files.write(file, bytes);
    }

    static void truncate(Path file, int bytes) throws IOException {
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), bytes));
    }

    int run(Object... arguments) throws IOException {
        return runAt(() -> 0, arguments);
    }

    /**
     * @param now is asked for the time once the metadata of all checkpoints are read
     */
    int runAt(LongSupplier now, Object... arguments) throws IOException {
        Path conf = Files.createDirectories(root.resolve("home/conf"));
        Files.write(conf.resolve("flink-conf.yaml"), List.of("s3.secret-key: top-secret-key"));
        List<String> all = new ArrayList<>(List.of("verify"));
        for (Object argument : arguments) {
            all.add(argument.toString());
        }
        return DstlCommand.commandLine(Optional.of(root.resolve("home")), now)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all.toArray(new String[0]));
    }

    /** As in a bucket, so that it is the same in each run. */
    String printed() {
        return out.toString().replace("file:" + root, "s3://flink");
    }
}
