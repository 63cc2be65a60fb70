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
package io.dstl.changelog.schema;

import static org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys.KEYED_STATE_TYPE;
import static org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys.VALUE_SERIALIZER;

import io.dstl.changelog.record.StateMetadata;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * The kinds and schemas that each state was logged with, in the order of the logs.
 *
 * <p>The logs of one handle go from older schemas to newer ones. With several handles, the second
 * one starts with an old schema again. A migration back to that schema would drop what only the
 * newer schema knows of the first handle's values.
 */
public final class SchemaHistory {
    private final Map<String, List<ByteBuffer>> schemas = new HashMap<>();

    /** How a schema compares with the others that its state was logged with. */
    public enum Standing {
        NEW,
        CURRENT,
        /** The state has moved on to another schema. */
        PAST
    }

    /** Compares the schema with those before it. A new schema becomes the current one. */
    public Standing standingOf(StateMetadata metadata) throws IOException {
        List<ByteBuffer> ofState =
                schemas.computeIfAbsent(metadata.name(), ignored -> new ArrayList<>());
        ByteBuffer schema = schemaOf(metadata);
        int seenAt = ofState.indexOf(schema);
        if (seenAt < 0) {
            ofState.add(schema);
            return Standing.NEW;
        }
        return seenAt < ofState.size() - 1 ? Standing.PAST : Standing.CURRENT;
    }

    private static ByteBuffer schemaOf(StateMetadata metadata) throws IOException {
        TypeSerializerSnapshot<?> snapshot =
                metadata.snapshot().getTypeSerializerSnapshot(VALUE_SERIALIZER);
        if (snapshot == null) {
            throw new IOException(metadata + " has no value serializer: expected one");
        }
        DataOutputSerializer out = new DataOutputSerializer(256);
        out.writeUTF(String.valueOf(metadata.snapshot().getOption(KEYED_STATE_TYPE)));
        TypeSerializerSnapshot.writeVersionedSnapshot(out, snapshot);
        return ByteBuffer.wrap(out.getCopyOfBuffer());
    }
}
