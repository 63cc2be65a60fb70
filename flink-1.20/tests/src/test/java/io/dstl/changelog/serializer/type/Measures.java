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
package io.dstl.changelog.serializer.type;

import java.io.IOException;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Longs of a unit, with a snapshot that takes what it writes from the serializer that has made it.
 * One that was read has none, and never has to be written, as Flink uses it.
 */
public final class Measures extends TypeSerializer<Long> {
    private final String unit;

    Measures(String unit) {
        this.unit = unit;
    }

    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public TypeSerializer<Long> duplicate() {
        return this;
    }

    @Override
    public Long createInstance() {
        return 0L;
    }

    @Override
    public Long copy(Long from) {
        return from;
    }

    @Override
    public Long copy(Long from, Long reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return Long.BYTES;
    }

    @Override
    public void serialize(Long value, DataOutputView target) throws IOException {
        LongSerializer.INSTANCE.serialize(value, target);
    }

    @Override
    public Long deserialize(DataInputView source) throws IOException {
        return LongSerializer.INSTANCE.deserialize(source);
    }

    @Override
    public Long deserialize(Long reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        LongSerializer.INSTANCE.copy(source, target);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Measures && unit.equals(((Measures) other).unit);
    }

    @Override
    public int hashCode() {
        return unit.hashCode();
    }

    @Override
    public TypeSerializerSnapshot<Long> snapshotConfiguration() {
        return new Snapshot(this);
    }

    /** What a checkpoint says of it. */
    public static final class Snapshot implements TypeSerializerSnapshot<Long> {
        private final Optional<Measures> maker;
        private String read;

        /** To be read. */
        public Snapshot() {
            this.maker = Optional.empty();
        }

        private Snapshot(Measures maker) {
            this.maker = Optional.of(maker);
        }

        private String unit() {
            return maker.map(measures -> measures.unit).orElse(read);
        }

        @Override
        public int getCurrentVersion() {
            return 1;
        }

        @Override
        public void writeSnapshot(DataOutputView out) throws IOException {
            out.writeUTF(maker.orElseThrow().unit);
        }

        @Override
        public void readSnapshot(int version, DataInputView in, ClassLoader classLoader)
                throws IOException {
            read = in.readUTF();
        }

        @Override
        public TypeSerializer<Long> restoreSerializer() {
            return new Measures(unit());
        }

        @Override
        public TypeSerializerSchemaCompatibility<Long> resolveSchemaCompatibility(
                TypeSerializerSnapshot<Long> earlier) {
            return earlier instanceof Snapshot && ((Snapshot) earlier).unit().equals(unit())
                    ? TypeSerializerSchemaCompatibility.compatibleAsIs()
                    : TypeSerializerSchemaCompatibility.incompatible();
        }
    }
}
