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

import io.dstl.changelog.record.SchemaBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializerSnapshot;

/**
 * The schema of a state's values in the log, or of a part of them, on its way into the delegate:
 * what the state is registered with, and the consequences.
 *
 * <p>Registers values with a time-to-live with Flink's own {@code TtlSerializer} around the user's
 * part. From Flink 2.1 on, a backend tells by the serializer's class whether a state has a
 * time-to-live, and migrates all values of a state that gains or loses it.
 *
 * <p>Used only by the thread that replays.
 *
 * @param <T> type of the values
 */
public final class LoggedSchema<T> {
    private final LoggedSerializer<?> serializer;

    /** Makes the serializer of the values from that of the user's part. */
    private final UnaryOperator<TypeSerializer<?>> around;

    private final boolean hasTtl;

    private LoggedSchema(
            LoggedSerializer<?> serializer,
            UnaryOperator<TypeSerializer<?>> around,
            boolean hasTtl) {
        this.serializer = serializer;
        this.around = around;
        this.hasTtl = hasTtl;
    }

    public static <T> LoggedSchema<T> of(TypeSerializerSnapshot<?> logged) {
        if (logged instanceof TtlSerializerSnapshot) {
            return ofTtl((TtlSerializerSnapshot<?>) logged);
        }
        return new LoggedSchema<>(LoggedSerializer.of(logged), UnaryOperator.identity(), false);
    }

    private static <T> LoggedSchema<T> ofTtl(TtlSerializerSnapshot<?> logged) {
        // In the order of TtlSerializer's constructor.
        TypeSerializerSnapshot<?>[] parts = logged.getNestedSerializerSnapshots();
        @SuppressWarnings("unchecked") // TtlSerializer takes no other.
        TypeSerializer<Long> timestamps = (TypeSerializer<Long>) parts[0].restoreSerializer();
        return new LoggedSchema<>(
                LoggedSerializer.of(parts[1]),
                values -> new TtlSerializer<>(timestamps, values),
                true);
    }

    /** The bytes of a schema. Two schemas are the same if their bytes are. */
    public static byte[] bytes(TypeSerializerSnapshot<?> snapshot) {
        try {
            return SchemaBytes.of(snapshot);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write " + snapshot + " to memory", e);
        }
    }

    public static boolean areSame(TypeSerializerSnapshot<?> one, TypeSerializerSnapshot<?> other) {
        return Arrays.equals(bytes(one), bytes(other));
    }

    /** Whether the values have a time-to-live. */
    public boolean hasTtl() {
        return hasTtl;
    }

    /**
     * Whether the content of a state has a time-to-live: its value, the elements of a list, or the
     * values of a map.
     */
    public static boolean hasTtl(TypeSerializer<?> kept) {
        if (kept instanceof ListSerializer) {
            return hasTtl(((ListSerializer<?>) kept).getElementSerializer());
        }
        if (kept instanceof MapSerializer) {
            return hasTtl(((MapSerializer<?, ?>) kept).getValueSerializer());
        }
        return TtlSerializer.isTtlStateSerializer(kept);
    }

    /** The serializer to register the state with, twice, as a {@link LoggedSerializer} needs it. */
    public TypeSerializer<T> registered() {
        return around(serializer);
    }

    /** The serializer that reads the values in the log. */
    public TypeSerializer<T> restored() {
        return around(serializer.restored());
    }

    /** The serializer that the delegate keeps using. Ask for it after the state was registered. */
    public TypeSerializer<T> settled() {
        return around(serializer.settled());
    }

    /** Whether the delegate has a later schema than the log's. */
    public boolean isOutdated() {
        return serializer.isOutdated();
    }

    @SuppressWarnings("unchecked") // A snapshot restores the serializer that it was taken of.
    private TypeSerializer<T> around(TypeSerializer<?> values) {
        return (TypeSerializer<T>) around.apply(values);
    }
}
