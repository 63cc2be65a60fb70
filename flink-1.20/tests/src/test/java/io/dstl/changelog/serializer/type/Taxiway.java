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

import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.formats.avro.typeutils.GenericRecordAvroTypeInfo;

/**
 * Generic records, whose schema nothing but their type information knows. A delegate on the heap
 * keeps those that it has read by the older one, so they are the same if they say the same.
 */
public final class Taxiway {
    public static final StateType<GenericRecord> BEFORE =
            type(
                    "Avro generic before",
                    SchemaBuilder.record("io.dstl.generic.Taxiway")
                            .fields()
                            .requiredInt("number")
                            .requiredString("surface")
                            .endRecord());

    /** From {@link Departure#LATER} on it may have no surface. */
    public static final StateType<GenericRecord> OF_ANY_SURFACE =
            type(
                    "Avro generic of any surface",
                    SchemaBuilder.record("io.dstl.generic.Taxiway")
                            .fields()
                            .requiredInt("number")
                            .optionalString("surface")
                            .endRecord());

    /** Flink cannot write a generic record that it has read by a schema without the field. */
    public static final StateType<GenericRecord> WITH_LIGHTS =
            type(
                    "Avro generic with lights",
                    SchemaBuilder.record("io.dstl.generic.Taxiway")
                            .fields()
                            .requiredInt("number")
                            .requiredString("surface")
                            .name("lights")
                            .type()
                            .intType()
                            .intDefault(0)
                            .endRecord());

    private Taxiway() {}

    private static StateType<GenericRecord> type(String name, Schema schema) {
        return StateType.of(
                        name,
                        () ->
                                new GenericRecordAvroTypeInfo(schema)
                                        .createSerializer(new SerializerConfigImpl()),
                        n -> of(schema, n),
                        taxiway -> (Integer) taxiway.get("number"))
                .same((one, other) -> one.toString().equals(other.toString()));
    }

    private static GenericRecord of(Schema schema, int number) {
        return new GenericRecordBuilder(schema)
                .set("number", number)
                .set("surface", number < Departure.LATER ? "surface-" + number : null)
                .build();
    }
}
