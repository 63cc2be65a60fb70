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

import io.dstl.changelog.record.StateMetadata;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys;

/**
 * Replays into a delegate of any kind through Flink's state API.
 *
 * <p>States are registered with serializers restored from the log, as a restored checkpoint's are,
 * and stay open to the user's: one with another schema migrates them. Time-to-live is not
 * registered here; the logged values carry it, and the user's registration sets it up.
 *
 * @param <K> type of the key
 */
public final class DelegateTarget<K> implements ReplayTarget {
    private final AbstractKeyedStateBackend<K> delegate;
    private final KeyCursor<K> cursor;
    private final RestoredStates<K> restored;
    private final SchemaHistory schemas = new SchemaHistory();
    private final Map<String, State> states = new HashMap<>();

    public DelegateTarget(AbstractKeyedStateBackend<K> delegate) {
        this.delegate = delegate;
        this.cursor = new KeyCursor<>(delegate);
        this.restored = new RestoredStates<>(delegate);
    }

    /** What the replay leaves to the backend; complete once it is over. */
    public RestoredStates<K> restored() {
        return restored;
    }

    @Override
    public KeyGroupRange keyGroups() {
        return delegate.getKeyGroupRange();
    }

    @Override
    public void leave() {
        cursor.leave();
    }

    @Override
    public ChangeApplier bind(StateMetadata metadata) throws Exception {
        switch (metadata.type()) {
            case KEY_VALUE:
                return bindKeyed(metadata);
            case PRIORITY_QUEUE:
                return bindQueue(metadata);
            default:
                throw new IOException(
                        metadata + ": expected a key-value state or a priority queue");
        }
    }

    private ChangeApplier bindKeyed(StateMetadata metadata) throws Exception {
        String name = metadata.name();
        StateDescriptor.Type kind = kindOf(metadata);
        RegisteredKeyValueStateBackendMetaInfo<?, ?> info =
                new RegisteredKeyValueStateBackendMetaInfo<>(metadata.snapshot());
        TypeSerializer<?> namespaces = info.getNamespaceSerializer();
        TypeSerializer<?> values = info.getStateSerializer();
        boolean outdated = schemas.isOutdated(metadata);
        switch (kind) {
            case VALUE:
                return bindValue(name, namespaces, values, outdated);
            case LIST:
                return bindList(name, namespaces, expect(ListSerializer.class, values), outdated);
            case MAP:
                return bindMap(name, namespaces, expect(MapSerializer.class, values), outdated);
            case REDUCING:
                return bindReducing(name, namespaces, values, outdated);
            case AGGREGATING:
                return bindAggregating(name, namespaces, values, outdated);
            default:
                throw unknownKind(name, kind.name());
        }
    }

    private static StateDescriptor.Type kindOf(StateMetadata metadata) throws IOException {
        String kind = metadata.snapshot().getOption(CommonOptionsKeys.KEYED_STATE_TYPE);
        for (StateDescriptor.Type known : StateDescriptor.Type.values()) {
            if (known.name().equals(kind)) {
                return known;
            }
        }
        throw unknownKind(metadata.name(), kind);
    }

    private static IOException unknownKind(String name, String kind) {
        return new IOException(
                "state '"
                        + name
                        + "' is of kind "
                        + kind
                        + ": expected VALUE, LIST, MAP, REDUCING or AGGREGATING");
    }

    private static <T> T expect(Class<T> type, TypeSerializer<?> serializer) throws IOException {
        if (!type.isInstance(serializer)) {
            throw new IOException(
                    "serializer " + serializer + ": expected a " + type.getSimpleName());
        }
        return type.cast(serializer);
    }

    private <N, V> ChangeApplier bindValue(
            String name, TypeSerializer<N> namespaces, TypeSerializer<V> values, boolean outdated)
            throws Exception {
        InternalValueState<K, N, V> state =
                register(outdated, namespaces, new ValueStateDescriptor<>(name, values));
        return new ValueApplier<>(
                name, cursor, state, outdated ? values : state.getValueSerializer());
    }

    private <N, E> ChangeApplier bindList(
            String name, TypeSerializer<N> namespaces, ListSerializer<E> lists, boolean outdated)
            throws Exception {
        InternalListState<K, N, E> state =
                register(
                        outdated,
                        namespaces,
                        new ListStateDescriptor<>(name, lists.getElementSerializer()));
        return new ListApplier<>(
                name, cursor, state, outdated ? lists : state.getValueSerializer());
    }

    private <N, UK, UV> ChangeApplier bindMap(
            String name, TypeSerializer<N> namespaces, MapSerializer<UK, UV> maps, boolean outdated)
            throws Exception {
        InternalMapState<K, N, UK, UV> state =
                register(
                        outdated,
                        namespaces,
                        new MapStateDescriptor<>(
                                name, maps.getKeySerializer(), maps.getValueSerializer()));
        return new MapApplier<>(name, cursor, state, outdated ? maps : state.getValueSerializer());
    }

    private <N, V> ChangeApplier bindReducing(
            String name, TypeSerializer<N> namespaces, TypeSerializer<V> values, boolean outdated)
            throws Exception {
        InternalReducingState<K, N, V> state =
                register(
                        outdated,
                        namespaces,
                        new ReducingStateDescriptor<>(name, new UnknownReduce<>(name), values));
        return new AccumulatorApplier<>(
                name,
                cursor,
                state,
                outdated ? values : state.getValueSerializer(),
                restored.mergesOf(name));
    }

    private <N, A> ChangeApplier bindAggregating(
            String name,
            TypeSerializer<N> namespaces,
            TypeSerializer<A> accumulators,
            boolean outdated)
            throws Exception {
        InternalAggregatingState<K, N, Object, A, Object> state =
                register(
                        outdated,
                        namespaces,
                        new AggregatingStateDescriptor<>(
                                name, new UnknownAggregate<>(name), accumulators));
        return new AccumulatorApplier<>(
                name,
                cursor,
                state,
                outdated ? accumulators : state.getValueSerializer(),
                restored.mergesOf(name));
    }

    /** A state whose log has gone on to a newer schema, in another handle, keeps that one. */
    @SuppressWarnings("unchecked")
    private <N, S extends State, V, I extends S> I register(
            boolean outdated, TypeSerializer<N> namespaces, StateDescriptor<S, V> descriptor)
            throws Exception {
        if (!outdated) {
            I state =
                    delegate.createOrUpdateInternalState(
                            namespaces,
                            descriptor,
                            StateSnapshotTransformFactory.noTransform(),
                            true);
            states.put(descriptor.getName(), state);
        }
        return (I) states.get(descriptor.getName());
    }

    private <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            ChangeApplier bindQueue(StateMetadata metadata) {
        String name = metadata.name();
        TypeSerializer<T> elements =
                new RegisteredPriorityQueueStateBackendMetaInfo<T>(metadata.snapshot())
                        .getElementSerializer();
        KeyGroupedInternalPriorityQueue<T> queue = delegate.create(name, elements, true);
        restored.put(new RestoredQueue<>(name, queue, elements));
        return new QueueApplier<>(name, queue, elements, delegate.getNumberOfKeyGroups());
    }
}
