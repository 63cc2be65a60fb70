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

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.util.StringUtils;

/**
 * Goes through the fields of a record and shows each to people: as text what Flink's own types
 * hold, else as hex. For one thread.
 */
final class ValueText {
    /** Rows of SQL: their text is no more than a hash. */
    private static final String SHOWN_AS_HEX = "org.apache.flink.table.";

    private final byte[] record;
    private int at;

    /**
     * @param from where the first field begins
     */
    ValueText(byte[] record, int from) {
        this.record = record;
        this.at = from;
    }

    /** Where the next field begins. */
    int position() {
        return at;
    }

    boolean isAtEnd() {
        return at >= record.length;
    }

    /**
     * The next field; if its type is not known, all that is left, as hex.
     *
     * @throws IOException if it is not of that type
     */
    String next(Optional<? extends TypeSerializer<?>> type) throws IOException {
        if (!type.isPresent()) {
            return rest();
        }
        int from = at;
        Object value = read(type.get());
        return value != null && value.getClass().getName().startsWith(SHOWN_AS_HEX)
                ? hexFrom(from)
                : of(value);
    }

    private Object read(TypeSerializer<?> type) throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(record, at, record.length - at);
        try {
            Object value = type.deserialize(in);
            at = in.getPosition();
            return value;
        } catch (RuntimeException | OutOfMemoryError e) {
            throw new IOException("a value that its serializer can't read: " + e, e);
        }
    }

    int nextInt() throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(record, at, record.length - at);
        int value = in.readInt();
        at += Integer.BYTES;
        return value;
    }

    /** The time of a timer, in ms since the epoch, which is kept so that its bytes sort. */
    long nextTime() throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(record, at, record.length - at);
        long value = in.readLong() ^ Long.MIN_VALUE;
        at += Long.BYTES;
        return value;
    }

    /** All that is left, as hex. */
    String rest() {
        int from = at;
        at = record.length;
        return hexFrom(from);
    }

    /** All from there up to the next field, as hex. */
    String hexFrom(int from) {
        return "0x" + StringUtils.byteToHexString(Arrays.copyOfRange(record, from, at));
    }

    private static String of(Object value) {
        if (value instanceof String) {
            return "\"" + value + "\"";
        }
        if (value instanceof TtlValue) {
            TtlValue<?> ttl = (TtlValue<?>) value;
            return of(ttl.getUserValue()) + " (last access " + ttl.getLastAccessTimestamp() + ")";
        }
        if (value instanceof Tuple) {
            Tuple tuple = (Tuple) value;
            StringBuilder text = new StringBuilder("(");
            for (int i = 0; i < tuple.getArity(); i++) {
                text.append(i == 0 ? "" : ", ").append(of(tuple.<Object>getField(i)));
            }
            return text.append(')').toString();
        }
        return String.valueOf(value);
    }
}
