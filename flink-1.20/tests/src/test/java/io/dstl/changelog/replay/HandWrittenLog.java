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

import static java.util.Collections.singletonMap;

import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.testing.LoggedBackend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshotReadersWriters;
import org.apache.flink.types.StringValue;
import org.apache.flink.util.function.ThrowingConsumer;

/**
 * Writes change sets byte by byte as the format says, with no code of the writer: keys are ints,
 * namespaces longs.
 */
final class HandWrittenLog {
    static final int CLEAR = 0;
    static final int SET = 1;
    static final int SET_INTERNAL = 2;
    static final int ADD = 3;
    static final int MERGE_NS = 4;
    static final int ADD_ELEMENT = 5;
    static final int ADD_OR_UPDATE_ELEMENT = 6;
    static final int REMOVE_ELEMENT = 7;
    static final int METADATA = 8;
    static final int META_GROUP = -1;

    /** Writes the data of a record. */
    interface Data extends ThrowingConsumer<DataOutputSerializer, IOException> {}

    static final Data NOTHING = out -> {};

    private final Map<Integer, List<byte[]>> groups = new TreeMap<>();

    static int keyGroup(int key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, DelegateKind.KEY_GROUPS);
    }

    HandWrittenLog raw(int keyGroup, Data record) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        record.accept(out);
        groups.computeIfAbsent(keyGroup, ignored -> new ArrayList<>()).add(out.getCopyOfBuffer());
        return this;
    }

    HandWrittenLog change(int op, int id, int key, long namespace, Data data) throws IOException {
        return raw(
                keyGroup(key),
                out -> {
                    out.writeByte(op);
                    out.writeShort(id);
                    out.writeInt(key);
                    out.writeLong(namespace);
                    data.accept(out);
                });
    }

    HandWrittenLog queueChange(int op, int id, int keyGroup, Data data) throws IOException {
        return raw(
                keyGroup,
                out -> {
                    out.writeByte(op);
                    out.writeShort(id);
                    data.accept(out);
                });
    }

    HandWrittenLog state(
            int id,
            String name,
            StateDescriptor.Type kind,
            TypeSerializer<?> namespaces,
            TypeSerializer<?> values)
            throws IOException {
        return state(
                id,
                name,
                kind.name(),
                namespaces.snapshotConfiguration(),
                values.snapshotConfiguration());
    }

    HandWrittenLog state(
            int id,
            String name,
            String kind,
            TypeSerializerSnapshot<?> namespaces,
            TypeSerializerSnapshot<?> values)
            throws IOException {
        StateMetaInfoSnapshot snapshot = metaInfo(name, kind, namespaces, values);
        return raw(
                META_GROUP,
                out -> {
                    writeHead(snapshot, out);
                    out.writeBoolean(false);
                    out.writeBoolean(false);
                    out.writeShort(id);
                    out.writeByte(0);
                });
    }

    static StateMetaInfoSnapshot metaInfo(
            String name,
            String kind,
            TypeSerializerSnapshot<?> namespaces,
            TypeSerializerSnapshot<?> values) {
        return new StateMetaInfoSnapshot(
                name,
                BackendStateType.KEY_VALUE,
                singletonMap("KEYED_STATE_TYPE", kind),
                Map.of("NAMESPACE_SERIALIZER", namespaces, "VALUE_SERIALIZER", values));
    }

    HandWrittenLog queue(int id, String name, TypeSerializer<?> elements) throws IOException {
        StateMetaInfoSnapshot snapshot =
                new StateMetaInfoSnapshot(
                        name,
                        BackendStateType.PRIORITY_QUEUE,
                        Map.of(),
                        singletonMap("VALUE_SERIALIZER", elements.snapshotConfiguration()));
        return raw(
                META_GROUP,
                out -> {
                    writeHead(snapshot, out);
                    out.writeShort(id);
                    out.writeByte(3);
                });
    }

    private static void writeHead(StateMetaInfoSnapshot snapshot, DataOutputSerializer out)
            throws IOException {
        out.writeByte(METADATA);
        out.writeInt(7);
        StateMetaInfoSnapshotReadersWriters.getWriter().writeStateMetaInfoSnapshot(snapshot, out);
    }

    /** Ends the change set: what is written from here on is in the next one. */
    byte[] seal() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        out.writeInt(groups.size());
        for (Map.Entry<Integer, List<byte[]>> group : groups.entrySet()) {
            out.writeInt(group.getValue().size());
            out.writeInt(group.getKey());
            for (byte[] record : group.getValue()) {
                out.writeInt(record.length);
                out.write(record);
            }
        }
        groups.clear();
        return out.getCopyOfBuffer();
    }

    /** The change set of what a backend has recorded since its records were last taken. */
    static byte[] changeSet(LoggedBackend<?> recorded) throws IOException {
        HandWrittenLog changes = new HandWrittenLog();
        for (RecordedChange change : recorded.log.take()) {
            int keyGroup = change.isMetadata() ? META_GROUP : change.keyGroup();
            changes.raw(keyGroup, out -> out.write(change.bytes()));
        }
        return changes.seal();
    }

    // The data of records, as the serializers of Flink's basic types write them.

    static Data text(String value) {
        return out -> StringValue.writeString(value, out);
    }

    static Data number(long value) {
        return out -> out.writeLong(value);
    }

    /** A list is its size and its elements. */
    static Data longs(long... values) {
        return out -> {
            out.writeInt(values.length);
            for (long value : values) {
                out.writeLong(value);
            }
        };
    }

    static Data entry(String key, long value) {
        return out -> {
            StringValue.writeString(key, out);
            out.writeLong(value);
        };
    }

    /** A map is its size, then each key, whether its value is null, and the value. */
    static Data entries(String key1, long value1, String key2, long value2) {
        return out -> {
            out.writeInt(2);
            StringValue.writeString(key1, out);
            out.writeBoolean(false);
            out.writeLong(value1);
            StringValue.writeString(key2, out);
            out.writeBoolean(false);
            out.writeLong(value2);
        };
    }

    static Data nullEntry(String key) {
        return out -> {
            out.writeInt(1);
            StringValue.writeString(key, out);
            out.writeBoolean(true);
        };
    }

    static Data merge(long target, long... sources) {
        return out -> {
            out.writeLong(target);
            longs(sources).accept(out);
        };
    }

    static Data timers(int key, long... times) {
        return out -> {
            out.writeInt(times.length);
            for (long time : times) {
                timer(key, time).accept(out);
            }
        };
    }

    /**
     * A timer is its time with the sign flipped, so that bytes sort as times do, key, namespace.
     */
    static Data timer(int key, long time) {
        return out -> {
            out.writeLong(time ^ Long.MIN_VALUE);
            out.writeInt(key);
            out.writeLong(0L);
        };
    }
}
