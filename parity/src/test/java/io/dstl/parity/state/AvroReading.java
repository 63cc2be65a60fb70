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

import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.specific.SpecificRecordBase;

/** What Avro's compiler would make of its schema. */
public class AvroReading extends SpecificRecordBase {

    private static final long serialVersionUID = 1L;

    /** Avro looks for it under this name. */
    public static final Schema SCHEMA$ =
            SchemaBuilder.record("AvroReading")
                    .namespace("io.dstl.parity.state")
                    .fields()
                    .requiredString("sensor")
                    .requiredLong("value")
                    .endRecord();

    public CharSequence sensor;
    public long value;

    public AvroReading() {}

    static AvroReading numbered(long number) {
        AvroReading reading = new AvroReading();
        reading.sensor = "specific " + number;
        reading.value = number;
        return reading;
    }

    @Override
    public Schema getSchema() {
        return SCHEMA$;
    }

    @Override
    public Object get(int field) {
        return field == 0 ? sensor : (Object) value;
    }

    @Override
    public void put(int field, Object content) {
        if (field == 0) {
            sensor = (CharSequence) content;
        } else {
            value = (Long) content;
        }
    }
}
