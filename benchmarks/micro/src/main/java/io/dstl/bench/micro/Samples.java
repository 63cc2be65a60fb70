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

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.dstl.bench.type.MyOperation;
import io.dstl.bench.type.MyPojo;
import io.dstl.bench.type.Tick;
import io.dstl.bench.type.avro.OperationRecord;
import io.dstl.bench.type.avro.PojoRecord;
import io.dstl.bench.type.proto.OperationMessage;
import io.dstl.bench.type.proto.PojoMessage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple8;
import org.apache.flink.types.Row;

/** Values by number: the same number gives an equal value. */
final class Samples {
    static final TypeInformation<
                    Tuple8<
                            Integer,
                            String,
                            String[],
                            Tuple2<Integer, String>[],
                            Integer,
                            Integer,
                            Integer,
                            Object>>
            TUPLE = TypeInformation.of(new TypeHint<>() {});
    static final TypeInformation<Row> ROW =
            Types.ROW(
                    Types.INT,
                    Types.STRING,
                    Types.OBJECT_ARRAY(Types.STRING),
                    Types.OBJECT_ARRAY(Types.ROW(Types.INT, Types.STRING)),
                    Types.INT,
                    Types.INT,
                    Types.INT,
                    Types.GENERIC(Object.class));

    private static final int ALPHABET = 26;

    /** A letter that takes two bytes in UTF-8 and two in Flink's format. */
    private static final char WIDE_LETTER = '\u0430';

    private Samples() {}

    static byte[] bytes(int length, int number) {
        byte[] bytes = new byte[length];
        SplittableRandom random = new SplittableRandom(number);
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) random.nextInt();
        }
        return bytes;
    }

    static String ascii(int length, int number) {
        return text('a', length, number);
    }

    static String wide(int length, int number) {
        return text(WIDE_LETTER, length, number);
    }

    private static String text(char first, int length, int number) {
        SplittableRandom random = new SplittableRandom(number);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) (first + random.nextInt(ALPHABET)));
        }
        return text.toString();
    }

    /** A trade in the layout of the exchange: date, exchange, symbol, price, volume, the rest. */
    static byte[] line(int number) {
        return String.format(
                        Locale.ROOT,
                        "080449201D%-6s%010d%013dN%016dCT10031007",
                        "S" + number % 500,
                        100_000 + number,
                        100 + number,
                        number)
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    static String json(Tick tick) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("date", tick.date())
                .put("symbol", tick.symbol())
                .put("price", tick.price())
                .put("volume", tick.volume())
                .toString();
    }

    static Tuple8<
                    Integer,
                    String,
                    String[],
                    Tuple2<Integer, String>[],
                    Integer,
                    Integer,
                    Integer,
                    Object>
            tuple(int number) {
        MyPojo pojo = MyPojo.numbered(number);
        @SuppressWarnings({"unchecked", "rawtypes"})
        Tuple2<Integer, String>[] operations =
                Arrays.stream(pojo.getOperations())
                        .map(operation -> Tuple2.of(operation.getId(), operation.getName()))
                        .toArray(Tuple2[]::new);
        return Tuple8.of(
                pojo.id,
                pojo.getName(),
                pojo.getOperationNames(),
                operations,
                pojo.getOtherId1(),
                pojo.getOtherId2(),
                pojo.getOtherId3(),
                pojo.getSomeObject());
    }

    static Row row(int number) {
        MyPojo pojo = MyPojo.numbered(number);
        return Row.of(
                pojo.id,
                pojo.getName(),
                pojo.getOperationNames(),
                Arrays.stream(pojo.getOperations())
                        .map(operation -> Row.of(operation.getId(), operation.getName()))
                        .toArray(Row[]::new),
                pojo.getOtherId1(),
                pojo.getOtherId2(),
                pojo.getOtherId3(),
                pojo.getSomeObject());
    }

    static PojoRecord record(int number) {
        MyPojo pojo = MyPojo.numbered(number);
        List<OperationRecord> operations = new ArrayList<>();
        for (MyOperation operation : pojo.getOperations()) {
            operations.add(new OperationRecord(operation.getId(), operation.getName()));
        }
        return new PojoRecord(
                pojo.id,
                pojo.getName(),
                Arrays.asList(pojo.getOperationNames()),
                operations,
                pojo.getOtherId1(),
                pojo.getOtherId2(),
                pojo.getOtherId3(),
                String.valueOf(pojo.getSomeObject()));
    }

    static GenericRecord generic(int number) {
        PojoRecord specific = record(number);
        GenericRecord generic = new GenericData.Record(specific.getSchema());
        for (Schema.Field field : specific.getSchema().getFields()) {
            generic.put(field.pos(), specific.get(field.pos()));
        }
        generic.put("operations", operations(specific));
        return generic;
    }

    private static List<GenericRecord> operations(PojoRecord specific) {
        Schema schema = specific.getSchema().getField("operations").schema().getElementType();
        List<GenericRecord> operations = new ArrayList<>();
        for (OperationRecord operation : specific.getOperations()) {
            GenericRecord generic = new GenericData.Record(schema);
            generic.put("id", operation.getId());
            generic.put("name", operation.getName());
            operations.add(generic);
        }
        return operations;
    }

    static PojoMessage message(int number) {
        MyPojo pojo = MyPojo.numbered(number);
        PojoMessage.Builder message =
                PojoMessage.newBuilder()
                        .setId(pojo.id)
                        .setName(pojo.getName())
                        .addAllOperationNames(Arrays.asList(pojo.getOperationNames()))
                        .setOtherId1(pojo.getOtherId1())
                        .setOtherId2(pojo.getOtherId2())
                        .setOtherId3(pojo.getOtherId3())
                        .setSomeObject(String.valueOf(pojo.getSomeObject()));
        for (MyOperation operation : pojo.getOperations()) {
            message.addOperations(
                    OperationMessage.newBuilder()
                            .setId(operation.getId())
                            .setName(operation.getName()));
        }
        return message.build();
    }
}
