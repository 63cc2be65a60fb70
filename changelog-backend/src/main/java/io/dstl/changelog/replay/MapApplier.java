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

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.ChangeOp;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.internal.InternalMapState;

/** Applies the changes of a map state. */
final class MapApplier<K, N, UK, UV> extends KeyedApplier<K, N> {
    private final InternalMapState<K, N, UK, UV> state;
    private final TypeSerializer<Map<UK, UV>> mapSerializer;
    private final TypeSerializer<UK> keySerializer;
    private final TypeSerializer<UV> valueSerializer;

    MapApplier(
            String name,
            KeyCursor<K> cursor,
            InternalMapState<K, N, UK, UV> state,
            TypeSerializer<Map<UK, UV>> mapSerializer) {
        super(name, cursor, state);
        this.state = state;
        this.mapSerializer = mapSerializer;
        this.keySerializer = ((MapSerializer<UK, UV>) mapSerializer).getKeySerializer();
        this.valueSerializer = ((MapSerializer<UK, UV>) mapSerializer).getValueSerializer();
    }

    @Override
    void applyTo(K key, N namespace, ChangeOp op, RecordInput record) throws Exception {
        switch (op) {
            case ADD:
                putAll(mapSerializer.deserialize(record));
                break;
            case ADD_OR_UPDATE_ELEMENT:
                UK entryKey = keySerializer.deserialize(record);
                put(entryKey, valueSerializer.deserialize(record));
                break;
            case REMOVE_ELEMENT:
                state.remove(keySerializer.deserialize(record));
                break;
            case CLEAR:
                state.clear();
                break;
            default:
                throw unexpected(
                        op,
                        "ADD, ADD_OR_UPDATE_ELEMENT, REMOVE_ELEMENT, CLEAR, as it is a map state");
        }
    }

    private void putAll(Map<UK, UV> entries) throws Exception {
        if (entries.containsValue(null)) {
            for (Map.Entry<UK, UV> entry : entries.entrySet()) {
                put(entry.getKey(), entry.getValue());
            }
        } else {
            state.putAll(entries);
        }
    }

    private void put(UK key, @Nullable UV value) throws Exception {
        if (value != null || !DelegateSupport.get().writers().putNull(state, key)) {
            state.put(key, value);
        }
    }
}
