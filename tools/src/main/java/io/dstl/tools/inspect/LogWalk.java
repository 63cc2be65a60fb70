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
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.read.ContentSource;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.segment.SetInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.changelog.inmemory.InMemoryChangelogStateHandle;

/**
 * Goes through the logs of one subtask as a replay does: handle by handle, set by set, only the
 * changes of the key groups that handle and log have in common, and with one table of state ids for
 * each handle.
 *
 * <p>Unlike a replay it goes on behind a set that can't be read.
 *
 * <p>Holds one block of a segment. For one thread.
 */
final class LogWalk {
    private final ContentSource source;
    private final ChangeSink sink;
    private final Listener listener;

    /** Is told how it goes. */
    interface Listener {
        /** A set was read, or given up. */
        void setDone(SegmentLocation set);

        /** All sets of a log were. */
        default void logDone(ChangelogStateHandle log) {}

        /** A set, or the rest of it, can't be read. */
        void damaged(SegmentLocation set, Exception cause);
    }

    LogWalk(ContentSource source, ChangeSink sink, Listener listener) {
        this.source = source;
        this.sink = sink;
        this.listener = listener;
    }

    /**
     * @throws IOException at a log of an unknown kind
     */
    void walk(List<ChangelogStateBackendHandle> handles) throws IOException {
        for (ChangelogStateBackendHandle handle : handles) {
            Map<Short, DescribedState> states = new HashMap<>();
            for (ChangelogStateHandle log : handle.getNonMaterializedStateHandles()) {
                KeyGroupRange keyGroups =
                        handle.getKeyGroupRange().getIntersection(log.getKeyGroupRange());
                if (log instanceof ChangelogStateHandleStreamImpl) {
                    stored((ChangelogStateHandleStreamImpl) log, keyGroups, states);
                } else if (log instanceof InMemoryChangelogStateHandle) {
                    inMemory((InMemoryChangelogStateHandle) log, keyGroups, states);
                } else {
                    throw new IOException(
                            "It has a log of a kind unknown to this version of dstl: "
                                    + log.getClass().getName());
                }
                listener.logDone(log);
            }
        }
    }

    private void stored(
            ChangelogStateHandleStreamImpl log,
            KeyGroupRange keyGroups,
            Map<Short, DescribedState> states) {
        for (var location : log.getHandlesAndOffsets()) {
            if (sink.isFull()) {
                return;
            }
            SegmentLocation set = new SegmentLocation(location.f0, location.f1);
            sink.beginSet(set);
            try {
                SetInput input =
                        source.open(new SetRequest(set.segment(), set.offset(), keyGroups));
                try (var content = input.content()) {
                    decode(input.decode(keyGroups), keyGroups, states, sink);
                }
            } catch (IOException | RuntimeException e) {
                listener.damaged(set, e);
            }
            listener.setDone(set);
        }
    }

    /**
     * Hands on the changes of one set.
     *
     * @param states as described so far; those that the set describes are added
     * @throws IOException at the first change that can't be read
     */
    static void decode(
            ChangeSetDecoder changes,
            KeyGroupRange keyGroups,
            Map<Short, DescribedState> states,
            ChangeSink sink)
            throws IOException {
        while (!sink.isFull() && changes.hasNext()) {
            take(changes.next(), keyGroups, states, sink);
        }
    }

    private void inMemory(
            InMemoryChangelogStateHandle log,
            KeyGroupRange keyGroups,
            Map<Short, DescribedState> states)
            throws IOException {
        for (StateChange change : log.getChanges()) {
            take(change, keyGroups, states, sink);
        }
    }

    private static void take(
            StateChange change,
            KeyGroupRange keyGroups,
            Map<Short, DescribedState> states,
            ChangeSink sink)
            throws IOException {
        byte[] record = change.getChange();
        if (record.length < RecordLayout.SCOPE_AT) {
            throw new IOException("a change of " + record.length + " bytes");
        }
        ChangeOp op = ChangeOp.byCode(record[0]);
        if (op == ChangeOp.METADATA) {
            MetadataRecord metadata = MetadataRecord.read(record);
            states.put(metadata.id(), metadata.state());
            sink.metadata(metadata.state(), record);
        } else if (keyGroups.contains(change.getKeyGroup())) {
            short id = ByteBuffer.wrap(record).getShort(RecordLayout.STATE_ID_AT);
            DescribedState state = states.computeIfAbsent(id, DescribedState::unknown);
            sink.change(state, op, change.getKeyGroup(), record);
        }
    }

    /** Takes the changes of one subtask, in the order of its log. One thread at a time. */
    interface ChangeSink {

        /** The changes that follow are of this set. */
        default void beginSet(SegmentLocation set) {}

        /**
         * @param record whole: op, state id, scope, data
         * @throws IOException if it does not parse; the set is then read no further
         */
        void change(DescribedState state, ChangeOp op, int keyGroup, byte[] record)
                throws IOException;

        /**
         * @return true to end the walk, also in the middle of a set, which may have no end in sight
         */
        default boolean isFull() {
            return false;
        }

        /** A record that describes a state. */
        default void metadata(DescribedState state, byte[] record) {}
    }
}
