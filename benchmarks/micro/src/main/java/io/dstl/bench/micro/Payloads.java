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

import com.twitter.chill.protobuf.ProtobufSerializer;
import com.twitter.chill.thrift.TBaseSerializer;
import io.dstl.bench.micro.PayloadKind.Payload;
import io.dstl.bench.type.MyOperation;
import io.dstl.bench.type.MyPojo;
import io.dstl.bench.type.ThriftPojo;
import io.dstl.bench.type.Tick;
import io.dstl.bench.type.Tick.TickPojo;
import io.dstl.bench.type.WriteUtfSerializer;
import io.dstl.bench.type.avro.PojoRecord;
import io.dstl.bench.type.proto.PojoMessage;
import java.util.function.IntFunction;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.formats.avro.typeutils.AvroSerializer;

/** Makes the values and the serializer of each {@link PayloadKind}. */
final class Payloads {
    private static final int BYTES = 100;
    private static final int SHORT = 16;
    private static final int LONG = 1024;
    private static final int MIDDLE = 128;

    private Payloads() {}

    static Payload<?> of(PayloadKind kind) {
        switch (kind) {
            case LONG:
                return Payload.pooled(LongSerializer.INSTANCE, i -> i * 1_000_003L);
            case BYTES:
                return Payload.pooled(
                        BytePrimitiveArraySerializer.INSTANCE, i -> Samples.bytes(BYTES, i));
            case STRING:
            case STRING_16:
                return Payload.pooled(StringSerializer.INSTANCE, i -> Samples.ascii(SHORT, i));
            case STRING_LONG:
                return Payload.pooled(StringSerializer.INSTANCE, i -> Samples.ascii(LONG, i));
            case STRING_WIDE:
                return Payload.pooled(StringSerializer.INSTANCE, i -> Samples.wide(SHORT, i));
            case STRING_WIDE_LONG:
                return Payload.pooled(StringSerializer.INSTANCE, i -> Samples.wide(LONG, i));
            case STRING_1:
                return Payload.pooled(StringSerializer.INSTANCE, i -> Samples.ascii(1, i));
            case STRING_128:
                return Payload.pooled(StringSerializer.INSTANCE, i -> Samples.ascii(MIDDLE, i));
            case UTF_1:
                return Payload.pooled(WriteUtfSerializer.INSTANCE, i -> Samples.ascii(1, i));
            case UTF_16:
                return Payload.pooled(WriteUtfSerializer.INSTANCE, i -> Samples.ascii(SHORT, i));
            case UTF_128:
                return Payload.pooled(WriteUtfSerializer.INSTANCE, i -> Samples.ascii(MIDDLE, i));
            case TICK:
                return Payload.pooled(typed(Tick.class), i -> new Tick(Samples.line(i)));
            case LINE_BYTES:
                return Payload.made(typed(Tick.class), lines(Tick::new));
            case LINE_POJO:
                return Payload.made(
                        typed(TickPojo.class), lines(line -> TickPojo.of(new Tick(line))));
            case LINE_JSON:
                return Payload.made(
                        StringSerializer.INSTANCE, lines(line -> Samples.json(new Tick(line))));
            default:
                return record(kind);
        }
    }

    /** Those of MyPojo and what it is in other formats. */
    private static Payload<?> record(PayloadKind kind) {
        switch (kind) {
            case POJO:
                return Payload.pooled(typed(MyPojo.class), MyPojo::numbered);
            case TUPLE:
                return Payload.pooled(serializer(Samples.TUPLE), Samples::tuple);
            case ROW:
                return Payload.pooled(serializer(Samples.ROW), Samples::row);
            case AVRO_SPECIFIC:
                return Payload.pooled(new AvroSerializer<>(PojoRecord.class), Samples::record);
            case AVRO_GENERIC:
                return Payload.pooled(
                        new AvroSerializer<>(GenericRecord.class, PojoRecord.getClassSchema()),
                        Samples::generic);
            case AVRO_REFLECT:
                return Payload.pooled(new AvroSerializer<>(MyPojo.class), MyPojo::numbered);
            case KRYO:
                return Payload.pooled(kryo(MyPojo.class, config()), MyPojo::numbered);
            case KRYO_REGISTERED:
                return Payload.pooled(kryo(MyPojo.class, registered()), MyPojo::numbered);
            case THRIFT:
                return Payload.pooled(
                        kryo(ThriftPojo.class, withThrift()),
                        i -> ThriftPojo.of(MyPojo.numbered(i)));
            case PROTOBUF:
                return Payload.pooled(kryo(PojoMessage.class, withProtobuf()), Samples::message);
            default:
                throw new IllegalArgumentException("no values are known for " + kind.label());
        }
    }

    private interface FromLine<T> {
        T of(byte[] line);
    }

    private static <T> IntFunction<T> lines(FromLine<T> make) {
        Payload<byte[]> lines =
                Payload.pooled(BytePrimitiveArraySerializer.INSTANCE, Samples::line);
        return i -> make.of(lines.next());
    }

    private static SerializerConfig registered() {
        SerializerConfig config = config();
        config.registerKryoType(MyPojo.class);
        config.registerKryoType(MyOperation.class);
        return config;
    }

    private static SerializerConfig withThrift() {
        SerializerConfig config = config();
        config.addDefaultKryoSerializer(ThriftPojo.class, TBaseSerializer.class);
        return config;
    }

    private static SerializerConfig withProtobuf() {
        SerializerConfig config = config();
        config.registerTypeWithKryoSerializer(PojoMessage.class, ProtobufSerializer.class);
        return config;
    }

    private static <T> TypeSerializer<T> kryo(Class<T> type, SerializerConfig config) {
        return new GenericTypeInfo<>(type).createSerializer(config);
    }

    private static <T> TypeSerializer<T> typed(Class<T> type) {
        return serializer(TypeInformation.of(type));
    }

    private static <T> TypeSerializer<T> serializer(TypeInformation<T> type) {
        return type.createSerializer(config());
    }

    private static SerializerConfig config() {
        return new ExecutionConfig().getSerializerConfig();
    }
}
