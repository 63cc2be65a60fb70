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

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a state holds: a type of value with one of the ways to serialize it. */
public enum PayloadKind {
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

    /** On the command line and in results. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Those of the table of serializers: all up to {@link #TICK}. */
    public boolean inTable() {
        return compareTo(TICK) <= 0;
    }

    public static PayloadKind of(String label) {
        return Arrays.stream(values())
                .filter(kind -> kind.label().equals(label))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "there is no serializer '"
                                                + label
                                                + "': give "
                                                + labels()));
    }

    private static String labels() {
        return Arrays.stream(values())
                .filter(PayloadKind::inTable)
                .map(PayloadKind::label)
                .collect(Collectors.joining(", "));
    }
}
