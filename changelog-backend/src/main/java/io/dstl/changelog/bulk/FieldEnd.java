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
package io.dstl.changelog.bulk;

import java.io.EOFException;
import java.io.IOException;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.ByteSerializer;
import org.apache.flink.api.common.typeutils.base.CharSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.FloatSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.ShortSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;

/** Finds the end of a serialized value, and deserializes as little as that takes. */
public abstract class FieldEnd {
    /** Fixed here, as some serializers report a wrong length: that of windows says 0. */
    private static final Map<Class<?>, Integer> LENGTHS =
            Map.of(
                    BooleanSerializer.class, 1,
                    ByteSerializer.class, Byte.BYTES,
                    ShortSerializer.class, Short.BYTES,
                    CharSerializer.class, Character.BYTES,
                    IntSerializer.class, Integer.BYTES,
                    FloatSerializer.class, Float.BYTES,
                    LongSerializer.class, Long.BYTES,
                    DoubleSerializer.class, Double.BYTES,
                    VoidNamespaceSerializer.class, 1,
                    TimeWindow.Serializer.class, 2 * Long.BYTES);

    /** Whether the serializer writes a value the same way in every version and configuration. */
    public static boolean hasOneForm(TypeSerializer<?> serializer) {
        return LENGTHS.containsKey(serializer.getClass())
                || serializer.getClass() == StringSerializer.class;
    }

    /** The end of a field without bytes. */
    static FieldEnd ofNothing() {
        return new OfLength(0);
    }

    /** Makes one for a single thread. */
    public static FieldEnd of(TypeSerializer<?> serializer) {
        Integer length = LENGTHS.get(serializer.getClass());
        if (length != null) {
            return new OfLength(length);
        }
        if (serializer.getClass() == StringSerializer.class) {
            return new OfText();
        }
        return new OfObject(serializer.duplicate());
    }

    /**
     * @param from where the value begins
     * @param to where the record ends, exclusive
     * @return where the value ends, exclusive; not after {@code to}
     * @throws EOFException if the value would end after {@code to}
     */
    public abstract int of(byte[] record, int from, int to) throws IOException;

    static EOFException unexpectedEnd() {
        return new EOFException("unexpected end: expected more bytes");
    }

    private static int within(long end, int to) throws EOFException {
        if (end > to) {
            throw unexpectedEnd();
        }
        return (int) end;
    }

    private static final class OfLength extends FieldEnd {
        private final int length;

        OfLength(int length) {
            this.length = length;
        }

        @Override
        public int of(byte[] record, int from, int to) throws EOFException {
            return within(from + (long) length, to);
        }
    }

    /**
     * Text of Flink's: the number of characters plus one, then each character. Each number takes as
     * many bytes of seven bits as it needs; all but its last byte have the high bit.
     */
    private static final class OfText extends FieldEnd {
        @Override
        public int of(byte[] record, int from, int to) throws IOException {
            int at = from;
            long charactersPlusOne = 0;
            int shift = 0;
            byte next;
            do {
                within(at + 1L, to);
                next = record[at++];
                charactersPlusOne |= (next & 0x7FL) << shift;
                shift += 7;
            } while (next < 0 && shift <= 28);
            for (long left = charactersPlusOne - 1; left > 0; left--) {
                do {
                    within(at + 1L, to);
                    next = record[at++];
                } while (next < 0);
            }
            return at;
        }
    }

    private static final class OfObject extends FieldEnd {
        private final TypeSerializer<?> serializer;
        private final DataInputDeserializer input = new DataInputDeserializer();

        OfObject(TypeSerializer<?> serializer) {
            this.serializer = serializer;
        }

        @Override
        public int of(byte[] record, int from, int to) throws IOException {
            input.setBuffer(record, from, to - from);
            serializer.deserialize(input);
            int end = input.getPosition();
            input.releaseArrays();
            return end;
        }
    }
}
