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
import org.apache.avro.specific.SpecificRecordBase;

/**
 * As Avro generates a class from a schema, but for two schemas: which one it has now is what a
 * deployment of a newer version of a job changes.
 */
public final class Departure extends SpecificRecordBase {
    private static final long serialVersionUID = 1L;

    /** From this number on a value has a gate other than the default. */
    public static final int LATER = 1_000_000;

    private static final String NO_GATE = "none";

    static final Schema BEFORE =
            SchemaBuilder.record(Departure.class.getName())
                    .fields()
                    .requiredInt("number")
                    .optionalString("carrier")
                    .endRecord();

    static final Schema AFTER =
            SchemaBuilder.record(Departure.class.getName())
                    .fields()
                    .requiredInt("number")
                    .optionalString("carrier")
                    .name("gate")
                    .type()
                    .stringBuilder()
                    .prop("avro.java.string", "String")
                    .endString()
                    .stringDefault(NO_GATE)
                    .endRecord();

    private static volatile Schema deployed = BEFORE;

    private int number;
    private CharSequence carrier;
    private CharSequence gate = NO_GATE;

    public static void deployBefore() {
        deployed = BEFORE;
    }

    public static void deployAfter() {
        deployed = AFTER;
    }

    static Departure of(int number) {
        Departure departure = new Departure();
        departure.number = number;
        departure.carrier = number % 3 == 0 ? null : "carrier-" + number;
        departure.gate = number < LATER ? NO_GATE : "gate-" + number;
        return departure;
    }

    int number() {
        return number;
    }

    @Override
    public Schema getSchema() {
        return deployed;
    }

    @Override
    public Object get(int field) {
        switch (field) {
            case 0:
                return number;
            case 1:
                return carrier;
            case 2:
                return gate;
            default:
                throw new IndexOutOfBoundsException("Field " + field);
        }
    }

    @Override
    public void put(int field, Object value) {
        switch (field) {
            case 0:
                number = (Integer) value;
                break;
            case 1:
                carrier = value == null ? null : value.toString();
                break;
            case 2:
                gate = value.toString();
                break;
            default:
                throw new IndexOutOfBoundsException("Field " + field);
        }
    }
}
