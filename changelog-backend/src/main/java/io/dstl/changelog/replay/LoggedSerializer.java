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

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * What a state is registered with at replay: the serializer restored from the log, under a schema
 * that finds its place beside the one the delegate knows ({@link LoggedSchema}).
 *
 * <p>Used by the task thread only, and by nothing once the state has been registered.
 */
final class LoggedSerializer<T> extends TypeSerializer<T> {

    private static final long serialVersionUID = 1L;

    private final TypeSerializer<T> restored;
    private final transient LoggedSchema<T> schema;

    private LoggedSerializer(TypeSerializer<T> restored, LoggedSchema<T> schema) {
        this.restored = requireNonNull(restored);
        this.schema = requireNonNull(schema);
    }

    @SuppressWarnings("unchecked") // A snapshot restores the serializer that it was taken of.
    static <T> LoggedSerializer<T> of(TypeSerializerSnapshot<?> logged) {
        TypeSerializerSnapshot<T> snapshot = (TypeSerializerSnapshot<T>) logged;
        TypeSerializer<T> restored = snapshot.restoreSerializer();
        return new LoggedSerializer<>(restored, LoggedSchema.of(snapshot, restored));
    }

    /** Reads what the log holds. */
    TypeSerializer<T> restored() {
        return restored;
    }

    /** What the delegate goes on with; to be asked once the state has been registered. */
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
        restored.serialize(value, target);
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
}
