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
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The log's own duplicate of a serializer of the delegate.
 *
 * <p>The delegate writes to its own views. A serializer that keeps buffers per view (Kryo's) would
 * create them anew at each switch between the delegate's view and the log's; two instances never
 * switch. The delegate may replace its serializer (by a migration, by another registration). So
 * callers pass it at each use, and another one is duplicated again.
 *
 * <p>Not thread-safe.
 */
public final class LogSerializer<T> {
    @Nullable private TypeSerializer<T> original;
    @Nullable private TypeSerializer<T> duplicate;

    /** The log's duplicate of the given serializer: one and the same for the same serializer. */
    @SuppressWarnings(
            "ReferenceEquality") // on the way of each change; an equal one may be stateful
    public TypeSerializer<T> of(TypeSerializer<T> current) {
        if (current != original) {
            duplicate = current.duplicate();
            original = current;
        }
        return duplicate;
    }

    /**
     * The serialized form of a key or a namespace, kept while that is current, so that it is
     * serialized once and copied into each record.
     *
     * <p>Not thread-safe.
     */
    static final class CachedBytes<T> {
        private static final int INITIAL_BYTES = 32;

        private final LogSerializer<T> serializers = new LogSerializer<>();
        private final DataOutputSerializer bytes = new DataOutputSerializer(INITIAL_BYTES);
        private boolean valid;
        @Nullable private T object;
        @Nullable private TypeSerializer<T> serializer;

        /** Forgets the bytes: the object may be another one, or have other content. */
        void invalidate() {
            valid = false;
        }

        /**
         * Writes the bytes of the given object. Serializes it only if the object or its serializer
         * is another one than last time, or {@link #invalidate()} was called since.
         */
        @SuppressWarnings("ReferenceEquality") // on the way of each change; equality costs more
        void writeTo(DataOutputView out, T current, TypeSerializer<T> currentSerializer)
                throws IOException {
            if (!valid || current != object || currentSerializer != serializer) {
                serialize(current, currentSerializer);
            }
            out.write(bytes.getSharedBuffer(), 0, bytes.length());
        }

        private void serialize(T current, TypeSerializer<T> currentSerializer) throws IOException {
            valid = false;
            bytes.clear();
            serializers.of(currentSerializer).serialize(current, bytes);
            object = current;
            serializer = currentSerializer;
            valid = true;
        }
    }
}
