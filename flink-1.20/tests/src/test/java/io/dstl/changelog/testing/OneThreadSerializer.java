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
package io.dstl.changelog.testing;

import io.dstl.changelog.serializer.type.StateType;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.util.function.SupplierWithException;

/**
 * A serializer that belongs to the thread that used it first, as one that keeps in itself what it
 * is about to write: any other thread, or a use within a use, gets an exception. When that thread
 * has ended it is the next one's, as the task thread takes over from the one that replays.
 */
public final class OneThreadSerializer<T> extends TypeSerializer<T> {
    /** What a checkpoint says of it: what it says of the serializer that does the work. */
    public static final class Snapshot<T>
            extends CompositeTypeSerializerSnapshot<T, OneThreadSerializer<T>> {
        public Snapshot() {}

        private Snapshot(OneThreadSerializer<T> serializer) {
            super(serializer);
        }

        @Override
        protected int getCurrentOuterSnapshotVersion() {
            return 1;
        }

        @Override
        protected TypeSerializer<?>[] getNestedSerializers(OneThreadSerializer<T> serializer) {
            return new TypeSerializer<?>[] {serializer.working};
        }

        @Override
        @SuppressWarnings("unchecked") // That which was nested in it.
        protected OneThreadSerializer<T> createOuterSerializerWithNestedSerializers(
                TypeSerializer<?>[] nested) {
            return new OneThreadSerializer<>((TypeSerializer<T>) nested[0]);
        }
    }

    private final TypeSerializer<T> working;
    private transient Thread owner;
    private transient boolean inUse;

    private OneThreadSerializer(TypeSerializer<T> working) {
        this.working = working;
    }

    /** Writes the same bytes, and equals those of its own kind alone. */
    public static <T> TypeSerializer<T> around(TypeSerializer<T> working) {
        return new OneThreadSerializer<>(working);
    }

    /** The same values, written by serializers that a thread each has to have for itself. */
    public static <T> StateType<T> of(StateType<T> type) {
        return type.with(() -> around(type.serializer()));
    }

    private synchronized void enter() {
        if (owner == null || !owner.isAlive()) {
            owner = Thread.currentThread();
        }
        if (owner != Thread.currentThread()) {
            throw new IllegalStateException(
                    "It is " + owner.getName() + "'s: nobody made a duplicate of it");
        }
        if (inUse) {
            throw new IllegalStateException("It is in use, by the same thread");
        }
        inUse = true;
    }

    private synchronized void leave() {
        inUse = false;
    }

    private <R, E extends Exception> R alone(SupplierWithException<R, E> use) throws E {
        enter();
        try {
            return use.get();
        } finally {
            leave();
        }
    }

    @Override
    public boolean isImmutableType() {
        return working.isImmutableType();
    }

    /** A fresh one, which is nobody's yet. */
    @Override
    public TypeSerializer<T> duplicate() {
        return new OneThreadSerializer<>(working.duplicate());
    }

    @Override
    public T createInstance() {
        return working.createInstance();
    }

    @Override
    public T copy(T from) {
        return alone(() -> working.copy(from));
    }

    @Override
    public T copy(T from, T reuse) {
        return alone(() -> working.copy(from, reuse));
    }

    @Override
    public int getLength() {
        return working.getLength();
    }

    @Override
    public void serialize(T value, DataOutputView target) throws IOException {
        alone(
                () -> {
                    working.serialize(value, target);
                    return null;
                });
    }

    @Override
    public T deserialize(DataInputView source) throws IOException {
        return alone(() -> working.deserialize(source));
    }

    @Override
    public T deserialize(T reuse, DataInputView source) throws IOException {
        return alone(() -> working.deserialize(reuse, source));
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        alone(
                () -> {
                    working.copy(source, target);
                    return null;
                });
    }

    @Override
    public TypeSerializerSnapshot<T> snapshotConfiguration() {
        return new Snapshot<>(this);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OneThreadSerializer
                && working.equals(((OneThreadSerializer<?>) other).working);
    }

    @Override
    public int hashCode() {
        return working.hashCode();
    }
}
