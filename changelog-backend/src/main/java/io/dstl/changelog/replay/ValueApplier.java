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
package io.dstl.changelog.replay;

import io.dstl.changelog.record.ChangeOp;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.internal.InternalValueState;

/** Applies the changes of a value state. */
final class ValueApplier<K, N, V> extends KeyedApplier<K, N> {
    private final InternalValueState<K, N, V> state;
    private final TypeSerializer<V> serializer;

    ValueApplier(
            String name,
            KeyCursor<K> cursor,
            InternalValueState<K, N, V> state,
            TypeSerializer<V> serializer) {
        super(name, cursor, state);
        this.state = state;
        this.serializer = serializer;
    }

    @Override
    void applyTo(K key, N namespace, ChangeOp op, RecordInput record) throws Exception {
        switch (op) {
            case SET:
                state.update(serializer.deserialize(record));
                break;
            case CLEAR:
                state.clear();
                break;
            default:
                throw unexpected(op, "SET, CLEAR, as it is a value state");
        }
    }
}
