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

import io.dstl.changelog.record.ChangeOp;
import io.dstl.fs.arena.Arena;
import io.dstl.fs.arena.Arena.KeyGroupSlots;
import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.arena.ChunkPool;
import io.dstl.fs.segment.SegmentEncoder;
import io.dstl.fs.segment.SegmentName;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/** Writes segments and checkpoints into a directory, in the forms of both backends. */
final class WrittenLog {
    static final String JOB = "0123456789abcdef0123456789abcdef";
    static final KeyGroupRange ALL = KeyGroupRange.of(0, Records.KEY_GROUPS - 1);

    private final Path root;
    private final long writtenAt;

    /**
     * @param writtenAt of all files
     */
    WrittenLog(Path root, long writtenAt) {
        this.root = root;
        this.writtenAt = writtenAt;
    }

    Path base() {
        return root.resolve("log");
    }

    /** Of the segments. */
    Path directory() {
        return base().resolve(JOB).resolve("dstl");
    }

    /** A segment with one change set, as Flink's own backend writes it. */
    StreamStateHandle plain(String name, byte[]... records) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(0);
        writeSet(out, records);
        return write(uuid(name).toString(), bytes.toByteArray());
    }

    private static void writeSet(DataOutputStream out, byte[]... records) throws IOException {
        Map<Integer, List<byte[]>> groups = grouped(records);
        out.writeInt(groups.size());
        for (Map.Entry<Integer, List<byte[]>> group : groups.entrySet()) {
            out.writeInt(group.getValue().size());
            out.writeInt(group.getKey());
            for (byte[] record : group.getValue()) {
                out.writeInt(record.length);
                out.write(record);
            }
        }
    }

    /** A segment with these change sets and an index, as dstl writes it. */
    Indexed indexed(String name, boolean compressed, List<byte[][]> sets) throws IOException {
        List<ChangeSet> sealed = new ArrayList<>();
        for (byte[][] records : sets) {
            Arena arena = new Arena(new ChunkPool(0), ALL, false);
            for (Map.Entry<Integer, List<byte[]>> group : grouped(records).entrySet()) {
                for (byte[] record : group.getValue()) {
                    arena.beginRecord().write(record);
                    arena.endRecord(
                            group.getKey() < 0
                                    ? KeyGroupSlots.METADATA
                                    : KeyGroupSlots.ofKeyGroup(ALL, group.getKey()));
                }
            }
            sealed.add(arena.seal());
        }
        SegmentEncoder encoder = new SegmentEncoder(sealed, compressed);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        encoder.writeTo(bytes);
        StreamStateHandle handle = write(SegmentName.indexed(uuid(name)), bytes.toByteArray());
        return new Indexed(handle, encoder.offsets());
    }

    static final class Indexed {
        final StreamStateHandle handle;
        final List<Long> offsets;

        Indexed(StreamStateHandle handle, List<Long> offsets) {
            this.handle = handle;
            this.offsets = offsets;
        }
    }

    private StreamStateHandle write(String name, byte[] bytes) throws IOException {
        Path file = Files.createDirectories(directory()).resolve(name);
        Files.write(file, bytes);
        Files.setLastModifiedTime(file, FileTime.fromMillis(writtenAt));
        return new FileStateHandle(new org.apache.flink.core.fs.Path(file.toUri()), bytes.length);
    }

    private static UUID uuid(String name) {
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }

    /** In the order of their key groups; those without a key are put into group 7. */
    private static Map<Integer, List<byte[]>> grouped(byte[]... records) {
        Map<Integer, List<byte[]>> groups = new TreeMap<>();
        for (byte[] record : records) {
            groups.computeIfAbsent(groupOf(record), any -> new ArrayList<>()).add(record);
        }
        return groups;
    }

    private static int groupOf(byte[] record) {
        if (record[0] == ChangeOp.METADATA.code()) {
            return -1;
        }
        int length = record[RecordLayout.SCOPE_AT] - 1;
        return length > 0 && record.length > RecordLayout.SCOPE_AT + length
                ? Records.groupOf(
                        new String(
                                record,
                                RecordLayout.SCOPE_AT + 1,
                                length,
                                StandardCharsets.US_ASCII))
                : 7;
    }

    /** The log of one subtask: change sets, each at an offset of its segment. */
    static ChangelogStateHandle log(long bytes, Object... segmentsAndOffsets) {
        List<Tuple2<StreamStateHandle, Long>> sets = new ArrayList<>();
        for (int i = 0; i < segmentsAndOffsets.length; i += 2) {
            sets.add(
                    Tuple2.of(
                            (StreamStateHandle) segmentsAndOffsets[i],
                            (Long) segmentsAndOffsets[i + 1]));
        }
        return new ChangelogStateHandleStreamImpl(sets, ALL, bytes, bytes, "filesystem");
    }

    static KeyedStateHandle changelog(ChangelogStateHandle... logs) {
        return new ChangelogStateBackendHandleImpl(List.of(), List.of(logs), ALL, 7, 1, 0);
    }

    static KeyedStateHandle changelog(KeyedStateHandle base, ChangelogStateHandle log) {
        return new ChangelogStateBackendHandleImpl(List.of(base), List.of(log), ALL, 7, 1, 0);
    }

    /** A full snapshot of string keys and no states, of so many bytes. */
    static KeyedStateHandle base(int bytes) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(bytes);
        new KeyedBackendSerializationProxy<>(StringSerializer.INSTANCE, List.of(), false)
                .write(out);
        return new KeyGroupsStateHandle(
                new KeyGroupRangeOffsets(ALL),
                new ByteStreamStateHandle("base", Arrays.copyOf(out.getSharedBuffer(), bytes)));
    }

    /** The operator of that number, with the states of its subtasks. */
    static OperatorState operator(int number, KeyedStateHandle... subtasks) {
        OperatorState operator =
                new OperatorState(new OperatorID(0, number), subtasks.length, Records.KEY_GROUPS);
        for (int i = 0; i < subtasks.length; i++) {
            operator.putState(
                    i, OperatorSubtaskState.builder().setManagedKeyedState(subtasks[i]).build());
        }
        return operator;
    }

    /** Writes a checkpoint of operators with one subtask each; returns its directory. */
    Path checkpoint(KeyedStateHandle... operators) throws IOException {
        return checkpoint(1, operators);
    }

    /** The same with so many subtasks each, all of them with the handle of their operator. */
    Path checkpoint(int subtasks, KeyedStateHandle... operators) throws IOException {
        List<OperatorState> states = new ArrayList<>();
        for (int i = 0; i < operators.length; i++) {
            List<KeyedStateHandle> same = Collections.nCopies(subtasks, operators[i]);
            states.add(operator(i + 1, same.toArray(new KeyedStateHandle[0])));
        }
        Path directory = root.resolve("checkpoints").resolve(JOB).resolve("chk-7");
        Path file = Files.createDirectories(directory).resolve("_metadata");
        try (OutputStream out = Files.newOutputStream(file)) {
            Checkpoints.storeCheckpointMetadata(new CheckpointMetadata(7, states, List.of()), out);
        }
        Files.setLastModifiedTime(file, FileTime.fromMillis(writtenAt));
        return directory;
    }
}
