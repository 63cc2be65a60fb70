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
import org.apache.avro.SchemaBuilder.FieldAssembler;

/**
 * A version of the types of the schema job. The classes of a version are compiled by the test and
 * put on the class path of the leg; the Avro schemas are here.
 */
public enum SchemaVersion {
    /** With a field that the next version does not have. */
    FIRST,
    /** With a field that the version before did not have. */
    NEXT,
    /** A field has changed its type, which no serializer can bridge. */
    INCOMPATIBLE;

    /** Compiled from the source of this version. */
    public static final String ACCOUNT = "io.dstl.parity.schema.Account";

    public Schema avroSchema() {
        FieldAssembler<Schema> fields =
                SchemaBuilder.record("AccountRecord").namespace("io.dstl.parity.schema").fields();
        switch (this) {
            case FIRST:
                return fields.requiredLong("id").requiredString("obsolete").endRecord();
            case NEXT:
                return fields.requiredLong("id")
                        .name("added")
                        .type()
                        .stringType()
                        .stringDefault("none")
                        .endRecord();
            default:
                return fields.requiredString("id").endRecord();
        }
    }
}
