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

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Serializes a mutable text, counts how often, and throws half-way at {@link #POISON}, and cannot
 * read {@link #UNREADABLE}. Each duplicate is another instance; the count is common to all.
 */
public final class ProbeSerializer extends TypeSerializer<StringBuilder> {
    public static final String POISON = "poison";
    public static final String UNREADABLE = "unreadable";
    private final AtomicInteger writes;

    public ProbeSerializer() {
        this(new AtomicInteger());
    }

    private ProbeSerializer(AtomicInteger writes) {
        this.writes = writes;
    }

    public static StringBuilder text(String text) {
        return new StringBuilder(text);
    }

    /** How often this serializer and its duplicates have serialized. */
    public int writes() {
        return writes.get();
    }

    @Override
    public void serialize(StringBuilder text, DataOutputView target) throws IOException {
        writes.incrementAndGet();
        target.writeByte(1);
        if (text.toString().equals(POISON)) {
            throw new IOException("cannot serialize " + POISON);
        }
        target.writeUTF(text.toString());
    }

    @Override
    public StringBuilder deserialize(DataInputView source) throws IOException {
        source.readByte();
        String text = source.readUTF();
        if (text.equals(UNREADABLE)) {
            throw new IOException("cannot read " + UNREADABLE);
        }
        return new StringBuilder(text);
    }

    @Override
    public StringBuilder deserialize(StringBuilder reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        target.writeByte(source.readByte());
        target.writeUTF(source.readUTF());
    }

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public TypeSerializer<StringBuilder> duplicate() {
        return new ProbeSerializer(writes);
    }

    @Override
    public StringBuilder createInstance() {
        return new StringBuilder();
    }

    @Override
    public StringBuilder copy(StringBuilder from) {
        return new StringBuilder(from);
    }

    @Override
    public StringBuilder copy(StringBuilder from, StringBuilder reuse) {
        return copy(from);
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ProbeSerializer;
    }

    @Override
    public int hashCode() {
        return ProbeSerializer.class.hashCode();
    }

    @Override
    public TypeSerializerSnapshot<StringBuilder> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Names the serializer, which has no configuration. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<StringBuilder> {
        public Snapshot() {
            super(ProbeSerializer::new);
        }
    }
}
