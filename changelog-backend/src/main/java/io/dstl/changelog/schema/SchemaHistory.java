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

import io.dstl.changelog.record.SchemaBytes;
import io.dstl.changelog.record.StateMetadata;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * The kinds and schemas that each state was logged with, in the order of the logs.
 *
 * <p>The logs of one key group go from older schemas to newer ones, and one that comes again is a
 * change back: the job was rolled back, say. With several handles, the second one starts with an
 * old schema again, which its key groups have not left yet. A migration back to that schema would
 * drop what only the newer schema knows of the first handle's values.
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
     * @param range the key groups that the log with this schema is replayed for
     */
    public Standing standingOf(StateMetadata metadata, KeyGroupRange range) throws IOException {
        List<Logged> ofState =
                schemas.computeIfAbsent(metadata.name(), ignored -> new ArrayList<>());
        ByteBuffer schema = schemaOf(metadata);
        BitSet keyGroups = new BitSet();
        keyGroups.set(range.getStartKeyGroup(), range.getEndKeyGroup() + 1);
        for (int i = beginOf(keyGroups, ofState); i < ofState.size(); i++) {
            Logged logged = ofState.get(i);
            if (logged.schema.equals(schema)) {
                logged.keyGroups.or(keyGroups);
                return i < ofState.size() - 1 ? Standing.PAST : Standing.CURRENT;
            }
        }
        if (hasValuesOfOthers(schema, ofState, keyGroups)) {
            return Standing.PAST;
        }
        ofState.add(new Logged(schema, keyGroups));
        return Standing.NEW;
    }

    /** The last schema that any of the key groups had. */
    private static int beginOf(BitSet keyGroups, List<Logged> ofState) {
        for (int i = ofState.size() - 1; i > 0; i--) {
            if (ofState.get(i).keyGroups.intersects(keyGroups)) {
                return i;
            }
        }
        return 0;
    }

    /**
     * Whether values of other key groups were left in this schema, and were migrated since as logs
     * of still others had another one. Migrated back they are not what they were: they may have
     * lost something, and start a new time-to-live.
     */
    private static boolean hasValuesOfOthers(
            ByteBuffer schema, List<Logged> ofState, BitSet keyGroups) {
        BitSet later = (BitSet) keyGroups.clone();
        for (int i = ofState.size() - 1; i >= 0; i--) {
            Logged logged = ofState.get(i);
            BitSet last = (BitSet) logged.keyGroups.clone();
            last.andNot(later);
            if (logged.schema.equals(schema) && !last.isEmpty()) {
                return true;
            }
            later.or(logged.keyGroups);
        }
        return false;
    }

    /** A schema, and the key groups that have had it after the one before. */
    private static final class Logged {
        private final ByteBuffer schema;
        private final BitSet keyGroups;

        private Logged(ByteBuffer schema, BitSet keyGroups) {
            this.schema = schema;
            this.keyGroups = keyGroups;
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
        out.write(SchemaBytes.of(snapshot));
        return ByteBuffer.wrap(out.getCopyOfBuffer());
    }
}
