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
package io.dstl.tools.inspect;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;

/**
 * Restores serializers from their snapshots, but only Flink's own that read plain values. Those of
 * a user's classes need the job's jar, and those that create whatever class the bytes name (Kryo,
 * Java, Avro) are not to be let loose on a log that somebody may have damaged.
 *
 * <p>The snapshots themselves are read before, by Flink's {@code readSerializerSnapshot}: it loads
 * the class of Flink's {@code lib/} that the bytes name, and runs its {@code readSnapshot}. So a
 * checkpoint is trusted input here as it is for Flink.
 */
final class BuiltInTypes {
    /** What the names of the snapshots' classes begin with. */
    private static final List<String> PACKAGES =
            List.of(
                    "org.apache.flink.api.common.typeutils.base.",
                    "org.apache.flink.api.java.typeutils.runtime.TupleSerializer",
                    "org.apache.flink.api.java.typeutils.runtime.RowSerializer",
                    "org.apache.flink.api.java.typeutils.runtime.JavaEitherSerializer",
                    "org.apache.flink.api.java.typeutils.runtime.NullableSerializer",
                    "org.apache.flink.runtime.state.VoidNamespaceSerializer",
                    "org.apache.flink.runtime.state.ArrayListSerializer",
                    "org.apache.flink.runtime.state.ttl.",
                    "org.apache.flink.streaming.api.operators.TimerSerializer",
                    "org.apache.flink.streaming.api.windowing.windows.",
                    "org.apache.flink.table.runtime.typeutils.");

    private BuiltInTypes() {}

    /** Empty for a serializer that is not one of these, or has one in it. */
    static Optional<TypeSerializer<?>> restore(TypeSerializerSnapshot<?> snapshot) {
        if (!isBuiltIn(snapshot)) {
            return Optional.empty();
        }
        try {
            return Optional.of(snapshot.restoreSerializer());
        } catch (RuntimeException | LinkageError e) {
            // Of a version that this Flink can't restore: as good as unknown.
            return Optional.empty();
        }
    }

    static boolean isBuiltIn(TypeSerializerSnapshot<?> snapshot) {
        if (PACKAGES.stream().noneMatch(snapshot.getClass().getName()::startsWith)) {
            return false;
        }
        return !(snapshot instanceof CompositeTypeSerializerSnapshot)
                || Arrays.stream(
                                ((CompositeTypeSerializerSnapshot<?, ?>) snapshot)
                                        .getNestedSerializerSnapshots())
                        .allMatch(BuiltInTypes::isBuiltIn);
    }
}
