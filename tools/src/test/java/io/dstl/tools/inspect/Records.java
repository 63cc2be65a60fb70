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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshotReadersWriters;

/** Records as any changelog writes them, with string keys and the void namespace. */
final class Records {
    static final int KEY_GROUPS = 128;

    private Records() {}

    /** Writes a part of a record. */
    interface Data {
        void writeTo(DataOutputSerializer out) throws IOException;
    }

    static int groupOf(String key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, KEY_GROUPS);
    }

    static byte[] change(ChangeOp op, int state, String key, Data data) {
        return bytes(
                out -> {
                    out.writeByte(op.code());
                    out.writeShort(state);
                    StringSerializer.INSTANCE.serialize(key, out);
                    VoidNamespaceSerializer.INSTANCE.serialize(VoidNamespace.INSTANCE, out);
                    data.writeTo(out);
                });
    }

    static byte[] clear(int state, String key) {
        return change(ChangeOp.CLEAR, state, key, out -> {});
    }

    static byte[] set(int state, String key, String value) {
        return change(
                ChangeOp.SET, state, key, out -> StringSerializer.INSTANCE.serialize(value, out));
    }

    static byte[] put(int state, String key, String entry, long value) {
        return change(
                ChangeOp.ADD_OR_UPDATE_ELEMENT,
                state,
                key,
                out -> {
                    StringSerializer.INSTANCE.serialize(entry, out);
                    LongSerializer.INSTANCE.serialize(value, out);
                });
    }

    static byte[] putAll(int state, String key, Map<String, Long> entries) {
        return change(
                ChangeOp.ADD,
                state,
                key,
                out -> {
                    out.writeInt(entries.size());
                    for (Map.Entry<String, Long> entry : entries.entrySet()) {
                        StringSerializer.INSTANCE.serialize(entry.getKey(), out);
                        out.writeBoolean(false);
                        LongSerializer.INSTANCE.serialize(entry.getValue(), out);
                    }
                });
    }

    static byte[] remove(int state, String key, String entry) {
        return change(
                ChangeOp.REMOVE_ELEMENT,
                state,
                key,
                out -> StringSerializer.INSTANCE.serialize(entry, out));
    }

    static byte[] add(int state, String key, String element) {
        return change(
                ChangeOp.ADD_ELEMENT,
                state,
                key,
                out -> StringSerializer.INSTANCE.serialize(element, out));
    }

    static byte[] queued(int state, long element) {
        return bytes(
                out -> {
                    out.writeByte(ChangeOp.ADD_ELEMENT.code());
                    out.writeShort(state);
                    out.writeInt(1);
                    out.writeLong(element);
                });
    }

    static byte[] polled(int state, long element) {
        return bytes(
                out -> {
                    out.writeByte(ChangeOp.REMOVE_ELEMENT.code());
                    out.writeShort(state);
                    out.writeLong(element);
                });
    }

    static byte[] describe(
            int state, String name, StateDescriptor.Type type, TypeSerializer<?> values) {
        return metadata(
                state,
                new RegisteredKeyValueStateBackendMetaInfo<>(
                                type, name, VoidNamespaceSerializer.INSTANCE, values)
                        .snapshot());
    }

    static byte[] describeQueue(int state, String name) {
        return metadata(
                state,
                new RegisteredPriorityQueueStateBackendMetaInfo<>(name, LongSerializer.INSTANCE)
                        .snapshot());
    }

    private static byte[] metadata(int state, StateMetaInfoSnapshot snapshot) {
        return bytes(
                out -> {
                    out.writeByte(ChangeOp.METADATA.code());
                    out.writeInt(
                            StateMetaInfoSnapshotReadersWriters
                                    .CURRENT_STATE_META_INFO_SNAPSHOT_VERSION);
                    StateMetaInfoSnapshotReadersWriters.getWriter()
                            .writeStateMetaInfoSnapshot(snapshot, out);
                    if (snapshot.getBackendStateType() == BackendStateType.KEY_VALUE) {
                        out.writeBoolean(false);
                        out.writeBoolean(false);
                    }
                    out.writeShort(state);
                    out.writeByte(snapshot.getBackendStateType().getCode());
                });
    }

    static byte[] bytes(Data data) {
        DataOutputSerializer out = new DataOutputSerializer(64);
        try {
            data.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.getCopyOfBuffer();
    }

    /** As they count in a log: with their framing. */
    static long counted(byte[]... records) {
        return List.of(records).stream()
                .mapToLong(record -> record.length + RecordLayout.FRAMING_BYTES)
                .sum();
    }
}
