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
import org.apache.flink.runtime.state.internal.InternalMergingState;

/**
 * Applies the changes of a reducing or aggregating state: each carries the accumulator it led to,
 * so no user function runs here. A merge of namespaces, which only Flink's own backend logs, has
 * nothing but the namespaces: it is deferred until the function is known.
 */
final class AccumulatorApplier<K, N, A> extends KeyedApplier<K, N> {
    private final InternalMergingState<K, N, ?, A, ?> state;
    private final DeferredMerges<K, N, A> deferredMerges;
    private final TypeSerializer<A> serializer;

    AccumulatorApplier(
            String name,
            KeyCursor<K> cursor,
            InternalMergingState<K, N, ?, A, ?> state,
            TypeSerializer<A> serializer,
            DeferredMerges<K, N, A> deferredMerges) {
        super(name, cursor, state);
        this.state = state;
        this.deferredMerges = deferredMerges;
        this.serializer = serializer;
    }

    @Override
    void applyTo(K key, N namespace, ChangeOp op, RecordInput record) throws Exception {
        switch (op) {
            case SET_INTERNAL:
                state.updateInternal(serializer.deserialize(record));
                deferredMerges.forget(key, namespace);
                break;
            case CLEAR:
                state.clear();
                deferredMerges.forget(key, namespace);
                break;
            case MERGE_NS:
                N target = readNamespace(record);
                deferredMerges.merge(state, key, target, readNamespaces(record));
                break;
            default:
                throw unexpected(
                        op,
                        "SET_INTERNAL, CLEAR, MERGE_NS, as it is a reducing or aggregating state");
        }
    }
}
