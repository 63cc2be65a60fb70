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
import io.dstl.bench.fleet.StateShape.Pieces;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.PlaceholderStreamStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * The files of one RocksDB, snapshot by snapshot: some are new, and as many of the oldest go, as if
 * they had been compacted. For one thread.
 */
final class SstFiles {
    private final TaskStates states;
    private final UUID backend;
    private final KeyGroupRange keyGroups;
    private final Generation stored;
    private final Generation inline;
    private int numbered;

    SstFiles(TaskStates states, UUID backend, KeyGroupRange keyGroups) {
        this.states = states;
        this.backend = backend;
        this.keyGroups = keyGroups;
        this.stored = new Generation(states.shape.files, true);
        this.inline = new Generation(states.shape.inlineFiles, false);
    }

    /**
     * As a task acknowledges it: a file that a confirmed checkpoint has is only named.
     *
     * @param more files that it refers to as well
     */
    IncrementalRemoteKeyedStateHandle snapshot(Directive directive, List<HandleAndLocalPath> more) {
        List<HandleAndLocalPath> shared = new ArrayList<>(more);
        stored.advance(directive, shared);
        inline.advance(directive, shared);
        List<HandleAndLocalPath> own = new ArrayList<>();
        addOwn(own, states.shape.own, true, directive);
        addOwn(own, states.shape.inlineOwn, false, directive);
        // The description of the states, which every snapshot has, is one of those of its own.
        StreamStateHandle description =
                own.isEmpty()
                        ? new ByteStreamStateHandle(states.name(), new byte[1])
                        : own.remove(own.size() - 1).getHandle();
        return new IncrementalRemoteKeyedStateHandle(
                backend, keyGroups, directive.checkpoint, shared, own, description);
    }

    private void addOwn(
            List<HandleAndLocalPath> to, Pieces pieces, boolean inStore, Directive directive) {
        long count = Math.round(pieces.count);
        for (int i = 0; i < count; i++) {
            StreamStateHandle handle =
                    inStore ? states.own(directive.checkpoint, pieces.bytes) : inline(pieces.bytes);
            to.add(HandleAndLocalPath.of(handle, "own-" + to.size()));
        }
    }

    private StreamStateHandle inline(long bytes) {
        return new ByteStreamStateHandle(states.name(), new byte[Math.toIntExact(bytes)]);
    }

    /** The files of one kind that the backend has. */
    private final class Generation {
        private final Pieces pieces;
        private final boolean inStore;
        private final Deque<SstFile> files = new ArrayDeque<>();

        /** That are due; below 1 after each snapshot. */
        private double due;

        Generation(Pieces pieces, boolean inStore) {
            this.pieces = pieces;
            this.inStore = inStore;
        }

        void advance(Directive directive, List<HandleAndLocalPath> to) {
            due += files.isEmpty() ? pieces.count : pieces.added;
            while (due >= 1) {
                due--;
                StreamStateHandle handle =
                        inStore ? states.shared(pieces.bytes) : inline(pieces.bytes);
                files.add(new SstFile(handle, ++numbered, directive.checkpoint));
            }
            while (files.size() > Math.ceil(pieces.count)) {
                files.remove();
            }
            files.forEach(file -> to.add(file.since(directive.confirmed)));
        }
    }

    private static final class SstFile {
        private final StreamStateHandle handle;
        private final String localPath;
        private final long checkpoint;

        SstFile(StreamStateHandle handle, int number, long checkpoint) {
            this.handle = handle;
            this.localPath = String.format(Locale.ROOT, "%06d.sst", number);
            this.checkpoint = checkpoint;
        }

        HandleAndLocalPath since(long confirmed) {
            StreamStateHandle sent =
                    checkpoint <= confirmed
                            ? new PlaceholderStreamStateHandle(
                                    handle.getStreamStateHandleID(), handle.getStateSize(), false)
                            : handle;
            return HandleAndLocalPath.of(sent, localPath);
        }
    }
}
