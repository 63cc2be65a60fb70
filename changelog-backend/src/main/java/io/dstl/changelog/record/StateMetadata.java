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
package io.dstl.changelog.record;

import static org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys.KEYED_STATE_TYPE;
import static org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys.VALUE_SERIALIZER;
import static org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshotReadersWriters.CURRENT_STATE_META_INFO_SNAPSHOT_VERSION;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshotSerializationUtil;
import org.apache.flink.api.java.typeutils.runtime.DataInputViewStream;
import org.apache.flink.api.java.typeutils.runtime.DataOutputViewStream;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshotReadersWriters;
import org.apache.flink.util.Preconditions;

/**
 * What a METADATA record says: the state that an id stands for from here on, with all that replay
 * needs to register it.
 *
 * <pre>
 * byte    op, 8
 * int     version of the meta info, 7 in Flink 1.20
 * ...     StateMetaInfoSnapshot: name, kind, options, snapshots of the serializers
 *         key-value states only:
 * boolean   has time-to-live   [ Java-serialized StateTtlConfig ]
 * boolean   has default value  [ the value, by the value serializer ]
 * short   state id
 * byte    code of the BackendStateType
 * </pre>
 *
 * <p>Owns the layout of the record. Does not own what a backend does with it.
 */
public final class StateMetadata {
    private final StateId id;
    private final StateMetaInfoSnapshot snapshot;
    private final Optional<StateTtlConfig> ttlConfig;
    private final Optional<Object> defaultValue;

    private StateMetadata(
            StateId id,
            StateMetaInfoSnapshot snapshot,
            Optional<StateTtlConfig> ttlConfig,
            Optional<Object> defaultValue) {
        this.id = id;
        this.snapshot = snapshot;
        this.ttlConfig = ttlConfig;
        this.defaultValue = defaultValue;
    }

    /**
     * @param defaultValue of the type of the state's value serializer
     */
    public static StateMetadata keyValue(
            StateId id,
            StateMetaInfoSnapshot snapshot,
            Optional<StateTtlConfig> ttlConfig,
            Optional<Object> defaultValue) {
        Preconditions.checkArgument(snapshot.getBackendStateType() == BackendStateType.KEY_VALUE);
        return new StateMetadata(id, snapshot, ttlConfig, defaultValue);
    }

    public static StateMetadata priorityQueue(StateId id, StateMetaInfoSnapshot snapshot) {
        Preconditions.checkArgument(
                snapshot.getBackendStateType() == BackendStateType.PRIORITY_QUEUE);
        return new StateMetadata(id, snapshot, Optional.empty(), Optional.empty());
    }

    public StateId id() {
        return id;
    }

    public String name() {
        return snapshot.getName();
    }

    public BackendStateType type() {
        return snapshot.getBackendStateType();
    }

    public StateMetaInfoSnapshot snapshot() {
        return snapshot;
    }

    /** Empty for a state without time-to-live, and for a priority queue. */
    public Optional<StateTtlConfig> ttlConfig() {
        return ttlConfig;
    }

    /** A value of the type of {@link #valueSerializer()}; empty if none is set, and for queues. */
    public Optional<Object> defaultValue() {
        return defaultValue;
    }

    /** The serializer that the snapshot was taken of or, once read back, one restored from it. */
    @SuppressWarnings("unchecked")
    public TypeSerializer<Object> valueSerializer() {
        TypeSerializer<?> live = snapshot.getTypeSerializer(VALUE_SERIALIZER.toString());
        if (live != null) {
            return (TypeSerializer<Object>) live;
        }
        TypeSerializerSnapshot<?> saved = snapshot.getTypeSerializerSnapshot(VALUE_SERIALIZER);
        Preconditions.checkState(
                saved != null, "Metadata of state '%s' names no value serializer.", name());
        return (TypeSerializer<Object>) saved.restoreSerializer();
    }

    /**
     * Whether the record is the same at any time. Not with serializers that add types as they meet
     * them, as Flink's for POJOs do for subclasses, nor with others that may.
     */
    public boolean isFixed() {
        return snapshot.getSerializerSnapshotsImmutable().values().stream()
                .allMatch(StateMetadata::isFixed);
    }

    private static boolean isFixed(TypeSerializerSnapshot<?> schema) {
        if (schema instanceof SimpleTypeSerializerSnapshot) {
            return true;
        }
        if (!schema.getClass().getName().startsWith("org.apache.flink.")
                || schema instanceof PojoSerializerSnapshot) {
            return false;
        }
        return !(schema instanceof CompositeTypeSerializerSnapshot)
                || Arrays.stream(
                                ((CompositeTypeSerializerSnapshot<?, ?>) schema)
                                        .getNestedSerializerSnapshots())
                        .allMatch(StateMetadata::isFixed);
    }

    /**
     * Whether both describe a state of one type and kind, with serializers whose snapshots are the
     * same bytes.
     */
    public boolean hasSchemaOf(StateMetadata other) throws IOException {
        return Arrays.equals(schema(), other.schema());
    }

    /** The bytes that {@link #hasSchemaOf} compares. */
    byte[] schema() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        out.writeUTF(type().name());
        out.writeUTF(String.valueOf(snapshot.getOption(KEYED_STATE_TYPE)));
        for (Map.Entry<String, TypeSerializerSnapshot<?>> each :
                new TreeMap<>(snapshot.getSerializerSnapshotsImmutable()).entrySet()) {
            out.writeUTF(each.getKey());
            out.write(SchemaBytes.of(each.getValue()));
        }
        return out.getCopyOfBuffer();
    }

    /** Writes the whole record, op included. */
    public void write(DataOutputView out) throws IOException {
        out.writeByte(ChangeOp.METADATA.code());
        out.writeInt(CURRENT_STATE_META_INFO_SNAPSHOT_VERSION);
        StateMetaInfoSnapshotReadersWriters.getWriter().writeStateMetaInfoSnapshot(snapshot, out);
        if (type() == BackendStateType.KEY_VALUE) {
            writeTtlConfig(out);
            writeDefaultValue(out);
        }
        out.writeShort(id.value());
        out.writeByte(type().getCode());
    }

    private void writeTtlConfig(DataOutputView out) throws IOException {
        out.writeBoolean(ttlConfig.isPresent());
        if (ttlConfig.isPresent()) {
            ObjectOutputStream objects = new ObjectOutputStream(new DataOutputViewStream(out));
            objects.writeObject(ttlConfig.get());
            objects.flush();
        }
    }

    private void writeDefaultValue(DataOutputView out) throws IOException {
        out.writeBoolean(defaultValue.isPresent());
        if (defaultValue.isPresent()) {
            valueSerializer().serialize(defaultValue.get(), out);
        }
    }

    /**
     * Reads what follows the op, which the caller has read to know that this is a METADATA record.
     *
     * @param userClassLoader knows the classes of the serializers and of the default value
     * @throws IOException if the record is corrupt, or of a version this one does not know
     */
    public static StateMetadata read(DataInputView in, ClassLoader userClassLoader)
            throws IOException {
        StateMetaInfoSnapshot snapshot = readSnapshot(in, userClassLoader);
        boolean keyValue = requireKeyed(snapshot) == BackendStateType.KEY_VALUE;
        Optional<StateTtlConfig> ttl = Optional.empty();
        Optional<Object> defaultValue = Optional.empty();
        if (keyValue) {
            ttl = readTtlConfig(in, snapshot.getName());
            defaultValue = readDefaultValue(in, snapshot);
        }
        short id = in.readShort();
        requireSameType(in.readByte(), snapshot);
        return new StateMetadata(requireId(id, snapshot), snapshot, ttl, defaultValue);
    }

    private static StateMetaInfoSnapshot readSnapshot(DataInputView in, ClassLoader classLoader)
            throws IOException {
        int version = in.readInt();
        if (version < 6 || version > CURRENT_STATE_META_INFO_SNAPSHOT_VERSION) {
            throw new IOException(
                    "State metadata of version "
                            + version
                            + " in the log: expected 6 to "
                            + CURRENT_STATE_META_INFO_SNAPSHOT_VERSION
                            + ". The log is corrupt, or was written by another Flink version.");
        }
        String name = in.readUTF();
        BackendStateType type = readType(in.readInt(), name);
        Map<String, String> options = new HashMap<>();
        // Reserves no capacity by the count, which may be wrong.
        for (int left = readCount(in, name, "options"); left > 0; left--) {
            options.put(in.readUTF(), in.readUTF());
        }
        Map<String, TypeSerializerSnapshot<?>> serializers = new HashMap<>();
        for (int left = readCount(in, name, "serializers"); left > 0; left--) {
            serializers.put(in.readUTF(), readSerializer(in, name, classLoader));
        }
        return new StateMetaInfoSnapshot(name, type, options, serializers);
    }

    private static BackendStateType readType(int ordinal, String name) throws IOException {
        BackendStateType[] types = BackendStateType.values();
        if (ordinal < 0 || ordinal >= types.length) {
            throw corrupt(name, "type " + ordinal + " of a state");
        }
        return types[ordinal];
    }

    private static int readCount(DataInputView in, String name, String what) throws IOException {
        int count = in.readInt();
        if (count < 0) {
            throw corrupt(name, count + " " + what);
        }
        return count;
    }

    /** The serializer's own class, which may be the user's, reads its content. */
    private static TypeSerializerSnapshot<?> readSerializer(
            DataInputView in, String name, ClassLoader classLoader) throws IOException {
        try {
            return TypeSerializerSnapshotSerializationUtil.readSerializerSnapshot(in, classLoader);
        } catch (RuntimeException e) {
            throw new IOException("A serializer of state '" + name + "' in the log.", e);
        }
    }

    private static Optional<StateTtlConfig> readTtlConfig(DataInputView in, String name)
            throws IOException {
        if (!in.readBoolean()) {
            return Optional.empty();
        }
        try {
            return Optional.of(TtlConfigReader.read(new DataInputViewStream(in)));
        } catch (IOException e) {
            throw new IOException("Time-to-live settings of state '" + name + "' in the log.", e);
        }
    }

    private static Optional<Object> readDefaultValue(
            DataInputView in, StateMetaInfoSnapshot snapshot) throws IOException {
        if (!in.readBoolean()) {
            return Optional.empty();
        }
        TypeSerializerSnapshot<?> saved = snapshot.getTypeSerializerSnapshot(VALUE_SERIALIZER);
        if (saved == null) {
            throw corrupt(snapshot.getName(), "a default value without a value serializer");
        }
        return Optional.of(saved.restoreSerializer().deserialize(in));
    }

    private static BackendStateType requireKeyed(StateMetaInfoSnapshot snapshot)
            throws IOException {
        BackendStateType type = snapshot.getBackendStateType();
        if (type != BackendStateType.KEY_VALUE && type != BackendStateType.PRIORITY_QUEUE) {
            throw corrupt(snapshot.getName(), "type " + type + " instead of a keyed state");
        }
        return type;
    }

    private static void requireSameType(byte code, StateMetaInfoSnapshot snapshot)
            throws IOException {
        byte expected = snapshot.getBackendStateType().getCode();
        if (code != expected) {
            throw corrupt(snapshot.getName(), "type code " + code + " instead of " + expected);
        }
    }

    private static StateId requireId(short id, StateMetaInfoSnapshot snapshot) throws IOException {
        if (id < 0) {
            throw corrupt(snapshot.getName(), "state id " + id);
        }
        return StateId.of(id);
    }

    private static IOException corrupt(String name, String what) {
        return new IOException(
                "Corrupt metadata of state '" + name + "' in the log: " + what + ".");
    }

    @Override
    public String toString() {
        return type() + " state '" + name() + "' as " + id;
    }
}
