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
package io.dstl.changelog.record;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A schema as bytes: two schemas are the same if their bytes are. Functions only; any thread.
 *
 * <p>Flink writes only snapshots that a serializer has made, and never one that it has read. So a
 * snapshot of the user's may not know after it was read what it would write. The serializer
 * restored from it makes one that does, and stands for it if both are one schema: a serializer may
 * write in another one than that which it was restored from, as Avro's does.
 */
public final class SchemaBytes {
    private static final Logger LOG = LoggerFactory.getLogger(SchemaBytes.class);
    private static final int MOSTLY_ENOUGH = 256;

    private SchemaBytes() {}

    /**
     * @param schema made by a serializer, or read
     * @throws IOException if it can't be written either way; the user's code may throw any
     *     RuntimeException
     */
    public static byte[] of(TypeSerializerSnapshot<?> schema) throws IOException {
        try {
            return written(schema);
        } catch (IOException | RuntimeException e) {
            LOG.debug("{} is written by the serializer restored from it", schema, e);
            return restored(schema, e);
        }
    }

    private static byte[] restored(TypeSerializerSnapshot<?> schema, Exception failure)
            throws IOException {
        TypeSerializerSnapshot<?> made;
        try {
            made = schema.restoreSerializer().snapshotConfiguration();
            if (isAnother(made, schema)) {
                throw new IOException(
                        "A schema of "
                                + schema.getClass().getName()
                                + " can't be compared: its writeSnapshot fails after readSnapshot,"
                                + " and its serializer writes another schema. Restore with the"
                                + " classes that the checkpoint was written with, or mend"
                                + " writeSnapshot",
                        failure);
            }
        } catch (RuntimeException e) {
            e.addSuppressed(failure);
            throw e;
        }
        return written(made);
    }

    @SuppressWarnings("unchecked") // One was made by the serializer restored from the other.
    private static <T> boolean isAnother(
            TypeSerializerSnapshot<T> made, TypeSerializerSnapshot<?> read) {
        TypeSerializerSchemaCompatibility<T> answer =
                made.resolveSchemaCompatibility((TypeSerializerSnapshot<T>) read);
        // A POJO's that has met subclasses is never compatible as it is, even with itself.
        return answer.isCompatibleAfterMigration() || answer.isIncompatible();
    }

    private static byte[] written(TypeSerializerSnapshot<?> schema) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(MOSTLY_ENOUGH);
        TypeSerializerSnapshot.writeVersionedSnapshot(out, schema);
        return out.getCopyOfBuffer();
    }
}
