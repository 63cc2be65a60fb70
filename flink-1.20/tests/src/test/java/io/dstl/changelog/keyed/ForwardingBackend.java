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
package io.dstl.changelog.keyed;

import java.util.List;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;

/** Does what the backend below does, with which it shares keys and states by name. */
class ForwardingBackend<K> extends AbstractKeyedStateBackend<K> {
    private final AbstractKeyedStateBackend<K> below;

    ForwardingBackend(AbstractKeyedStateBackend<K> below) {
        super(below);
        this.below = below;
    }

    /** Flink 2 asks for it, and Flink 1 has none. */
    @SuppressWarnings({"MissingOverride", "UnusedMethod"})
    public String getBackendTypeIdentifier() {
        return "forwarding";
    }

    @Override
    public void dispose() {
        below.dispose();
    }

    @Override
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, SV> descriptor,
            StateSnapshotTransformFactory<SEV> transform)
            throws Exception {
        return below.createOrUpdateInternalState(namespaceSerializer, descriptor, transform);
    }

    @Override
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, SV> descriptor,
            StateSnapshotTransformFactory<SEV> transform,
            boolean allowFutureMetadataUpdates)
            throws Exception {
        return below.createOrUpdateInternalState(
                namespaceSerializer, descriptor, transform, allowFutureMetadataUpdates);
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    String name, TypeSerializer<T> elementSerializer) {
        return below.create(name, elementSerializer);
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    String name,
                    TypeSerializer<T> elementSerializer,
                    boolean allowFutureMetadataUpdates) {
        return below.create(name, elementSerializer, allowFutureMetadataUpdates);
    }

    @Override
    public <N> Stream<K> getKeys(String state, N namespace) {
        return below.getKeys(state, namespace);
    }

    @Override
    public <N> Stream<K> getKeys(List<String> states, N namespace) {
        return below.getKeys(states, namespace);
    }

    @Override
    public <N> Stream<Tuple2<K, N>> getKeysAndNamespaces(String state) {
        return below.getKeysAndNamespaces(state);
    }

    @Override
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long checkpointId,
            long timestamp,
            CheckpointStreamFactory streams,
            CheckpointOptions options)
            throws Exception {
        return below.snapshot(checkpointId, timestamp, streams, options);
    }

    @Override
    public SavepointResources<K> savepoint() throws Exception {
        return below.savepoint();
    }

    @Override
    public int numKeyValueStateEntries() {
        return below.numKeyValueStateEntries();
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        below.notifyCheckpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        below.notifyCheckpointAborted(checkpointId);
    }

    /** Makes keyed backends alone. */
    interface KeyedOnly extends StateBackend {
        @Override
        default OperatorStateBackend createOperatorStateBackend(
                OperatorStateBackendParameters parameters) {
            throw new UnsupportedOperationException("Keyed state only");
        }
    }
}
