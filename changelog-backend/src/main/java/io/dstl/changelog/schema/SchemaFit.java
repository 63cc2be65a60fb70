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
import static org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys.NAMESPACE_SERIALIZER;
import static org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys.VALUE_SERIALIZER;

import io.dstl.changelog.record.StateMetadata;
import java.io.IOException;
import java.util.Objects;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a state keeps its bytes when it goes on with another description in its log, or with the
 * serializers of a registration. Functions only; any thread.
 */
public final class SchemaFit {
    private static final Logger LOG = LoggerFactory.getLogger(SchemaFit.class);

    private SchemaFit() {}

    /** Whether a state has other types, such as subclasses, than it is described with earlier. */
    public static boolean hasGrown(StateMetadata later, StateMetadata earlier) throws IOException {
        return later.type() == BackendStateType.KEY_VALUE
                && !later.isFixed()
                && !later.hasSchemaOf(earlier);
    }

    /** Whether a state of the earlier description keeps its bytes with the later one. */
    public static boolean staysAsItIs(StateMetadata later, StateMetadata earlier) {
        return later.type() == earlier.type()
                && Objects.equals(kindOf(later), kindOf(earlier))
                && (later.type() == BackendStateType.PRIORITY_QUEUE
                        || goTogether(namespacesOf(later), namespacesOf(earlier)))
                && goTogether(valuesOf(later), valuesOf(earlier));
    }

    /** Whether a state keeps its bytes when it is registered like that. */
    public static boolean takes(
            StateMetadata logged, TypeSerializer<?> namespaces, StateDescriptor<?, ?> registered) {
        return registered.getType().name().equals(kindOf(logged))
                && isCompatible(namespaces, namespacesOf(logged))
                && isCompatible(registered.getSerializer(), valuesOf(logged));
    }

    /** Whether what the log describes is a queue, and keeps its bytes with that serializer. */
    public static boolean takesQueue(StateMetadata logged, TypeSerializer<?> elements) {
        return logged.type() == BackendStateType.PRIORITY_QUEUE
                && isCompatible(elements, valuesOf(logged));
    }

    /** Whether RocksDB would keep the values as they are. */
    public static boolean isCompatible(
            TypeSerializer<?> registered, @Nullable TypeSerializerSnapshot<?> logged) {
        TypeSerializerSnapshot<?> schema = registered.snapshotConfiguration();
        if (schema == null || logged == null) {
            return false;
        }
        try {
            return isAnsweredWell(schema, logged);
        } catch (RuntimeException e) {
            // The registration reports the fault.
            return false;
        }
    }

    /** The kind of a state; null for a queue. */
    @Nullable
    private static String kindOf(StateMetadata metadata) {
        return metadata.snapshot().getOption(KEYED_STATE_TYPE);
    }

    @Nullable
    private static TypeSerializerSnapshot<?> namespacesOf(StateMetadata metadata) {
        return metadata.snapshot().getTypeSerializerSnapshot(NAMESPACE_SERIALIZER);
    }

    @Nullable
    private static TypeSerializerSnapshot<?> valuesOf(StateMetadata metadata) {
        return metadata.snapshot().getTypeSerializerSnapshot(VALUE_SERIALIZER);
    }

    /**
     * Compares two schemas that were read. A POJO's schema that knows fewer subclasses than the
     * earlier one can't answer itself: it would make a serializer for the answer, and lacks the
     * configuration for that. The serializer restored from it has one.
     */
    private static boolean goTogether(
            @Nullable TypeSerializerSnapshot<?> later,
            @Nullable TypeSerializerSnapshot<?> earlier) {
        if (later == null || earlier == null) {
            return false;
        }
        try {
            return isAnsweredWell(later, earlier);
        } catch (RuntimeException e) {
            LOG.debug("{} is asked once it is restored", later, e);
        }
        try {
            return isAnsweredWell(later.restoreSerializer().snapshotConfiguration(), earlier);
        } catch (RuntimeException e) {
            LOG.debug("{} does not tell how it goes together with {}", later, earlier, e);
            return false;
        }
    }

    @SuppressWarnings("unchecked") // The question is whether they go together.
    private static <T> boolean isAnsweredWell(
            TypeSerializerSnapshot<?> later, TypeSerializerSnapshot<?> earlier) {
        TypeSerializerSchemaCompatibility<T> answer =
                ((TypeSerializerSnapshot<T>) later)
                        .resolveSchemaCompatibility((TypeSerializerSnapshot<T>) earlier);
        return answer.isCompatibleAsIs() || answer.isCompatibleWithReconfiguredSerializer();
    }
}
