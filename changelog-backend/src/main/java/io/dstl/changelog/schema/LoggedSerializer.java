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
package io.dstl.changelog.schema;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The serializer that a replay registers a state with: the one restored from the log, with a {@link
 * Schema} that decides between the log's schema and the delegate's.
 *
 * <p>Used by the thread that replays, until the state has been registered.
 */
final class LoggedSerializer<T> extends TypeSerializer<T> {
    private static final long serialVersionUID = 1L;

    private final TypeSerializer<T> restored;
    private final transient Schema<T> schema;

    private LoggedSerializer(TypeSerializer<T> restored, Schema<T> schema) {
        this.restored = requireNonNull(restored);
        this.schema = requireNonNull(schema);
    }

    @SuppressWarnings("unchecked") // A snapshot restores the serializer that it was taken of.
    static <T> LoggedSerializer<T> of(TypeSerializerSnapshot<?> logged) {
        TypeSerializerSnapshot<T> snapshot = (TypeSerializerSnapshot<T>) logged;
        TypeSerializer<T> restored = snapshot.restoreSerializer();
        return new LoggedSerializer<>(restored, Schema.of(snapshot, restored));
    }

    /** The serializer that reads the values in the log. */
    TypeSerializer<T> restored() {
        return restored;
    }

    /** The serializer that the delegate keeps using. Ask for it after the state was registered. */
    TypeSerializer<T> settled() {
        return schema.settled();
    }

    /** Whether the delegate has a later schema than the log's. */
    boolean isOutdated() {
        return schema.isOutdated();
    }

    @Override
    public TypeSerializerSnapshot<T> snapshotConfiguration() {
        return schema;
    }

    @Override
    public TypeSerializer<T> duplicate() {
        return new LoggedSerializer<>(restored.duplicate(), schema);
    }

    @Override
    public boolean isImmutableType() {
        return restored.isImmutableType();
    }

    @Override
    public T createInstance() {
        return restored.createInstance();
    }

    @Override
    public T copy(T from) {
        return restored.copy(from);
    }

    @Override
    public T copy(T from, T reuse) {
        return restored.copy(from, reuse);
    }

    @Override
    public int getLength() {
        return restored.getLength();
    }

    @Override
    public void serialize(T value, DataOutputView target) throws IOException {
        schema.writer(restored).serialize(value, target);
    }

    @Override
    public T deserialize(DataInputView source) throws IOException {
        return restored.deserialize(source);
    }

    @Override
    public T deserialize(T reuse, DataInputView source) throws IOException {
        return restored.deserialize(reuse, source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        restored.copy(source, target);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LoggedSerializer
                && restored.equals(((LoggedSerializer<?>) other).restored);
    }

    @Override
    public int hashCode() {
        return restored.hashCode();
    }

    @Override
    public String toString() {
        return String.valueOf(restored);
    }

    /**
     * Decides between the schema that the delegate knows and that of the log: the state goes on
     * with the later one. Flink's serializers cannot tell, as each takes itself for the later one.
     * One restored from a schema with a field that the class has lost refuses to answer.
     *
     * <p>Avro's serializers read the schema that they were restored from and write the class's own.
     * Such a log counts as one with the class's schema, and its own serializer reads it.
     *
     * <p>Register it twice. The first time tells whether the delegate has known the state before.
     * The second time the delegate is left with the settled serializer, as if it had always been
     * that.
     *
     * <p>Owns the decision, for one serializer of one state. Used only by the thread that replays.
     */
    static final class Schema<T> implements TypeSerializerSnapshot<T> {
        private final TypeSerializerSnapshot<T> logged;
        private final TypeSerializer<T> restored;

        /**
         * The schema that the delegate knew before. The migration of a map's values asks about it
         * again.
         */
        private TypeSerializerSnapshot<T> former;

        private TypeSerializerSchemaCompatibility<T> answer;
        private TypeSerializer<T> settled;
        private boolean outdated;

        private Schema(
                TypeSerializerSnapshot<T> logged, TypeSerializer<T> restored, boolean outdated) {
            this.logged = requireNonNull(logged);
            this.restored = requireNonNull(restored);
            this.outdated = outdated;
        }

        /**
         * @param reader restored from the schema of the log
         */
        static <T> Schema<T> of(TypeSerializerSnapshot<T> logged, TypeSerializer<T> reader) {
            if (compatibility(reader, logged).isCompatibleAfterMigration()) {
                TypeSerializerSnapshot<T> written = reader.snapshotConfiguration();
                return new Schema<>(written, written.restoreSerializer(), true);
            }
            return new Schema<>(logged, reader, false);
        }

        /**
         * The serializer that the delegate keeps using. Ask for it after the state was registered.
         */
        public TypeSerializer<T> settled() {
            return requireNonNull(settled);
        }

        /** Whether the delegate has a later schema than the log's. */
        public boolean isOutdated() {
            return outdated;
        }

        /**
         * The serializer that writes values which the delegate migrates because they gain or lose
         * their time-to-live: that of the delegate's later schema, if there is one.
         */
        TypeSerializer<T> writer(TypeSerializer<T> reader) {
            return outdated && settled != null ? settled : reader;
        }

        @Override
        public TypeSerializerSchemaCompatibility<T> resolveSchemaCompatibility(
                TypeSerializerSnapshot<T> ofDelegate) {
            if (ofDelegate == former) {
                return answer;
            }
            if (settled == null && ofDelegate != this) {
                former = ofDelegate;
                answer = settle(ofDelegate);
                return answer;
            }
            settled = settled == null ? restored : settled;
            return TypeSerializerSchemaCompatibility.compatibleWithReconfiguredSerializer(settled);
        }

        private TypeSerializerSchemaCompatibility<T> settle(TypeSerializerSnapshot<T> ofDelegate) {
            if (LoggedSchema.areSame(logged, ofDelegate)) {
                settled = restored;
                return TypeSerializerSchemaCompatibility.compatibleAsIs();
            }
            TypeSerializerSchemaCompatibility<T> forward = compatibility(restored, ofDelegate);
            if (!forward.isIncompatible()) {
                settled =
                        forward.isCompatibleWithReconfiguredSerializer()
                                        && !knowsMore(
                                                forward.getReconfiguredSerializer(), ofDelegate)
                                ? forward.getReconfiguredSerializer()
                                : restored;
                return forward;
            }
            TypeSerializer<T> kept = ofDelegate.restoreSerializer();
            if (compatibility(kept, logged).isIncompatible()) {
                return forward;
            }
            outdated = true;
            settled = kept;
            return TypeSerializerSchemaCompatibility.compatibleWithReconfiguredSerializer(kept);
        }

        /**
         * Whether the log's schema has more than the reconfigured serializer. That of a POJO knows
         * only the subclasses of the earlier schema. As the earlier one of the two, the log's
         * schema stays as it is if the delegate's adds nothing to it but subclasses.
         */
        private boolean knowsMore(
                TypeSerializer<T> reconfigured, TypeSerializerSnapshot<T> ofDelegate) {
            byte[] own = LoggedSchema.bytes(restored.snapshotConfiguration());
            if (own.length <= LoggedSchema.bytes(reconfigured.snapshotConfiguration()).length) {
                return false;
            }
            TypeSerializerSchemaCompatibility<T> backward =
                    compatibility(ofDelegate.restoreSerializer(), logged);
            return backward.isCompatibleWithReconfiguredSerializer()
                    && Arrays.equals(
                            own,
                            LoggedSchema.bytes(
                                    backward.getReconfiguredSerializer().snapshotConfiguration()));
        }

        private static <T> TypeSerializerSchemaCompatibility<T> compatibility(
                TypeSerializer<T> later, TypeSerializerSnapshot<T> earlier) {
            try {
                return later.snapshotConfiguration().resolveSchemaCompatibility(earlier);
            } catch (IllegalStateException e) {
                // Of POJOs: the later one lacks a field that the class has in the earlier one.
                return TypeSerializerSchemaCompatibility.incompatible();
            }
        }

        @Override
        public TypeSerializer<T> restoreSerializer() {
            return restored;
        }

        @Override
        public int getCurrentVersion() {
            return logged.getCurrentVersion();
        }

        @Override
        public void writeSnapshot(DataOutputView out) {
            throw new UnsupportedOperationException("No schema of a log is written to a snapshot");
        }

        @Override
        public void readSnapshot(int version, DataInputView in, ClassLoader userClassLoader) {
            throw new UnsupportedOperationException("No schema of a log is read from a snapshot");
        }
    }
}
