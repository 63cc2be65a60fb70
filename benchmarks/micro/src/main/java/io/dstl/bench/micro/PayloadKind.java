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
package io.dstl.bench.micro;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** What a state holds: a type of value with one of the ways to serialize it. */
public enum PayloadKind implements Labelled {
    LONG,
    /** 100 bytes. */
    BYTES,
    /** 16 ASCII characters. */
    STRING,
    /** 1024 ASCII characters. */
    STRING_LONG,
    /** 16 characters, not ASCII. */
    STRING_WIDE,
    /** 1024 characters, not ASCII. */
    STRING_WIDE_LONG,
    POJO,
    TUPLE,
    ROW,
    AVRO_SPECIFIC,
    AVRO_GENERIC,
    AVRO_REFLECT,
    KRYO,
    KRYO_REGISTERED,
    THRIFT,
    PROTOBUF,
    /** The line of fixed width as it came. */
    TICK,

    /** ASCII characters by Flink's StringSerializer. */
    STRING_1,
    STRING_16,
    STRING_128,
    /** ASCII characters by writeUTF. */
    UTF_1,
    UTF_16,
    UTF_128,
    /** Made from a line for each update: the line itself, its fields, a JSON text. */
    LINE_BYTES,
    LINE_POJO,
    LINE_JSON;

    /** Those of the table of serializers: all up to {@link #TICK}. */
    @Override
    public boolean offered() {
        return compareTo(TICK) <= 0;
    }

    public static PayloadKind of(String label) {
        return Labelled.of(values(), "serializer", label);
    }

    /** The values that go into a state. For one thread. */
    static final class Payload<T> {
        /**
         * A power of two: so few that they stay in the CPU's caches, as what a job has just made.
         */
        private static final int CACHED = 1 << 9;

        /**
         * A power of two: so many that few come again within the 64 KiB in which Snappy looks for
         * repetitions.
         */
        private static final int ALL = 1 << 14;

        private final TypeSerializer<T> serializer;
        private final IntFunction<T> values;
        private int different = CACHED;
        private int next;

        private Payload(TypeSerializer<T> serializer, IntFunction<T> values) {
            this.serializer = serializer;
            this.values = values;
        }

        /** Values that were made before: an update allocates none. */
        static <T> Payload<T> pooled(TypeSerializer<T> serializer, IntFunction<T> make) {
            List<T> pool = new ArrayList<>(ALL);
            for (int i = 0; i < ALL; i++) {
                pool.add(make.apply(i));
            }
            return new Payload<>(serializer, pool::get);
        }

        /** Values that are made for each update, which is part of what is measured. */
        static <T> Payload<T> made(TypeSerializer<T> serializer, IntFunction<T> make) {
            return new Payload<>(serializer, make);
        }

        /** For where it counts what the values are, and not how fast they are read. */
        Payload<T> varied() {
            different = ALL;
            return this;
        }

        TypeSerializer<T> serializer() {
            return serializer;
        }

        T next() {
            T value = values.apply(next);
            next = (next + 1) & (different - 1);
            return value;
        }
    }
}
