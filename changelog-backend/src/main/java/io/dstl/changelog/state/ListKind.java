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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.util.Preconditions;

/** List states: the log has the added elements, or the whole list when it is replaced. */
public final class ListKind extends StateKind {
    ListKind() {
        super(StateDescriptor.Type.LIST, RawState.Form.LIST);
    }

    @Override
    @SuppressWarnings("unchecked")
    <K, N, A, B> LoggedState<K, N, ?, ?> logged(
            LoggedStates<K> states, StateDescriptor<?, ?> descriptor, State delegate) {
        return new LoggedListState<>(states, descriptor, (InternalListState<K, N, A>) delegate);
    }

    @Override
    <K, N, A, B> ChangeApplier register(RegisteredStates.Registration<K, N> registration)
            throws Exception {
        registration.expect(ListSerializer.class);
        LoggedSchema<A> elements = registration.part(0);
        InternalListState<K, N, A> state =
                registration.create(
                        new ListStateDescriptor<>(registration.name(), elements.registered()),
                        elements);
        return new Applier<>(
                registration,
                state,
                registration.isLater()
                        ? new ListSerializer<>(elements.restored())
                        : state.getValueSerializer());
    }

    /**
     * Writes a list state and its log, under the current key and namespace. The task thread only.
     */
    public interface Writer<E> {
        /** ADD_ELEMENT in the log. */
        void add(E element) throws Exception;

        /**
         * ADD in the log.
         *
         * @param elements not empty
         */
        void addAll(List<E> elements) throws Exception;

        /**
         * @param elements not empty
         * @param op that the log gets
         */
        void set(List<E> elements, ChangeOp op) throws Exception;
    }

    /** Serializes for the log the objects that the delegate was given. */
    static final class SerializingWriter<N, E> implements Writer<E> {
        private final InternalListState<?, N, E> delegate;
        private final StateLog<?, N> log;
        private final LogSerializer<List<E>> serializer = new LogSerializer<>();

        public SerializingWriter(InternalListState<?, N, E> delegate, StateLog<?, N> log) {
            this.delegate = delegate;
            this.log = log;
        }

        @Override
        public void add(E element) throws Exception {
            delegate.add(element);
            TypeSerializer<E> elements = ((ListSerializer<E>) serializer()).getElementSerializer();
            log.record(log.currentScope(), ChangeOp.ADD_ELEMENT, elements, element);
        }

        @Override
        public void addAll(List<E> elements) throws Exception {
            // The user's list runs its code here, before any change.
            List<E> copy = new ArrayList<>(elements);
            for (E element : copy) {
                // The heap backend would have added the elements before it.
                Preconditions.checkNotNull(
                        element,
                        "There is a null among the elements to be added to list state '%s': leave it"
                                + " out. Nothing was added.",
                        log.stateName());
            }
            delegate.addAll(copy);
            log.record(log.currentScope(), ChangeOp.ADD, serializer(), copy);
        }

        @Override
        public void set(List<E> elements, ChangeOp op) throws Exception {
            if (op == ChangeOp.SET) {
                // The user's list runs its code here, once: it may make its elements as it is read.
                List<E> copy = new ArrayList<>(elements);
                delegate.update(copy);
                log.record(log.currentScope(), op, serializer(), copy);
            } else {
                delegate.updateInternal(elements);
                log.record(log.currentScope(), op, serializer(), elements);
            }
        }

        private TypeSerializer<List<E>> serializer() {
            return serializer.of(delegate.getValueSerializer());
        }
    }

    /**
     * A list state that logs added elements, or the whole list when it is replaced. The delegates
     * treat an update to the empty list as a removal, so it is logged as CLEAR. Adding nothing
     * changes nothing and is not logged.
     */
    static final class LoggedListState<K, N, E>
            extends LoggedState<K, N, List<E>, InternalListState<K, N, E>>
            implements InternalListState<K, N, E> {
        /** The empty list as a {@code ListSerializer} writes it. */
        private static final StateLog.Data EMPTY_LIST = out -> out.writeInt(0);

        private Writer<E> writer;

        LoggedListState(
                LoggedStates<K> states,
                StateDescriptor<?, ?> descriptor,
                InternalListState<K, N, E> delegate) {
            super(states, descriptor, delegate);
            openWriter();
        }

        @Override
        void openWriter() {
            writer =
                    writers()
                            .ofList(delegate(), log())
                            .orElseGet(() -> new SerializingWriter<>(delegate(), log()));
        }

        @Override
        public Iterable<E> get() throws Exception {
            return delegate().get();
        }

        @Override
        public List<E> getInternal() throws Exception {
            return delegate().getInternal();
        }

        @Override
        public void add(E element) throws Exception {
            writer.add(element);
        }

        @Override
        public void addAll(List<E> elements) throws Exception {
            if (isNullOrEmpty(elements)) {
                delegate().addAll(elements);
            } else {
                writer.addAll(elements);
            }
        }

        @Override
        public void update(List<E> elements) throws Exception {
            if (isNullOrEmpty(elements)) {
                delegate().update(elements);
                logClear();
            } else {
                writer.set(elements, ChangeOp.SET);
            }
        }

        @Override
        public void updateInternal(List<E> elements) throws Exception {
            if (!isNullOrEmpty(elements)) {
                writer.set(elements, ChangeOp.SET_INTERNAL);
                return;
            }
            delegate().updateInternal(elements);
            if (elements == null) {
                logClear();
            } else {
                log().record(scope(), ChangeOp.SET_INTERNAL, EMPTY_LIST);
            }
        }

        private static boolean isNullOrEmpty(@Nullable List<?> elements) {
            return elements == null || elements.isEmpty();
        }

        @Override
        public void mergeNamespaces(N target, Collection<N> sources) throws Exception {
            try {
                delegate().mergeNamespaces(target, sources);
                if (sources != null && !sources.isEmpty()) {
                    log().recordMerge(scopeOf(target), target, withoutNulls(sources));
                }
            } catch (Throwable t) {
                // Of several sources, the first may already be gone.
                log().lose(t);
                throw t;
            } finally {
                restoreNamespace();
            }
        }

        private Collection<N> withoutNulls(Collection<N> sources) {
            return sources.stream().filter(Objects::nonNull).collect(Collectors.toList());
        }
    }

    /** Applies the changes of a list state. */
    static final class Applier<K, N, E> extends StateKind.Applier<K, N> {
        private final InternalListState<K, N, E> state;
        private final TypeSerializer<List<E>> listSerializer;
        private final TypeSerializer<E> elementSerializer;

        Applier(
                RegisteredStates.Registration<K, N> registration,
                InternalListState<K, N, E> state,
                TypeSerializer<List<E>> listSerializer) {
            super(registration, state);
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
}
