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
import io.dstl.tools.inspect.DescribedState.TimerTypes;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshotSerializationUtil;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;

/**
 * Reads as much of a METADATA record as is possible without the classes of the job. A restore needs
 * all of it and fails without them; here the name and the number of the state are enough to go on.
 *
 * <p>The snapshot of a serializer does not say where it ends. So each is looked for by the name
 * that stands before it, and one that can't be read does not hide the others.
 */
final class MetadataRecord {
    /** Behind all that may be unreadable: the state id, and the code of the state's kind. */
    private static final int TAIL_BYTES = Short.BYTES + 1;

    private static final String TIMERS = "TimerSerializerSnapshot";

    private final short id;
    private final DescribedState state;

    private MetadataRecord(short id, DescribedState state) {
        this.id = id;
        this.state = state;
    }

    /** What stands for the state in the records that follow. */
    short id() {
        return id;
    }

    DescribedState state() {
        return state;
    }

    /**
     * @param record whole, as logged
     * @throws IOException if it is damaged, or of a form unknown here
     */
    static MetadataRecord read(byte[] record) throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(record);
        if (in.readByte() != ChangeOp.METADATA.code() || record.length < TAIL_BYTES) {
            throw new IOException("metadata that does not begin as such");
        }
        in.readInt();
        String name = in.readUTF();
        BackendStateType type = typeOf(in.readInt());
        Map<String, String> options = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            options.put(in.readUTF(), in.readUTF());
        }
        int serializersAt = in.getPosition();
        short id = ByteBuffer.wrap(record).getShort(record.length - TAIL_BYTES);
        if (id < 0) {
            throw new IOException("metadata of state '" + name + "' with id " + id);
        }
        return new MetadataRecord(id, stateOf(name, type, options, record, serializersAt));
    }

    private static BackendStateType typeOf(int ordinal) throws IOException {
        BackendStateType[] types = BackendStateType.values();
        if (ordinal < 0 || ordinal >= types.length) {
            throw new IOException("metadata of a state of kind " + ordinal);
        }
        return types[ordinal];
    }

    private static DescribedState stateOf(
            String name,
            BackendStateType type,
            Map<String, String> options,
            byte[] record,
            int serializersAt)
            throws IOException {
        Optional<TypeSerializerSnapshot<?>> values =
                snapshot(record, serializersAt, CommonSerializerKeys.VALUE_SERIALIZER);
        if (type == BackendStateType.PRIORITY_QUEUE) {
            return DescribedState.queue(name, values.flatMap(MetadataRecord::timersOf));
        }
        return DescribedState.keyed(
                name,
                options.getOrDefault(CommonOptionsKeys.KEYED_STATE_TYPE.toString(), "?"),
                snapshot(record, serializersAt, CommonSerializerKeys.NAMESPACE_SERIALIZER)
                        .flatMap(BuiltInTypes::restore),
                values.flatMap(BuiltInTypes::restore));
    }

    private static Optional<TypeSerializerSnapshot<?>> snapshot(
            byte[] record, int from, CommonSerializerKeys key) throws IOException {
        byte[] name = utf(key.toString());
        int at = indexOf(record, name, from);
        if (at < 0) {
            return Optional.empty();
        }
        int begin = at + name.length;
        DataInputDeserializer in = new DataInputDeserializer(record, begin, record.length - begin);
        try {
            return Optional.of(
                    TypeSerializerSnapshotSerializationUtil.readSerializerSnapshot(
                            in, MetadataRecord.class.getClassLoader()));
        } catch (IOException | RuntimeException | LinkageError e) {
            // The job's own class, or that of a library of the job: its values are shown as bytes.
            return Optional.empty();
        }
    }

    private static Optional<TimerTypes> timersOf(TypeSerializerSnapshot<?> elements) {
        if (!elements.getClass().getSimpleName().equals(TIMERS)
                || !(elements instanceof CompositeTypeSerializerSnapshot)) {
            return Optional.empty();
        }
        TypeSerializerSnapshot<?>[] parts =
                ((CompositeTypeSerializerSnapshot<?, ?>) elements).getNestedSerializerSnapshots();
        Optional<TypeSerializer<?>> keys = BuiltInTypes.restore(parts[0]);
        Optional<TypeSerializer<?>> namespaces = BuiltInTypes.restore(parts[1]);
        return keys.isPresent() && namespaces.isPresent()
                ? Optional.of(new TimerTypes(keys.get(), namespaces.get()))
                : Optional.empty();
    }

    /** As {@link java.io.DataOutput#writeUTF} writes it. */
    private static byte[] utf(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new DataOutputStream(bytes).writeUTF(text);
        return bytes.toByteArray();
    }

    private static int indexOf(byte[] bytes, byte[] wanted, int from) {
        for (int at = from; at <= bytes.length - wanted.length; at++) {
            int matched = 0;
            while (matched < wanted.length && bytes[at + matched] == wanted[matched]) {
                matched++;
            }
            if (matched == wanted.length) {
                return at;
            }
        }
        return -1;
    }
}
