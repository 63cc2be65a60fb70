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
package io.dstl.tools.orphans;

import io.dstl.fs.segment.ClusterMark;
import io.dstl.fs.segment.SegmentName;
import io.dstl.tools.checkpoint.Directory;
import io.dstl.tools.checkpoint.MetadataFile;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.Progress;
import io.dstl.tools.orphans.OrphanRule.OperatorWord;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
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
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** A local directory with a log, checkpoints and savepoints, of any age. */
final class Store {
    private static final int SEGMENT_BYTES = 10;
    private static final KeyGroupRange ALL = KeyGroupRange.of(0, 127);

    private final Path root;

    /** Names that tests use, by the UUIDs that stand for them. */
    private final Map<String, String> names = new HashMap<>();

    Store(Path root) {
        this.root = root;
    }

    static String job(int number) {
        return String.format(Locale.ROOT, "%032x", number);
    }

    Path log() {
        return root.resolve("log");
    }

    Path checkpoints() {
        return root.resolve("checkpoints");
    }

    Path savepoints() {
        return root.resolve("savepoints");
    }

    CheckpointSearch search() throws CommandFailure {
        return search(Directory::list);
    }

    CheckpointSearch search(CheckpointSearch.Listing listing) throws CommandFailure {
        return new CheckpointSearch(
                List.of(flink(checkpoints()), flink(savepoints())),
                List.of(),
                List.of(),
                OperatorWord.of(List.of(), List.of(), List.of()),
                new Progress(new PrintWriter(Writer.nullWriter()), () -> 0),
                listing);
    }

    /** Writes a segment; returns a reference to it. */
    StreamStateHandle segment(String job, String name, long writtenAt) throws IOException {
        return write(file(job, name), writtenAt);
    }

    /** Writes so many segments, of so many bytes together; returns references to them. */
    StreamStateHandle[] segments(String job, String name, int number, int bytes, long writtenAt)
            throws IOException {
        StreamStateHandle[] segments = new StreamStateHandle[number];
        for (int i = 0; i < number; i++) {
            int size = bytes / number + (i < bytes % number ? 1 : 0);
            segments[i] = write(file(job, name + i), size, writtenAt);
        }
        return segments;
    }

    /** Writes a segment of that name, a UUID. */
    void named(String job, String uuid, int bytes, long writtenAt) throws IOException {
        write(log().resolve(job).resolve("dstl").resolve(uuid), bytes, writtenAt);
    }

    private static StreamStateHandle write(Path file, long writtenAt) throws IOException {
        return write(file, SEGMENT_BYTES, writtenAt);
    }

    private static StreamStateHandle write(Path file, int bytes, long writtenAt)
            throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[bytes]);
        Files.setLastModifiedTime(file, FileTime.fromMillis(writtenAt));
        return new FileStateHandle(flink(file), bytes);
    }

    /** Names of all segments there are, in order. */
    List<String> segments(String job) throws IOException {
        return namesIn(file(job, "any").getParent());
    }

    private List<String> namesIn(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .map(file -> names.getOrDefault(file, file))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }

    FileStatus status(String job, String name) throws IOException {
        return FileSystem.getLocalFileSystem().getFileStatus(flink(file(job, name)));
    }

    /** Writes a checkpoint whose log lists those segments; returns its metadata file. */
    Path checkpoint(String job, long id, long completedAt, StreamStateHandle... log)
            throws IOException {
        return metadata(checkpoints().resolve(job).resolve("chk-" + id), completedAt, log);
    }

    Path savepoint(String job, long completedAt) throws IOException {
        return metadata(
                savepoints().resolve("savepoint-" + job.substring(26) + "-0123456789ab"),
                completedAt);
    }

    static Path metadata(Path directory, long completedAt, StreamStateHandle... log)
            throws IOException {
        return metadata(directory, completedAt, changelog(7, List.of(), log));
    }

    static Path metadata(Path directory, long completedAt, KeyedStateHandle state)
            throws IOException {
        Path file = Files.createDirectories(directory).resolve(MetadataFile.NAME);
        try (OutputStream out = Files.newOutputStream(file)) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(7, List.of(operator(state)), List.of()), out);
        }
        Files.setLastModifiedTime(file, FileTime.fromMillis(completedAt));
        return file;
    }

    /** An operator with one subtask. */
    static OperatorState operator(KeyedStateHandle state) {
        OperatorState operator = new OperatorState(new OperatorID(1, 2), 1, 128);
        operator.putState(0, OperatorSubtaskState.builder().setManagedKeyedState(state).build());
        return operator;
    }

    /** Writes what RocksDB has materialized, beside the checkpoints of a job. */
    ChangelogStateBackendHandle materialized(
            String job, long id, long writtenAt, StreamStateHandle... log) throws IOException {
        StreamStateHandle shared = stateFile(job, "shared", "sst", writtenAt);
        StreamStateHandle own = stateFile(job, "taskowned", "own", writtenAt);
        KeyedStateHandle base =
                new IncrementalRemoteKeyedStateHandle(
                        new UUID(1, 2),
                        ALL,
                        id,
                        List.of(HandleAndLocalPath.of(shared, "1.sst")),
                        List.of(HandleAndLocalPath.of(own, "MANIFEST")),
                        stateFile(job, "taskowned", "meta", writtenAt));
        return changelog(id, List.of(base), log);
    }

    /** Writes what RocksDB writes for a checkpoint without a changelog. */
    KeyedStateHandle plain(String job, long id, long writtenAt) throws IOException {
        return new IncrementalRemoteKeyedStateHandle(
                new UUID(1, id),
                ALL,
                id,
                List.of(),
                List.of(),
                stateFile(job, "chk-" + id, "base", writtenAt));
    }

    /** As restored from another changelog checkpoint: its logs are part of the base. */
    static ChangelogStateBackendHandle changelog(
            long id, List<KeyedStateHandle> base, StreamStateHandle... segments) {
        List<ChangelogStateHandle> logs = new ArrayList<>();
        for (StreamStateHandle segment : segments) {
            logs.add(logOf(segment));
        }
        return new ChangelogStateBackendHandleImpl(base, logs, ALL, id, 1, SEGMENT_BYTES);
    }

    private static ChangelogStateHandle logOf(StreamStateHandle segment) {
        return new ChangelogStateHandleStreamImpl(
                List.of(Tuple2.of(segment, 1L)), ALL, SEGMENT_BYTES, SEGMENT_BYTES, "filesystem");
    }

    private Path file(String job, String name) {
        return log().resolve(job).resolve("dstl").resolve(uuid(name));
    }

    /** As files are named; the same for the same text. */
    String uuid(String name) {
        String uuid = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
        names.put(uuid, name);
        return uuid;
    }

    /** A segment that a cluster with that directory of checkpoints has written. */
    StreamStateHandle segmentOf(Path checkpoints, String job, String name, long writtenAt)
            throws IOException {
        String uuid = SegmentName.indexed(UUID.fromString(uuid(name)));
        String marked = ClusterMark.put(uuid, ClusterMark.of(flink(checkpoints)));
        names.put(marked, name);
        return write(log().resolve(job).resolve("dstl").resolve(marked), writtenAt);
    }

    /** A state file beside the checkpoints of a job. */
    StreamStateHandle stateFile(String job, String directory, String name, long writtenAt)
            throws IOException {
        return write(checkpoints().resolve(job).resolve(directory).resolve(uuid(name)), writtenAt);
    }

    /** Names of all files in a directory beside the checkpoints of a job, in order. */
    List<String> stateFiles(String job, String directory) throws IOException {
        return namesIn(checkpoints().resolve(job).resolve(directory));
    }

    static org.apache.flink.core.fs.Path flink(Path path) {
        return new org.apache.flink.core.fs.Path(path.toUri());
    }
}
