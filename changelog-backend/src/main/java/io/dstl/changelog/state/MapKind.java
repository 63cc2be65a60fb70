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

import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.LogSerializer;
import io.dstl.changelog.record.StateLog;
import io.dstl.changelog.schema.LoggedSchema;
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.internal.InternalMapState;

/** Map states: the log has each entry that changes, also through an iterator. */
public final class MapKind extends StateKind {
    MapKind() {
        super(StateDescriptor.Type.MAP, RawState.Form.MAP);
    }

    @Override
    @SuppressWarnings("unchecked")
    <K, N, A, B> LoggedState<K, N, ?, ?> logged(
            LoggedStates<K> states, StateDescriptor<?, ?> descriptor, State delegate) {
        return new LoggedMapState<>(states, descriptor, (InternalMapState<K, N, A, B>) delegate);
    }

    @Override
    <K, N, A, B> ChangeApplier register(RegisteredStates.Registration<K, N> registration)
            throws Exception {
        registration.expect(MapSerializer.class);
        LoggedSchema<A> keys = registration.part(0);
        LoggedSchema<B> values = registration.part(1);
        InternalMapState<K, N, A, B> state =
                registration.create(
                        new MapStateDescriptor<>(
                                registration.name(), keys.registered(), values.registered()),
                        keys,
                        values);
        return new Applier<>(
                registration,
                state,
                registration.isLater()
                        ? new MapSerializer<>(keys.restored(), values.restored())
                        : state.getValueSerializer());
    }

    /**
     * Writes a map state and its log, under the current key and namespace. The task thread only.
     */
    public interface Writer<UK, UV> {
        /**
         * ADD_OR_UPDATE_ELEMENT in the log. A null value is logged as an ADD of one entry, whose
         * format marks null values. The format of a single entry leaves them to the value's
         * serializer, and most serializers refuse them.
         */
        void put(UK key, @Nullable UV value) throws Exception;

        /** ADD in the log. */
        void putAll(Map<UK, UV> entries) throws Exception;

        /** REMOVE_ELEMENT in the log. */
        void remove(UK key) throws Exception;

        /**
         * Logs, as {@link #put} does, the value that an entry of the delegate has just been set to.
         *
         * @param entry whose key was read before
         * @param scope of the iterator that the entry came from
         */
        void logEntrySet(StateLog.Scope scope, Map.Entry<UK, UV> entry, @Nullable UV value)
                throws IOException;

        /**
         * Logs the removal of an entry by an iterator of the delegate.
         *
         * @param entry whose key was read before
         * @param scope of the iterator
         */
        void logEntryRemoved(StateLog.Scope scope, Map.Entry<UK, UV> entry) throws IOException;
    }

    /** Serializes for the log the objects that the delegate was given. */
    static final class SerializingWriter<N, UK, UV> implements Writer<UK, UV> {
        private final InternalMapState<?, N, UK, UV> delegate;
        private final StateLog<?, N> log;
        private final LogSerializer<Map<UK, UV>> serializer = new LogSerializer<>();

        public SerializingWriter(InternalMapState<?, N, UK, UV> delegate, StateLog<?, N> log) {
            this.delegate = delegate;
            this.log = log;
        }

        @Override
        public void put(UK key, @Nullable UV value) throws Exception {
            delegate.put(key, value);
            logPut(log.currentScope(), key, value);
        }

        @Override
        public void putAll(Map<UK, UV> entries) throws Exception {
            // The user's map runs its code here, before any change.
            Map<UK, UV> copy = new LinkedHashMap<>(entries);
            MapSerializer<UK, UV> maps = serializer();
            try {
                delegate.putAll(copy);
            } catch (Throwable t) {
                // Some entries may have been put.
                log.lose(t);
                throw t;
            }
            log.record(log.currentScope(), ChangeOp.ADD, maps, copy);
        }

        @Override
        public void remove(UK key) throws Exception {
            delegate.remove(key);
            logRemoval(log.currentScope(), key);
        }

        @Override
        public void logEntrySet(StateLog.Scope scope, Map.Entry<UK, UV> entry, @Nullable UV value)
                throws IOException {
            logPut(scope, entry.getKey(), value);
        }

        private void logPut(StateLog.Scope scope, UK key, @Nullable UV value) throws IOException {
            if (value == null) {
                log.record(scope, ChangeOp.ADD, serializer(), Collections.singletonMap(key, null));
            } else {
                log.record(
                        scope,
                        ChangeOp.ADD_OR_UPDATE_ELEMENT,
                        serializer().getKeySerializer(),
                        key,
                        serializer().getValueSerializer(),
                        value);
            }
        }

        @Override
        public void logEntryRemoved(StateLog.Scope scope, Map.Entry<UK, UV> entry)
                throws IOException {
            logRemoval(scope, entry.getKey());
        }

        private void logRemoval(StateLog.Scope scope, UK key) throws IOException {
            log.record(scope, ChangeOp.REMOVE_ELEMENT, serializer().getKeySerializer(), key);
        }

        private MapSerializer<UK, UV> serializer() {
            return (MapSerializer<UK, UV>) serializer.of(delegate.getValueSerializer());
        }
    }

    /** Applies the changes of a map state. */
    static final class Applier<K, N, UK, UV> extends StateKind.Applier<K, N> {
        private final InternalMapState<K, N, UK, UV> state;
        private final TypeSerializer<Map<UK, UV>> mapSerializer;
        private final TypeSerializer<UK> keySerializer;
        private final TypeSerializer<UV> valueSerializer;
        private final DelegateWriters writers;

        Applier(
                RegisteredStates.Registration<K, N> registration,
                InternalMapState<K, N, UK, UV> state,
                TypeSerializer<Map<UK, UV>> mapSerializer) {
            super(registration, state);
            this.writers = registration.writers();
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
            if (value != null || !writers.putNull(state, key)) {
                state.put(key, value);
            }
        }
    }
}
