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
package org.apache.flink.state.rocksdb;

import java.util.Arrays;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializerSnapshot;

/**
 * Flink 2 puts a {@link TtlAwareSerializer} around each serializer to compare two, and from 2.1 on
 * leaves it in a map whose key serializer it has reconfigured. It writes the same bytes, but its
 * schema is none of a state's.
 */
final class RocksDbSerializers {
    private RocksDbSerializers() {}

    /** Writes the same bytes, and has the schema that a state is registered with. */
    @SuppressWarnings("unchecked") // What is around a serializer is for the same type.
    static <V> TypeSerializer<V> plain(TypeSerializer<V> kept) {
        TypeSerializer<?> plain = inner(kept);
        if (plain instanceof MapSerializer) {
            MapSerializer<?, ?> map = (MapSerializer<?, ?>) plain;
            plain =
                    new MapSerializer<>(
                            inner(map.getKeySerializer()), inner(map.getValueSerializer()));
        } else if (plain instanceof ListSerializer) {
            plain = new ListSerializer<>(inner(((ListSerializer<?>) plain).getElementSerializer()));
        }
        return (TypeSerializer<V>) plain;
    }

    /**
     * The schema of the plain serializer. Flink also writes that of the other: to a snapshot, and
     * to the log of its own backend.
     */
    static <V> TypeSerializerSnapshot<V> plain(TypeSerializerSnapshot<V> read) {
        if (read instanceof TtlAwareSerializerSnapshot) {
            return plain(((TtlAwareSerializerSnapshot<V>) read).getOrinalTypeSerializerSnapshot());
        }
        return hasWrappedPart(read)
                ? plain(read.restoreSerializer()).snapshotConfiguration()
                : read;
    }

    private static boolean hasWrappedPart(TypeSerializerSnapshot<?> read) {
        return read instanceof CompositeTypeSerializerSnapshot
                && Arrays.stream(
                                ((CompositeTypeSerializerSnapshot<?, ?>) read)
                                        .getNestedSerializerSnapshots())
                        .anyMatch(TtlAwareSerializerSnapshot.class::isInstance);
    }

    private static TypeSerializer<?> inner(TypeSerializer<?> serializer) {
        return serializer instanceof TtlAwareSerializer
                ? ((TtlAwareSerializer<?, ?>) serializer).getOriginalTypeSerializer()
                : serializer;
    }
}
