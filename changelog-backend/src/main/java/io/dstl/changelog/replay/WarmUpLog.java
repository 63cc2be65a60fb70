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

import static org.apache.flink.runtime.state.KeyGroupRangeAssignment.assignToKeyGroup;

import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.StateId;
import io.dstl.changelog.record.StateLog;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.fs.arena.Arena;
import io.dstl.fs.arena.Arena.KeyGroupSlots;
import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.arena.ChunkPool;
import io.dstl.fs.log.StorageIdentifier;
import io.dstl.fs.segment.SegmentEncoder;
import io.dstl.fs.segment.SegmentName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.LongFunction;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/**
 * A log in memory that belongs to no job, for {@link ReplayWarmUp}: one state of each kind, and
 * timers, with keys of one type. Each key comes in several change sets, as in a real log.
 *
 * @param <K> type of the keys
 */
final class WarmUpLog<K> {
    static final int KEY_GROUPS = 128;
    static final KeyGroupRange ALL = KeyGroupRange.of(0, KEY_GROUPS - 1);

    private static final int SETS = 4;
    private static final int KEYS = 1 << 12;

    /** In each change set, one of so many keys is cleared in one of its states. */
    private static final int CLEARED_IN = 8;

    /** The number of changes in all change sets. */
    static final int CHANGES = SETS * (KEYS * 5 + KEYS / CLEARED_IN);

    private static final int VALUE_BYTES = 100;

    /** The number of the queue, after those of the other states. */
    private static final int QUEUE = 4;

    private static final BytePrimitiveArraySerializer BYTES = BytePrimitiveArraySerializer.INSTANCE;
    private static final LongSerializer LONGS = LongSerializer.INSTANCE;
    private static final StringSerializer STRINGS = StringSerializer.INSTANCE;

    private final TypeSerializer<K> keySerializer;
    private final LongFunction<K> keys;
    private final TypeSerializer<TimerHeapInternalTimer<K, VoidNamespace>> timers;
    private final Random random;
    private final Arena arena = new Arena(new ChunkPool(0), ALL, false);
    private short states;

    /**
     * @param keys makes a key of a number
     * @param seed of the values
     */
    WarmUpLog(TypeSerializer<K> keySerializer, LongFunction<K> keys, long seed) {
        this.keySerializer = keySerializer;
        this.keys = keys;
        this.timers = new TimerSerializer<>(keySerializer, VoidNamespaceSerializer.INSTANCE);
        this.random = new Random(seed);
    }

    /**
     * @throws org.apache.flink.runtime.execution.CancelTaskException if the warm-up is cancelled
     */
    ChangelogStateBackendHandle write(Cancellation cancellation) throws IOException {
        List<Tuple2<StreamStateHandle, Long>> parts = new ArrayList<>();
        long bytes = 0;
        describeAll();
        for (int set = 0; set < SETS; set++) {
            cancellation.check();
            changeAll();
            StreamStateHandle segment = seal();
            parts.add(Tuple2.of(segment, 0L));
            bytes += segment.getStateSize();
        }
        return new ChangelogStateBackendHandleImpl(
                Collections.emptyList(),
                Collections.singletonList(
                        new ChangelogStateHandleStreamImpl(
                                parts, ALL, bytes, bytes, StorageIdentifier.FILESYSTEM)),
                ALL,
                0L,
                0L,
                0L);
    }

    private void describeAll() throws IOException {
        describe(StateDescriptor.Type.VALUE, BYTES);
        describe(StateDescriptor.Type.AGGREGATING, LONGS);
        describe(StateDescriptor.Type.MAP, new MapSerializer<>(STRINGS, LONGS));
        describe(StateDescriptor.Type.LIST, new ListSerializer<>(STRINGS));
        describe(
                StateMetadata.priorityQueue(
                        nextId(),
                        new RegisteredPriorityQueueStateBackendMetaInfo<>("timers", timers)
                                .snapshot()));
    }

    private void describe(StateDescriptor.Type kind, TypeSerializer<?> values) throws IOException {
        describe(
                StateMetadata.keyValue(
                        nextId(),
                        new RegisteredKeyValueStateBackendMetaInfo<>(
                                        kind, kind.name(), VoidNamespaceSerializer.INSTANCE, values)
                                .snapshot(),
                        Optional.empty(),
                        Optional.empty()));
    }

    private StateId nextId() {
        return StateId.of(states++);
    }

    private void describe(StateMetadata metadata) throws IOException {
        metadata.write(arena.beginRecord());
        arena.endRecord(KeyGroupSlots.METADATA);
    }

    /** Uses the numbers of the states, which are the order of their descriptions. */
    private void changeAll() throws IOException {
        for (int i = 0; i < KEYS; i++) {
            K key = keys.apply((long) random.nextInt(KEYS) << 20);
            byte[] value = new byte[VALUE_BYTES];
            random.nextBytes(value);
            long number = random.nextLong();
            String text = Long.toHexString(number);
            change(0, ChangeOp.SET, key, out -> BYTES.serialize(value, out));
            change(1, ChangeOp.SET_INTERNAL, key, out -> out.writeLong(number));
            change(
                    2,
                    ChangeOp.ADD_OR_UPDATE_ELEMENT,
                    key,
                    out -> {
                        STRINGS.serialize(text, out);
                        out.writeLong(number);
                    });
            change(3, ChangeOp.ADD_ELEMENT, key, out -> STRINGS.serialize(text, out));
            timer(key, number);
            if (i % CLEARED_IN == 0) {
                change(i / CLEARED_IN % QUEUE, ChangeOp.CLEAR, key, out -> {});
            }
        }
    }

    private void change(int state, ChangeOp op, K key, StateLog.Data data) throws IOException {
        DataOutputView out = begin(state, op);
        keySerializer.serialize(key, out);
        VoidNamespaceSerializer.INSTANCE.serialize(VoidNamespace.INSTANCE, out);
        data.writeTo(out);
        end(key);
    }

    private void timer(K key, long timestamp) throws IOException {
        DataOutputView out = begin(QUEUE, ChangeOp.ADD_ELEMENT);
        out.writeInt(1);
        timers.serialize(
                new TimerHeapInternalTimer<>(timestamp >>> 1, key, VoidNamespace.INSTANCE), out);
        end(key);
    }

    private DataOutputView begin(int state, ChangeOp op) throws IOException {
        DataOutputView out = arena.beginRecord();
        out.writeByte(op.code());
        out.writeShort(state);
        return out;
    }

    private void end(K key) throws IOException {
        arena.endRecord(KeyGroupSlots.ofKeyGroup(ALL, assignToKeyGroup(key, KEY_GROUPS)));
    }

    private StreamStateHandle seal() throws IOException {
        ChangeSet changes = arena.seal();
        ByteArrayOutputStream segment = new ByteArrayOutputStream();
        new SegmentEncoder(Collections.singletonList(changes), false).writeTo(segment);
        changes.release();
        UUID name = UUID.nameUUIDFromBytes(segment.toByteArray());
        return new ByteStreamStateHandle(SegmentName.indexed(name), segment.toByteArray());
    }
}
