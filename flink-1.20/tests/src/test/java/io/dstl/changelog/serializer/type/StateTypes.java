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

import com.google.protobuf.Field;
import com.google.protobuf.Type;
import com.twitter.chill.protobuf.ProtobufSerializer;
import com.twitter.chill.thrift.TBaseSerializer;
import io.dstl.changelog.serializer.type.MyPojo.MySpecialPojo;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.formats.avro.typeutils.AvroSerializer;
import org.apache.flink.types.Row;

/** One of each of Flink's ways to serialize what a user keeps in a state. */
public final class StateTypes {
    /** Longer than a chunk of the log, and than what any serializer buffers. */
    private static final int LONG = 70_000;

    private static final Schema GENERIC =
            SchemaBuilder.record("io.dstl.generic.Runway")
                    .fields()
                    .requiredInt("number")
                    .optionalString("surface")
                    .endRecord();

    public static final StateType<Long> LONGS =
            StateType.of("long", () -> LongSerializer.INSTANCE, n -> (long) n, Long::intValue);

    public static final StateType<MyPojo> POJO =
            StateType.of("POJO", () -> pojo(new SerializerConfigImpl()), MyPojo::of, p -> p.id);

    public static final StateType<MyPojo> POJO_OR_SUBCLASS =
            StateType.of(
                    "POJO or subclass",
                    () -> pojo(new SerializerConfigImpl()),
                    MySpecialPojo::orPlain,
                    p -> p.id);

    /** What {@link #POJO_OR_SUBCLASS} becomes by a line in the configuration. */
    public static final StateType<MyPojo> POJO_OR_REGISTERED_SUBCLASS =
            StateType.of(
                    "POJO or registered subclass",
                    () -> {
                        SerializerConfigImpl config = new SerializerConfigImpl();
                        config.registerPojoType(MySpecialPojo.class);
                        return pojo(config);
                    },
                    MySpecialPojo::orPlain,
                    p -> p.id);

    public static final StateType<Departure> AVRO_SPECIFIC =
            StateType.of(
                    "Avro specific",
                    () -> new AvroSerializer<>(Departure.class),
                    Departure::of,
                    Departure::number);

    public static final StateType<Itinerary> KRYO =
            StateType.of("Kryo", () -> kryo(Itinerary.class), Itinerary::of, Itinerary::number);

    public static final StateType<Itinerary> KRYO_REGISTERED =
            StateType.of(
                    "Kryo with registered types",
                    () -> kryo(Itinerary.class, Itinerary.Leg.class, Itinerary.Stay.class),
                    Itinerary::of,
                    Itinerary::number);

    /** What {@link #KRYO_REGISTERED} becomes when the lines of the configuration change places. */
    public static final StateType<Itinerary> KRYO_REGISTERED_OTHERWISE =
            StateType.of(
                    "Kryo with types registered otherwise",
                    () ->
                            kryo(
                                    Itinerary.class,
                                    MyPojo.class,
                                    Itinerary.Stay.class,
                                    Itinerary.Leg.class),
                    Itinerary::of,
                    Itinerary::number);

    public static final StateType<byte[]> BYTES =
            StateType.of(
                    "byte[]",
                    () -> BytePrimitiveArraySerializer.INSTANCE,
                    n -> ByteBuffer.allocate(4 + length(n)).putInt(n).array(),
                    bytes -> ByteBuffer.wrap(bytes).getInt());

    public static final StateType<Long> MEASURES =
            StateType.of(
                    "long with a snapshot of its own",
                    () -> new Measures("s"),
                    n -> (long) n,
                    Long::intValue);

    private StateTypes() {}

    public static List<StateType<?>> all() {
        List<StateType<?>> all = keys();
        all.add(BYTES);
        return all;
    }

    /** Those that can be keys: equal keys have equal hashes, in each process. */
    public static List<StateType<?>> keys() {
        List<StateType<?>> keys = new ArrayList<>();
        keys.add(LONGS);
        keys.add(POJO);
        keys.add(POJO_OR_SUBCLASS);
        keys.add(POJO_OR_REGISTERED_SUBCLASS);
        keys.add(tuple());
        keys.add(row());
        keys.add(AVRO_SPECIFIC);
        keys.add(avroGeneric());
        keys.add(
                StateType.of(
                        "Avro reflect",
                        () -> new AvroSerializer<>(Airport.class),
                        Airport::of,
                        Airport::number));
        keys.add(KRYO);
        keys.add(KRYO_REGISTERED);
        keys.add(StateType.of("Thrift", () -> kryoWith(Crew.class), Crew::of, Crew::number));
        keys.add(protobuf());
        keys.add(string("ASCII string", "dstl"));
        keys.add(string("non-ASCII string", "\u00e9\u20ac\ud83d\ude80\u0000"));
        keys.add(StateType.of("tick", Tick.Serializer::new, Tick::of, Tick::instrument));
        keys.add(MEASURES);
        return keys;
    }

    private static StateType<Tuple3<Integer, String, Double>> tuple() {
        TypeInformation<Tuple3<Integer, String, Double>> type =
                Types.TUPLE(Types.INT, Types.STRING, Types.DOUBLE);
        return StateType.of(
                "Tuple",
                () -> type.createSerializer(new SerializerConfigImpl()),
                n -> Tuple3.of(n, "t" + n, n / 8.0),
                tuple -> tuple.f0);
    }

    private static StateType<Row> row() {
        TypeInformation<Row> type =
                Types.ROW(Types.INT, Types.STRING, Types.OBJECT_ARRAY(Types.LONG));
        return StateType.of(
                "Row",
                () -> type.createSerializer(new SerializerConfigImpl()),
                n -> Row.of(n, n % 2 == 0 ? null : "r" + n, new Long[] {(long) n, -1L}),
                row -> row.<Integer>getFieldAs(0));
    }

    private static StateType<GenericRecord> avroGeneric() {
        return StateType.of(
                "Avro generic",
                () -> new AvroSerializer<>(GenericRecord.class, GENERIC),
                n ->
                        new GenericRecordBuilder(GENERIC)
                                .set("number", n)
                                .set("surface", n % 2 == 0 ? null : "grass" + n)
                                .build(),
                generic -> (Integer) generic.get("number"));
    }

    private static StateType<Type> protobuf() {
        return StateType.of(
                "Protobuf",
                () -> kryoWith(Type.class),
                n ->
                        Type.newBuilder()
                                .setName("type-" + n)
                                .addFields(Field.newBuilder().setNumber(n).setName("f" + n))
                                .build(),
                message -> message.getFields(0).getNumber());
    }

    /** Short ones, and one in sixteen that is long. */
    private static StateType<String> string(String name, String letters) {
        return StateType.of(
                name,
                () -> StringSerializer.INSTANCE,
                n -> n + ":" + letters.repeat(length(n) / letters.length() + 1),
                text -> Integer.parseInt(text.substring(0, text.indexOf(':'))));
    }

    private static int length(int number) {
        return number % 16 == 7 ? LONG + number % 100 : number % 300;
    }

    private static TypeSerializer<MyPojo> pojo(SerializerConfigImpl config) {
        return Types.POJO(MyPojo.class).createSerializer(config);
    }

    private static <T> TypeSerializer<T> kryo(Class<T> type, Class<?>... registered) {
        SerializerConfigImpl config = new SerializerConfigImpl();
        for (Class<?> one : registered) {
            config.registerKryoType(one);
        }
        return new KryoSerializer<>(type, config);
    }

    /** As Flink's documentation tells users of Thrift and Protobuf to set it up. */
    private static <T> TypeSerializer<T> kryoWith(Class<T> type) {
        SerializerConfigImpl config = new SerializerConfigImpl();
        config.registerTypeWithKryoSerializer(Crew.class, TBaseSerializer.class);
        config.registerTypeWithKryoSerializer(Type.class, ProtobufSerializer.class);
        return new KryoSerializer<>(type, config);
    }
}
