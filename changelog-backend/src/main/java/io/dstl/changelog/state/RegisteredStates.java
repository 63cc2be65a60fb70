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
package io.dstl.changelog.state;

import static org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys.KEYED_STATE_TYPE;
import static org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys.VALUE_SERIALIZER;

import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.schema.LoggedSchema;
import io.dstl.changelog.schema.SchemaHistory.Standing;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.internal.InternalKvState;

/**
 * The key-value states that a log names, in the delegate.
 *
 * <p>They are registered with serializers restored from the log, like those of a restored
 * checkpoint. The user's registration may migrate them to another schema. Time-to-live is not
 * registered here; the logged values carry it, and the user's registration sets it up.
 *
 * <p>Used only by the thread that replays.
 *
 * @param <K> type of the key
 */
public final class RegisteredStates<K> {
    private final AbstractKeyedStateBackend<K> delegate;
    private final KeyCursor<K> cursor;
    private final DelegateWriters writers;
    private final DeferredMerges<K> merges;
    private final Map<String, State> states = new HashMap<>();

    /** States with a later schema than the log has at this point. */
    private final Set<String> later = new HashSet<>();

    /**
     * @param merges gets those that wait for their function
     */
    public RegisteredStates(
            AbstractKeyedStateBackend<K> delegate,
            KeyCursor<K> cursor,
            DelegateWriters writers,
            DeferredMerges<K> merges) {
        this.delegate = delegate;
        this.cursor = cursor;
        this.writers = writers;
        this.merges = merges;
    }

    /**
     * @throws IOException if the log is of a state of an unknown kind
     */
    public static StateKind kindOf(StateMetadata metadata) throws IOException {
        String type = metadata.snapshot().getOption(KEYED_STATE_TYPE);
        return StateKind.named(type)
                .orElseThrow(
                        () ->
                                new IOException(
                                        "state '"
                                                + metadata.name()
                                                + "' is of kind "
                                                + type
                                                + ": expected one of "
                                                + StateKind.names()));
    }

    /**
     * Registers a state as its metadata describes it, or updates its registration.
     *
     * @return the applier of its changes through the delegate's state
     * @throws Exception if the delegate has the state with serializers that these can't follow
     */
    public ChangeApplier register(StateKind kind, StateMetadata metadata, Standing standing)
            throws Exception {
        return kind.register(
                new Registration<>(
                        this,
                        metadata,
                        new RegisteredKeyValueStateBackendMetaInfo<>(metadata.snapshot()),
                        standing));
    }

    /** The delegate's state, as it is registered now. */
    public InternalKvState<?, ?, ?> get(String name) {
        return (InternalKvState<?, ?, ?>) states.get(name);
    }

    /** Whether the state has a later schema than the log has at this point. */
    public boolean isLater(String name) {
        return later.contains(name);
    }

    /** One state on its way into the delegate, for its {@link StateKind}. */
    static final class Registration<K, N> {
        private final RegisteredStates<K> states;
        private final String name;
        private final TypeSerializerSnapshot<?> schema;
        private final RegisteredKeyValueStateBackendMetaInfo<N, ?> info;
        private final Standing standing;

        private Registration(
                RegisteredStates<K> states,
                StateMetadata metadata,
                RegisteredKeyValueStateBackendMetaInfo<N, ?> info,
                Standing standing) {
            this.states = states;
            this.name = metadata.name();
            this.schema = metadata.snapshot().getTypeSerializerSnapshot(VALUE_SERIALIZER);
            this.info = info;
            this.standing = standing;
        }

        String name() {
            return name;
        }

        KeyCursor<K> cursor() {
            return states.cursor;
        }

        DelegateWriters writers() {
            return states.writers;
        }

        <A> DeferredMerges.OfState<K, N, A> merges() {
            return states.merges.of(name);
        }

        /** Whether the log has just reached this schema. */
        boolean isNew() {
            return standing == Standing.NEW;
        }

        /** Whether the delegate has a later schema. Call it after {@link #create}. */
        boolean isLater() {
            return states.isLater(name);
        }

        /** The schema of the state's values. */
        <T> LoggedSchema<T> values() {
            return LoggedSchema.of(writers().logged(schema));
        }

        /** The schema of a list's elements, or of a map's keys or values. */
        <T> LoggedSchema<T> part(int index) {
            return LoggedSchema.of(
                    writers()
                            .logged(
                                    ((CompositeTypeSerializerSnapshot<?, ?>) schema)
                                            .getNestedSerializerSnapshots()[index]));
        }

        /**
         * @throws IOException if the state does not have such a serializer
         */
        void expect(Class<?> type) throws IOException {
            TypeSerializer<?> values = info.getStateSerializer();
            if (!type.isInstance(values)) {
                throw new IOException(
                        "serializer " + values + ": expected a " + type.getSimpleName());
            }
        }

        /**
         * Registers a state with a new schema, twice as a {@link LoggedSchema} needs it. A state
         * that has moved on to a later schema, in another handle or by its materialization, keeps
         * that one.
         *
         * @param schemas all for which the descriptor has a serializer
         */
        @SuppressWarnings("unchecked")
        <S extends State, V, I extends S> I create(
                StateDescriptor<S, V> descriptor, LoggedSchema<?>... schemas) throws Exception {
            if (isNew()) {
                createInDelegate(descriptor);
                states.states.put(name, createInDelegate(descriptor));
                states.later.remove(name);
            }
            if (standing == Standing.PAST) {
                checkTtl(schemas);
            }
            if (standing == Standing.PAST
                    || Arrays.stream(schemas).anyMatch(LoggedSchema::isOutdated)) {
                states.later.add(name);
            }
            return (I) states.states.get(name);
        }

        /**
         * Refuses values of a log from before the state gained or lost its time-to-live, if the
         * state already has values of the other type, from another handle.
         */
        private void checkTtl(LoggedSchema<?>... schemas) throws IOException {
            boolean kept =
                    LoggedSchema.hasTtl(
                            states.writers.logged(states.get(name).getValueSerializer()));
            boolean logged = Arrays.stream(schemas).anyMatch(LoggedSchema::hasTtl);
            if (kept != logged) {
                throw new IOException(
                        "State '"
                                + name
                                + "' has "
                                + (kept ? "gained" : "lost")
                                + " its time-to-live since it was last materialized, and several"
                                + " logs have it both ways. Restore at the parallelism that the"
                                + " checkpoint was taken with, wait until each task has used the"
                                + " state and materialized and a checkpoint has completed, and"
                                + " change the parallelism then");
            }
        }

        private <S extends State, V> S createInDelegate(StateDescriptor<S, V> descriptor)
                throws Exception {
            return states.delegate.createOrUpdateInternalState(
                    info.getNamespaceSerializer(),
                    descriptor,
                    StateSnapshotTransformFactory.noTransform(),
                    true);
        }
    }
}
