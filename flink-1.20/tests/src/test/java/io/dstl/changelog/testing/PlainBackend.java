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

import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;

/** A keyed backend without a log. */
public class PlainBackend<K> implements StateTarget<K>, AutoCloseable {
    public final AbstractKeyedStateBackend<K> delegate;

    public PlainBackend(AbstractKeyedStateBackend<K> delegate) {
        this.delegate = delegate;
    }

    @Override
    public void setCurrentKey(K key) {
        delegate.setCurrentKey(key);
    }

    @Override
    public <N, S extends State, T, I extends S> I state(
            TypeSerializer<N> namespaces, StateDescriptor<S, T> descriptor) throws Exception {
        descriptor.initializeSerializerUnlessSet(new ExecutionConfig());
        return delegate.createOrUpdateInternalState(
                namespaces, descriptor, StateSnapshotTransformFactory.noTransform(), true);
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> queue(String name, TypeSerializer<T> elements) {
        return delegate.create(name, elements, true);
    }

    @Override
    public void close() throws Exception {
        delegate.close();
        delegate.dispose();
    }
}
