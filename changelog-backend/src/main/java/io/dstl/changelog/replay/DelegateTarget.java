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

import static org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys.VALUE_SERIALIZER;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.replay.SchemaHistory.Standing;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys;
import org.apache.flink.util.StateMigrationException;

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
    private final BulkReplay bulk;
    private final BulkAppliers inBulk;
    private final QueueAppliers queues;
    private final SchemaHistory schemas = new SchemaHistory();
    private final Map<String, State> states = new HashMap<>();

    /** States with a schema that is later than the one the log is at. */
    private final Set<String> later = new HashSet<>();

    /**
     * @param bulk replays what states of RocksDB take as bytes; closed by the caller
     */
    public DelegateTarget(AbstractKeyedStateBackend<K> delegate, BulkReplay bulk) {
        this.delegate = delegate;
        this.bulk = bulk;
        this.cursor = new KeyCursor<>(delegate);
        this.restored = new RestoredStates<>(delegate);
        this.inBulk = new BulkAppliers(bulk, cursor);
        this.queues = new QueueAppliers(delegate, bulk, restored);
    }

    BulkReplay bulk() {
        return bulk;
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
    public void begin(boolean verified) throws IOException {
        if (verified) {
            bulk.resume();
        } else if (!bulk.isPaused()) {
            bulk.pause();
            queues.end();
        }
    }

    @Override
    public void complete() throws IOException {
        bulk.write();
        queues.complete();
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
                return queues.bind(metadata, schemas.standingOf(metadata));
            default:
                throw new IOException(
                        metadata + ": expected a key-value state or a priority queue");
        }
    }

    private ChangeApplier bindKeyed(StateMetadata metadata) throws Exception {
        StateDescriptor.Type kind = kindOf(metadata);
        try {
            return bindKeyed(metadata, kind);
        } catch (StateMigrationException | RuntimeException e) {
            throw new StateMigrationException(
                    "State '"
                            + metadata.name()
                            + "' cannot be restored: the type it was logged with and the one that"
                            + " it was materialized with, or that the job has now, do not go"
                            + " together ("
                            + e.getMessage()
                            + "). Restore with the former type.",
                    e);
        }
    }

    private ChangeApplier bindKeyed(StateMetadata metadata, StateDescriptor.Type kind)
            throws Exception {
        String name = metadata.name();
        RegisteredKeyValueStateBackendMetaInfo<?, ?> info =
                new RegisteredKeyValueStateBackendMetaInfo<>(metadata.snapshot());
        TypeSerializer<?> namespaces = info.getNamespaceSerializer();
        TypeSerializer<?> values = info.getStateSerializer();
        TypeSerializerSnapshot<?> schema =
                metadata.snapshot().getTypeSerializerSnapshot(VALUE_SERIALIZER);
        Standing standing = schemas.standingOf(metadata);
        inBulk.beforeBinding(standing);
        ChangeApplier throughState = bindKeyed(name, kind, namespaces, values, schema, standing);
        return inBulk.of(
                (InternalKvState<?, ?, ?>) states.get(name),
                metadata,
                standing,
                throughState,
                obstacleTo(name));
    }

    private String obstacleTo(String name) {
        if (later.contains(name)) {
            return "it is kept with a later schema than it was logged with";
        }
        return restored.statesWithDeferredMerges().contains(name)
                ? "merges of its namespaces wait for its function"
                : "";
    }

    private ChangeApplier bindKeyed(
            String name,
            StateDescriptor.Type kind,
            TypeSerializer<?> namespaces,
            TypeSerializer<?> values,
            TypeSerializerSnapshot<?> schema,
            Standing standing)
            throws Exception {
        switch (kind) {
            case VALUE:
                return bindValue(name, namespaces, LoggedSerializer.of(schema), standing);
            case LIST:
                expect(ListSerializer.class, values);
                return bindList(name, namespaces, nested(schema, 0), standing);
            case MAP:
                expect(MapSerializer.class, values);
                return bindMap(name, namespaces, nested(schema, 0), nested(schema, 1), standing);
            case REDUCING:
                return bindReducing(name, namespaces, LoggedSerializer.of(schema), standing);
            case AGGREGATING:
                return bindAggregating(name, namespaces, LoggedSerializer.of(schema), standing);
            default:
                throw unknownKind(name, kind.name());
        }
    }

    /** The serializer of a list's elements, or of a map's keys or values. */
    private static <T> LoggedSerializer<T> nested(TypeSerializerSnapshot<?> schema, int index) {
        return LoggedSerializer.of(
                ((CompositeTypeSerializerSnapshot<?, ?>) schema)
                        .getNestedSerializerSnapshots()[index]);
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

    private static void expect(Class<?> type, TypeSerializer<?> serializer) throws IOException {
        if (!type.isInstance(serializer)) {
            throw new IOException(
                    "serializer " + serializer + ": expected a " + type.getSimpleName());
        }
    }

    private <N, V> ChangeApplier bindValue(
            String name,
            TypeSerializer<N> namespaces,
            LoggedSerializer<V> values,
            Standing standing)
            throws Exception {
        InternalValueState<K, N, V> state =
                register(standing, namespaces, new ValueStateDescriptor<>(name, values), values);
        return new ValueApplier<>(
                name,
                cursor,
                state,
                later.contains(name) ? values.restored() : state.getValueSerializer());
    }

    private <N, E> ChangeApplier bindList(
            String name,
            TypeSerializer<N> namespaces,
            LoggedSerializer<E> elements,
            Standing standing)
            throws Exception {
        InternalListState<K, N, E> state =
                register(standing, namespaces, new ListStateDescriptor<>(name, elements), elements);
        return new ListApplier<>(
                name,
                cursor,
                state,
                later.contains(name)
                        ? new ListSerializer<>(elements.restored())
                        : state.getValueSerializer());
    }

    private <N, UK, UV> ChangeApplier bindMap(
            String name,
            TypeSerializer<N> namespaces,
            LoggedSerializer<UK> keys,
            LoggedSerializer<UV> values,
            Standing standing)
            throws Exception {
        InternalMapState<K, N, UK, UV> state =
                register(
                        standing,
                        namespaces,
                        new MapStateDescriptor<>(name, keys, values),
                        keys,
                        values);
        return new MapApplier<>(
                name,
                cursor,
                state,
                later.contains(name)
                        ? new MapSerializer<>(keys.restored(), values.restored())
                        : state.getValueSerializer());
    }

    private <N, V> ChangeApplier bindReducing(
            String name,
            TypeSerializer<N> namespaces,
            LoggedSerializer<V> values,
            Standing standing)
            throws Exception {
        InternalReducingState<K, N, V> state =
                register(
                        standing,
                        namespaces,
                        new ReducingStateDescriptor<>(name, new UnknownReduce<>(name), values),
                        values);
        if (standing == Standing.NEW) {
            DelegateSupport.get().writers().use(state, values.settled());
        }
        return new AccumulatorApplier<>(
                name,
                cursor,
                state,
                later.contains(name) ? values.restored() : state.getValueSerializer(),
                restored.mergesOf(name));
    }

    private <N, A> ChangeApplier bindAggregating(
            String name,
            TypeSerializer<N> namespaces,
            LoggedSerializer<A> accumulators,
            Standing standing)
            throws Exception {
        InternalAggregatingState<K, N, Object, A, Object> state =
                register(
                        standing,
                        namespaces,
                        new AggregatingStateDescriptor<>(
                                name, new UnknownAggregate<>(name), accumulators),
                        accumulators);
        return new AccumulatorApplier<>(
                name,
                cursor,
                state,
                later.contains(name) ? accumulators.restored() : state.getValueSerializer(),
                restored.mergesOf(name));
    }

    /**
     * Registers a state with a new schema, twice as {@link LoggedSchema} wants it. A state that has
     * gone on to a later schema, in another handle or by its materialization, keeps that one.
     */
    @SuppressWarnings("unchecked")
    private <N, S extends State, V, I extends S> I register(
            Standing standing,
            TypeSerializer<N> namespaces,
            StateDescriptor<S, V> descriptor,
            LoggedSerializer<?>... serializers)
            throws Exception {
        String name = descriptor.getName();
        if (standing == Standing.NEW) {
            create(namespaces, descriptor);
            states.put(name, create(namespaces, descriptor));
            later.remove(name);
        }
        if (standing == Standing.PAST
                || Arrays.stream(serializers).anyMatch(LoggedSerializer::isOutdated)) {
            later.add(name);
        }
        return (I) states.get(name);
    }

    private <N, S extends State, V> S create(
            TypeSerializer<N> namespaces, StateDescriptor<S, V> descriptor) throws Exception {
        return delegate.createOrUpdateInternalState(
                namespaces, descriptor, StateSnapshotTransformFactory.noTransform(), true);
    }
}
