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

import static io.dstl.changelog.testing.Serializers.LONGS;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.testing.EveryState;
import io.dstl.changelog.testing.PlainBackend;
import io.dstl.changelog.testing.StateTarget;
import io.dstl.fs.read.LoggedChanges;
import io.dstl.materializer.ReplayRate;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.contrib.streaming.state.RocksDbContent;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.clock.ManualClock;

/** A delegate and a replay into it; logs are kept in memory. */
final class ReplayFixture implements AutoCloseable {
    /** By its name a segment with an index, which all that is read of is verified by. */
    static final String VERIFIED = "01234567-89ab-8def-8123-456789abcdef";

    /** By its name a segment of Flink's own backend. */
    static final String OF_STOCK = "89abcdef-0123-4567-89ab-cdef01234567";

    final AbstractKeyedStateBackend<Integer> delegate;
    final BulkReplay bulk;
    final DelegateTarget<Integer> target;
    final SegmentSource segments = new SegmentSource();
    final CloseableRegistry cancellation = new CloseableRegistry();
    final ManualClock clock = new ManualClock();
    final ReplayRate rate = new ReplayRate(1);
    final ManualClock ttlClock = new ManualClock();

    private ReplayFixture(
            DelegateKind kind, Path directory, KeyGroupRange keyGroups, BulkSettings settings)
            throws Exception {
        delegate = kind.create(directory, keyGroups, ttlClock::absoluteTimeMillis);
        bulk = new BulkReplay(settings, keyGroups, cancellation, clock);
        target = new DelegateTarget<>(delegate, bulk);
    }

    static ReplayFixture of(DelegateKind kind, Path directory) throws Exception {
        return of(kind, directory, DelegateKind.ALL);
    }

    static ReplayFixture of(DelegateKind kind, Path directory, KeyGroupRange keyGroups)
            throws Exception {
        return new ReplayFixture(kind, directory, keyGroups, kind.bulk());
    }

    /** Into RocksDB. */
    static ReplayFixture inBulk(Path directory, BulkSettings settings) throws Exception {
        return inBulk(DelegateKind.ROCKSDB, directory, settings);
    }

    static ReplayFixture inBulk(DelegateKind kind, Path directory, BulkSettings settings)
            throws Exception {
        return new ReplayFixture(kind, directory, DelegateKind.ALL, settings);
    }

    LogReplay replayFrom(LogSource source) {
        return new LogReplay(
                target, source, getClass().getClassLoader(), cancellation, clock, rate);
    }

    /** As a restore does: reading ahead. */
    void replay(ChangelogStateBackendHandle... handles) throws IOException {
        replayFrom(new ReadAhead(segments, cancellation, new RestoreProgress(clock)))
                .replay(Arrays.asList(handles));
    }

    /** Ends the change set of the log and replays it alone. */
    void replay(HandWrittenLog log) throws IOException {
        replay(verified(log));
    }

    /** Where states are registered after a replay, as the backend does for user code. */
    StateTarget<Integer> registration() {
        return new PlainBackend<>(delegate) {
            @Override
            @SuppressWarnings("unchecked") // Each state of a delegate is one for users within.
            public <N, S extends State, T, I extends S> I state(
                    TypeSerializer<N> namespaces, StateDescriptor<S, T> descriptor)
                    throws Exception {
                I state = super.state(namespaces, descriptor);
                target.leftovers()
                        .resolveMerges(descriptor, (InternalKvState<Integer, ?, ?>) state);
                return state;
            }
        };
    }

    /** What every state holds; empties the timers. */
    List<String> everyState() throws Exception {
        return new EveryState(registration()).content(delegate);
    }

    /** The state as user code gets it, for a key and a namespace. */
    <S extends State> S state(StateDescriptor<S, ?> descriptor, int key, long namespace)
            throws Exception {
        delegate.setCurrentKey(key);
        return delegate.getPartitionedState(namespace, LONGS, descriptor);
    }

    /** All that RocksDB has of these states once the queues have written what they keep back. */
    List<String> content(List<String> states) throws Exception {
        for (ReplayLeftovers.Queue<?> queue : target.leftovers().queues().values()) {
            try (CloseableIterator<?> elements = queue.content().iterator()) {
                elements.forEachRemaining(ignored -> {});
            }
        }
        return RocksDbContent.of(delegate, states);
    }

    /** A log of all key groups in one segment, which is verified. */
    static ChangelogStateBackendHandle verified(byte[]... changeSets) throws IOException {
        return handle(segment(VERIFIED, changeSets));
    }

    /** As {@link #verified(byte[]...)}; ends the change sets. */
    static ChangelogStateBackendHandle verified(HandWrittenLog... changeSets) throws IOException {
        return handle(segment(VERIFIED, changeSets));
    }

    /** As {@link #verified(HandWrittenLog...)}, of a task that has only these key groups. */
    static ChangelogStateBackendHandle verified(KeyGroupRange range, HandWrittenLog... changeSets)
            throws IOException {
        return handle(range, log(range, segment(VERIFIED, changeSets)));
    }

    /** A key of these key groups; another one for another number. */
    static int key(KeyGroupRange range, int number) {
        return IntStream.iterate(1, key -> key + 1)
                .filter(
                        key ->
                                range.contains(
                                        KeyGroupRangeAssignment.assignToKeyGroup(
                                                key, DelegateKind.KEY_GROUPS)))
                .skip(number)
                .findFirst()
                .getAsInt();
    }

    /** A log of all key groups. */
    @SafeVarargs
    static ChangelogStateBackendHandle handle(List<Tuple2<StreamStateHandle, Long>>... segments) {
        return handle(DelegateKind.ALL, log(DelegateKind.ALL, segments));
    }

    static ChangelogStateBackendHandle handle(KeyGroupRange range, ChangelogStateHandle... logs) {
        return new ChangelogStateBackendHandleImpl(
                Collections.emptyList(), Arrays.asList(logs), range, 42L, 7L, 0L);
    }

    @SafeVarargs
    static ChangelogStateHandle log(
            KeyGroupRange range, List<Tuple2<StreamStateHandle, Long>>... segments) {
        List<Tuple2<StreamStateHandle, Long>> parts = new ArrayList<>();
        Arrays.asList(segments).forEach(parts::addAll);
        long size =
                parts.stream()
                        .map(part -> part.f0)
                        .distinct()
                        .mapToLong(StreamStateHandle::getStateSize)
                        .sum();
        return new ChangelogStateHandleStreamImpl(parts, range, size, 0L, "filesystem");
    }

    /** As {@link #segment(String, byte[]...)}; ends the change sets. */
    static List<Tuple2<StreamStateHandle, Long>> segment(String name, HandWrittenLog... changeSets)
            throws IOException {
        byte[][] sealed = new byte[changeSets.length][];
        for (int i = 0; i < sealed.length; i++) {
            sealed[i] = changeSets[i].seal();
        }
        return segment(name, sealed);
    }

    /** An uncompressed segment, with the offset of each of its change sets. */
    static List<Tuple2<StreamStateHandle, Long>> segment(String name, byte[]... changeSets)
            throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.write(0);
        List<Long> offsets = new ArrayList<>();
        for (byte[] changeSet : changeSets) {
            offsets.add(content.size() - 1L);
            content.write(changeSet);
        }
        StreamStateHandle file = new ByteStreamStateHandle(name, content.toByteArray());
        List<Tuple2<StreamStateHandle, Long>> parts = new ArrayList<>();
        offsets.forEach(offset -> parts.add(Tuple2.of(file, offset)));
        return parts;
    }

    @Override
    public void close() throws Exception {
        bulk.close();
        delegate.close();
        delegate.dispose();
    }

    /** Reads segments as the format says, with no code of the storage. Counts what is left open. */
    static final class SegmentSource implements LogSource {
        private int open;
        private int opened;
        private boolean grouped = true;

        /** From now on it reads what Flink's own backend has written. */
        void ungrouped() {
            grouped = false;
        }

        int open() {
            return open;
        }

        int opened() {
            return opened;
        }

        @Override
        public CloseableIterator<StateChange> open(
                ChangelogStateHandle log, KeyGroupRange keyGroups) throws IOException {
            List<StateChange> changes = new ArrayList<>();
            for (Tuple2<StreamStateHandle, Long> part :
                    ((ChangelogStateHandleStreamImpl) log).getHandlesAndOffsets()) {
                changes.addAll(read(part.f0, part.f1));
            }
            open++;
            opened++;
            return new ReadChanges(changes.iterator());
        }

        private final class ReadChanges implements LoggedChanges {
            private final Iterator<StateChange> changes;

            ReadChanges(Iterator<StateChange> changes) {
                this.changes = changes;
            }

            @Override
            public boolean isGrouped() {
                return grouped;
            }

            @Override
            public boolean hasNext() {
                return changes.hasNext();
            }

            @Override
            public StateChange next() {
                return changes.next();
            }

            @Override
            public void close() {
                open--;
            }
        }

        private static List<StateChange> read(StreamStateHandle segment, long offset)
                throws IOException {
            List<StateChange> changes = new ArrayList<>();
            try (InputStream file = segment.openInputStream();
                    DataInputStream in = new DataInputStream(content(file))) {
                for (long skipped = 0; skipped < offset; skipped++) {
                    in.readByte();
                }
                int groups = in.readInt();
                for (int group = 0; group < groups; group++) {
                    int count = in.readInt();
                    int keyGroup = in.readInt();
                    for (int i = 0; i < count; i++) {
                        byte[] record = new byte[in.readInt()];
                        in.readFully(record);
                        changes.add(
                                keyGroup == HandWrittenLog.META_GROUP
                                        ? StateChange.ofMetadataChange(record)
                                        : StateChange.ofDataChange(keyGroup, record));
                    }
                }
            }
            return changes;
        }

        private static InputStream content(InputStream file) throws IOException {
            return file.read() == 1
                    ? SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(file)
                    : file;
        }
    }
}
