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
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;

/** Applies the changes of a list state. */
final class ListApplier<K, N, E> extends KeyedApplier<K, N> {
    private final InternalListState<K, N, E> state;
    private final TypeSerializer<List<E>> listSerializer;
    private final TypeSerializer<E> elementSerializer;

    ListApplier(
            String name,
            KeyCursor<K> cursor,
            InternalListState<K, N, E> state,
            TypeSerializer<List<E>> listSerializer) {
        super(name, cursor, state);
        this.state = state;
        this.listSerializer = listSerializer;
        this.elementSerializer = ((ListSerializer<E>) listSerializer).getElementSerializer();
    }

    @Override
    void applyTo(K key, N namespace, ChangeOp op, RecordInput record) throws Exception {
        switch (op) {
            case SET:
                state.update(listSerializer.deserialize(record));
                break;
            case SET_INTERNAL:
                state.updateInternal(listSerializer.deserialize(record));
                break;
            case ADD:
                state.addAll(listSerializer.deserialize(record));
                break;
            case ADD_ELEMENT:
                state.add(elementSerializer.deserialize(record));
                break;
            case CLEAR:
                state.clear();
                break;
            case MERGE_NS:
                state.mergeNamespaces(readNamespace(record), readNamespaces(record));
                break;
            default:
                throw unexpected(
                        op,
                        "SET, SET_INTERNAL, ADD, ADD_ELEMENT, CLEAR, MERGE_NS, as it is a list"
                                + " state");
        }
    }
}
