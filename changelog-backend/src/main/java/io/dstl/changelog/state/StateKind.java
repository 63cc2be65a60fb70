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
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.util.StateMigrationException;

/**
 * A kind of key-value state: how it logs its changes, and how a replay applies them.
 *
 * <p>This is the one table of the kinds. Each kind has a file of its own beside this one, with the
 * contract of its writers, the writer for any delegate, the applier, and the logged state, which
 * has its own file if it is long.
 */
public abstract class StateKind {
    /**
     * A class of its own: with the rows in {@link StateKind}, one thread that initializes that
     * class and another that initializes a kind could wait for each other.
     */
    private static final class Table {
        static final List<StateKind> ROWS =
                List.of(
                        new ValueKind(),
                        new ListKind(),
                        new MapKind(),
                        new AccumulatorKind.Reducing(),
                        new AccumulatorKind.Aggregating());
    }

    private final StateDescriptor.Type type;
    private final RawState.Form form;

    /**
     * @param type Flink's name for the kind, in descriptors and in the metadata of a log
     * @param form that a replay in bulk uses
     */
    StateKind(StateDescriptor.Type type, RawState.Form form) {
        this.type = type;
        this.form = form;
    }

    /**
     * @param type as a log has it; the result is empty if it is none of ours
     */
    public static Optional<StateKind> named(String type) {
        return Table.ROWS.stream().filter(kind -> kind.type.name().equals(type)).findFirst();
    }

    /** The types of all kinds, as a log has them, for messages. */
    static String names() {
        return Table.ROWS.stream().map(kind -> kind.type.name()).collect(Collectors.joining(", "));
    }

    /** Of its records in a replay in bulk. */
    public final RawState.Form form() {
        return form;
    }

    /**
     * Makes a state that changes the delegate's state and logs the change.
     *
     * @param <A> type of the values, elements, user keys or what is added
     * @param <B> type of a map's values, or of accumulators
     * @param states that it is one of
     * @param descriptor of this kind, as is the delegate
     */
    abstract <K, N, A, B> LoggedState<K, N, ?, ?> logged(
            LoggedStates<K> states, StateDescriptor<?, ?> descriptor, State delegate);

    /**
     * Registers a state with the delegate as a log describes it.
     *
     * @param <A> type of the values, elements, user keys or accumulators
     * @param <B> type of a map's values
     * @return the applier of its changes through the delegate's state
     */
    abstract <K, N, A, B> ChangeApplier register(RegisteredStates.Registration<K, N> registration)
            throws Exception;

    /**
     * Applies the changes of a key-value state through the delegate's state object: reads the scope
     * (key and namespace), and leaves the data to the kind.
     *
     * <p>Reads data with the serializers that the delegate settled on when the metadata came, as
     * the writer's delegate did, unless they are newer than those of this log.
     */
    abstract static class Applier<K, N> implements ChangeApplier {
        private final String name;
        private final KeyCursor<K> cursor;
        private final InternalKvState<K, N, ?> state;
        private final TypeSerializer<N> namespaceSerializer;

        Applier(RegisteredStates.Registration<K, N> registration, InternalKvState<K, N, ?> state) {
            this.name = registration.name();
            this.cursor = registration.cursor();
            this.state = state;
            this.namespaceSerializer = state.getNamespaceSerializer();
        }

        @Override
        public final boolean apply(
                ChangeOp op, int keyGroup, KeyGroupRange keyGroups, RecordInput record)
                throws Exception {
            if (!keyGroups.contains(keyGroup)) {
                return false;
            }
            K key = cursor.moveTo(keyGroup, record);
            N namespace = namespaceSerializer.deserialize(record);
            state.setCurrentNamespace(namespace);
            try {
                applyTo(key, namespace, op, record);
            } catch (IllegalArgumentException | ClassCastException e) {
                throw unreadable(e);
            } catch (RuntimeException e) {
                // Flink's own serializers wrap their failures.
                throw e.getCause() instanceof IllegalArgumentException ? unreadable(e) : e;
            }
            return true;
        }

        private StateMigrationException unreadable(RuntimeException cause) {
            return new StateMigrationException(
                    "State '"
                            + name
                            + "' cannot be restored: its values in the log do not fit the type that"
                            + " the job has now ("
                            + cause.getMessage()
                            + "). Restore with the former type.",
                    cause);
        }

        /**
         * Applies the change to the delegate's state, whose key and namespace are already current.
         */
        abstract void applyTo(K key, N namespace, ChangeOp op, RecordInput record) throws Exception;

        final List<N> readNamespaces(RecordInput record) throws IOException {
            int count = record.readCount("source namespaces");
            List<N> namespaces = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                namespaces.add(namespaceSerializer.deserialize(record));
            }
            return namespaces;
        }

        final N readNamespace(RecordInput record) throws IOException {
            return namespaceSerializer.deserialize(record);
        }

        /** The error for an operation that a state of this kind never logs. */
        final IOException unexpected(ChangeOp op, String expected) {
            return new IOException(
                    "operation " + op + " on state '" + name + "': expected one of " + expected);
        }
    }
}
