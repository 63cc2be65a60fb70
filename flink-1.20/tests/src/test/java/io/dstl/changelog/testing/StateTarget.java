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
package io.dstl.changelog.testing;

import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.internal.InternalKvState;

/**
 * A keyed backend in which a test registers states and changes them, logged or not.
 *
 * @param <K> type of the keys
 */
public interface StateTarget<K> {
    void setCurrentKey(K key);

    <N, S extends State, T, I extends S> I state(
            TypeSerializer<N> namespaces, StateDescriptor<S, T> descriptor) throws Exception;

    /** Registers a state, and enters the given namespace. */
    @SuppressWarnings("unchecked") // The namespaces are those it was registered with.
    default <N, S extends State, T, I extends S> I state(
            TypeSerializer<N> namespaces, N namespace, StateDescriptor<S, T> descriptor)
            throws Exception {
        I state = state(namespaces, descriptor);
        ((InternalKvState<?, N, ?>) (State) state).setCurrentNamespace(namespace);
        return state;
    }

    /** Registers a state that has no namespaces. */
    default <S extends State, T, I extends S> I state(StateDescriptor<S, T> descriptor)
            throws Exception {
        return state(VoidNamespaceSerializer.INSTANCE, VoidNamespace.INSTANCE, descriptor);
    }

    <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> queue(String name, TypeSerializer<T> elements);
}
