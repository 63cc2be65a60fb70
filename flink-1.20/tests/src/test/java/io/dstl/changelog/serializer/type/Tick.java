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
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** A trade, in as many bytes whatever it says: a view of the bytes that came from the wire. */
public final class Tick {
    static final int BYTES = 32;
    private static final int INSTRUMENT = 0;
    private static final int PRICE = 8;
    private static final int QUANTITY = 16;

    final byte[] bytes;

    /**
     * @param bytes {@link #BYTES} of them, the tick's from here on
     */
    Tick(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("A tick has 32 bytes, not " + bytes.length);
        }
        this.bytes = bytes;
    }

    static Tick of(int instrument) {
        byte[] bytes = new byte[BYTES];
        ByteBuffer.wrap(bytes)
                .putLong(INSTRUMENT, instrument)
                .putDouble(PRICE, instrument * 1.25)
                .putLong(QUANTITY, ~instrument);
        return new Tick(bytes);
    }

    int instrument() {
        return (int) ByteBuffer.wrap(bytes).getLong(INSTRUMENT);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Tick && Arrays.equals(bytes, ((Tick) other).bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return Arrays.toString(bytes);
    }

    /** Writes the bytes as they are. */
    public static final class Serializer extends TypeSerializerSingleton<Tick> {
        /** What a checkpoint says of it. */
        public static final class Snapshot extends SimpleTypeSerializerSnapshot<Tick> {
            public Snapshot() {
                super(Serializer::new);
            }
        }

        @Override
        public boolean isImmutableType() {
            return false;
        }

        @Override
        public Tick createInstance() {
            return new Tick(new byte[Tick.BYTES]);
        }

        @Override
        public Tick copy(Tick from) {
            return new Tick(from.bytes.clone());
        }

        @Override
        public Tick copy(Tick from, Tick reuse) {
            return copy(from);
        }

        @Override
        public int getLength() {
            return Tick.BYTES;
        }

        @Override
        public void serialize(Tick tick, DataOutputView target) throws IOException {
            target.write(tick.bytes);
        }

        @Override
        public Tick deserialize(DataInputView source) throws IOException {
            Tick tick = createInstance();
            source.readFully(tick.bytes);
            return tick;
        }

        @Override
        public Tick deserialize(Tick reuse, DataInputView source) throws IOException {
            return deserialize(source);
        }

        @Override
        public void copy(DataInputView source, DataOutputView target) throws IOException {
            target.write(source, Tick.BYTES);
        }

        @Override
        public TypeSerializerSnapshot<Tick> snapshotConfiguration() {
            return new Snapshot();
        }
    }
}
