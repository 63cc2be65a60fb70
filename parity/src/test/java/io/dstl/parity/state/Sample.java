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
package io.dstl.parity.state;

import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.formats.avro.typeutils.GenericRecordAvroTypeInfo;

/** A type with its serializer, and values of it that differ by a number. */
final class Sample<T> {

    static final Sample<Long> LONG =
            new Sample<>(Types.LONG, ordinal -> ordinal * 7, String::valueOf);

    static final Sample<Long> ORDINAL =
            new Sample<>(Types.LONG, ordinal -> ordinal, String::valueOf);

    static final Sample<String> STRING =
            new Sample<>(Types.STRING, ordinal -> "text \u00e4 " + ordinal, s -> s);

    static final Sample<Reading> POJO =
            new Sample<>(TypeInformation.of(Reading.class), Reading::numbered, Reading::toString);

    /** No field of it goes through Kryo, as on Flink 1.20 those of the other one do. */
    static final Sample<Mean> FLAT_POJO =
            new Sample<>(TypeInformation.of(Mean.class), new Mean()::with, Mean::toString);

    static final Sample<Tuple2<String, Long>> TUPLE =
            new Sample<>(
                    TypeInformation.of(new TypeHint<Tuple2<String, Long>>() {}),
                    ordinal -> Tuple2.of("f" + ordinal, ordinal),
                    Tuple2::toString);

    static final Sample<AvroReading> AVRO_SPECIFIC =
            new Sample<>(
                    new AvroTypeInfo<>(AvroReading.class),
                    AvroReading::numbered,
                    reading -> reading.get(0) + "/" + reading.get(1));

    static final Sample<GenericRecord> AVRO_GENERIC =
            new Sample<>(
                    new GenericRecordAvroTypeInfo(AvroReading.SCHEMA$),
                    Sample::genericRecord,
                    reading -> reading.get("sensor") + "/" + reading.get("value"));

    static final Sample<Opaque> KRYO =
            new Sample<>(new GenericTypeInfo<>(Opaque.class), Opaque::new, Opaque::toString);

    private final TypeInformation<T> type;
    private final LongFunction<T> maker;
    private final Function<T, String> text;

    private Sample(TypeInformation<T> type, LongFunction<T> maker, Function<T, String> text) {
        this.type = Objects.requireNonNull(type);
        this.maker = Objects.requireNonNull(maker);
        this.text = Objects.requireNonNull(text);
    }

    TypeInformation<T> type() {
        return type;
    }

    T make(long ordinal) {
        return maker.apply(ordinal);
    }

    String show(T value) {
        return value == null ? "none" : text.apply(value);
    }

    private static GenericRecord genericRecord(long ordinal) {
        GenericRecord reading = new GenericData.Record(AvroReading.SCHEMA$);
        reading.put("sensor", "generic " + ordinal);
        reading.put("value", ordinal);
        return reading;
    }
}
