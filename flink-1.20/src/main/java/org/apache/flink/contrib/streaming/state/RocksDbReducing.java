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
package org.apache.flink.contrib.streaming.state;

import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;

/**
 * Completes what Flink leaves out when a reducing state of RocksDB is registered again: it migrates
 * the values to the new serializer, and goes on to read them with the old one.
 *
 * <p>In this package for the one protected method that sets it right. Owns nothing.
 *
 * <p>Threading: the task thread, right after the registration.
 */
final class RocksDbReducing {

    private RocksDbReducing() {}

    /**
     * Without effect on a state of another kind or backend.
     *
     * @param registered the serializer that the state has just been registered with
     */
    @SuppressWarnings("unchecked") // The serializer is of the state's own values.
    static <V> void adopt(State state, TypeSerializer<V> registered) {
        if (state instanceof RocksDBReducingState) {
            adopt((RocksDBReducingState<?, ?, V>) state, registered);
        }
    }

    /** As {@link #adopt}, with a serializer that needs no look at the one before. */
    @SuppressWarnings("unchecked") // The serializer is of the state's own values.
    static <V> void use(State state, TypeSerializer<V> serializer) {
        if (state instanceof RocksDBReducingState) {
            ((RocksDBReducingState<?, ?, V>) state).setValueSerializer(serializer);
        }
    }

    private static <V> void adopt(
            RocksDBReducingState<?, ?, V> state, TypeSerializer<V> registered) {
        // Not by equals: to Avro's serializers, those of all schemas of a class are equal.
        TypeSerializerSchemaCompatibility<V> compatibility =
                registered
                        .snapshotConfiguration()
                        .resolveSchemaCompatibility(
                                state.getValueSerializer().snapshotConfiguration());
        state.setValueSerializer(
                compatibility.isCompatibleWithReconfiguredSerializer()
                        ? compatibility.getReconfiguredSerializer()
                        : registered);
    }
}
