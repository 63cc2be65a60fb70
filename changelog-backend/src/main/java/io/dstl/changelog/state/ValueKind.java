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
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.internal.InternalValueState;

/** Value states: the log has an update as SET, an update to null as CLEAR. */
public final class ValueKind extends StateKind {
    ValueKind() {
        super(StateDescriptor.Type.VALUE, RawState.Form.VALUE);
    }

    @Override
    @SuppressWarnings("unchecked")
    <K, N, A, B> LoggedState<K, N, ?, ?> logged(
            LoggedStates<K> states, StateDescriptor<?, ?> descriptor, State delegate) {
        return new LoggedValueState<>(states, descriptor, (InternalValueState<K, N, A>) delegate);
    }

    @Override
    <K, N, A, B> ChangeApplier register(RegisteredStates.Registration<K, N> registration)
            throws Exception {
        LoggedSchema<A> values = registration.values();
        InternalValueState<K, N, A> state =
                registration.create(
                        new ValueStateDescriptor<>(registration.name(), values.registered()),
                        values);
        return new Applier<>(
                registration,
                state,
                registration.isLater() ? values.restored() : state.getValueSerializer());
    }

    /**
     * Writes a value state and its log, under the current key and namespace. The task thread only.
     */
    public interface Writer<V> {
        /** SET in the log. */
        void set(V value) throws IOException;
    }

    /** Serializes for the log the object that the delegate was given. */
    static final class SerializingWriter<N, V> implements Writer<V> {
        private final InternalValueState<?, N, V> delegate;
        private final StateLog<?, N> log;
        private final LogSerializer<V> serializer = new LogSerializer<>();

        public SerializingWriter(InternalValueState<?, N, V> delegate, StateLog<?, N> log) {
            this.delegate = delegate;
            this.log = log;
        }

        @Override
        public void set(V value) throws IOException {
            delegate.update(value);
            log.record(
                    log.currentScope(),
                    ChangeOp.SET,
                    serializer.of(delegate.getValueSerializer()),
                    value);
        }
    }

    /** A value state that logs: an update as SET, an update to null as CLEAR. */
    static final class LoggedValueState<K, N, V>
            extends LoggedState<K, N, V, InternalValueState<K, N, V>>
            implements InternalValueState<K, N, V> {
        private Writer<V> writer;

        LoggedValueState(
                LoggedStates<K> states,
                StateDescriptor<?, ?> descriptor,
                InternalValueState<K, N, V> delegate) {
            super(states, descriptor, delegate);
            openWriter();
        }

        @Override
        void openWriter() {
            writer =
                    writers()
                            .ofValue(delegate(), log())
                            .orElseGet(() -> new SerializingWriter<>(delegate(), log()));
        }

        @Override
        public V value() throws IOException {
            return delegate().value();
        }

        @Override
        public void update(V value) throws IOException {
            if (value == null) {
                delegate().update(null);
                logClear();
            } else {
                writer.set(value);
            }
        }
    }

    /** Applies the changes of a value state. */
    static final class Applier<K, N, V> extends StateKind.Applier<K, N> {
        private final InternalValueState<K, N, V> state;
        private final TypeSerializer<V> serializer;

        Applier(
                RegisteredStates.Registration<K, N> registration,
                InternalValueState<K, N, V> state,
                TypeSerializer<V> serializer) {
            super(registration, state);
            this.state = state;
            this.serializer = serializer;
        }

        @Override
        void applyTo(K key, N namespace, ChangeOp op, RecordInput record) throws Exception {
            switch (op) {
                case SET:
                    state.update(serializer.deserialize(record));
                    break;
                case CLEAR:
                    state.clear();
                    break;
                default:
                    throw unexpected(op, "SET, CLEAR, as it is a value state");
            }
        }
    }
}
