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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * The kinds and schemas that each state was logged with, in the order of the logs.
 *
 * <p>The logs of one key group go from older schemas to newer ones, and a schema that comes again
 * is a change back: a job that was rolled back, say. With several handles, the second one starts
 * with an old schema again, which its key groups have not left yet. A migration back to that schema
 * would drop what only the newer schema knows of the first handle's values.
 */
public final class SchemaHistory {
    private final Map<String, List<Logged>> schemas = new HashMap<>();

    /** How a schema compares with the others that its state was logged with. */
    public enum Standing {
        NEW,
        CURRENT,
        /** The state has moved on to another schema, in other key groups. */
        PAST
    }

    /**
     * Compares the schema with those before it. A new schema becomes the current one.
     *
     * @param keyGroups those that the log with this schema is replayed for
     */
    public Standing standingOf(StateMetadata metadata, KeyGroupRange keyGroups) throws IOException {
        List<Logged> ofState =
                schemas.computeIfAbsent(metadata.name(), ignored -> new ArrayList<>());
        ByteBuffer schema = schemaOf(metadata);
        boolean left = false;
        for (int i = ofState.size() - 1; i >= 0; i--) {
            Logged logged = ofState.get(i);
            if (logged.schema.equals(schema) && !left) {
                logged.keyGroups.add(keyGroups);
                return i < ofState.size() - 1 ? Standing.PAST : Standing.CURRENT;
            }
            left |= logged.isOfAny(keyGroups);
        }
        ofState.add(new Logged(schema, keyGroups));
        return Standing.NEW;
    }

    /** A schema, and the key groups that have had it since the one before. */
    private static final class Logged {
        private final ByteBuffer schema;
        private final Set<KeyGroupRange> keyGroups = new HashSet<>();

        private Logged(ByteBuffer schema, KeyGroupRange first) {
            this.schema = schema;
            keyGroups.add(first);
        }

        private boolean isOfAny(KeyGroupRange others) {
            return keyGroups.stream()
                    .anyMatch(range -> range.getIntersection(others).getNumberOfKeyGroups() > 0);
        }
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
