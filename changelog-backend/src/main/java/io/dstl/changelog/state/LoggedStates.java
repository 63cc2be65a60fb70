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

import io.dstl.changelog.record.ChangeRecorder;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;
import org.apache.flink.runtime.state.internal.InternalKvState;

/**
 * The logging states of one keyed backend, by name.
 *
 * <p>Owns the pairing of a delegate's state with its logging state. A state that is registered
 * again (after a restore, with another function, after a migration) stays the same object, so that
 * whoever holds it sees the change; its metadata is then logged again.
 *
 * <p>The task thread only.
 *
 * @param <K> type of the keys
 */
public final class LoggedStates<K> {
    private final ChangeRecorder<K> recorder;
    private final DelegateWriters writers;
    private final Map<String, LoggedState<K, ?, ?, ?>> states = new HashMap<>();
    private final Map<String, LoggedPriorityQueue<?>> queues = new HashMap<>();

    /**
     * @param writers of the delegate
     */
    public LoggedStates(ChangeRecorder<K> recorder, DelegateWriters writers) {
        this.recorder = recorder;
        this.writers = writers;
    }

    ChangeRecorder<K> recorder() {
        return recorder;
    }

    DelegateWriters writers() {
        return writers;
    }

    /**
     * The logging state for the one that the delegate has just created or updated.
     *
     * @param descriptor the one that the delegate was given, its serializer initialized
     * @throws UnsupportedOperationException if the state is of a kind that cannot be logged
     * @throws IllegalStateException if the name belongs to a state of another kind
     */
    @SuppressWarnings("unchecked")
    public <N, V, S extends State, I extends S> I keyValue(
            StateDescriptor<S, V> descriptor, I delegate) {
        LoggedState<K, ?, ?, ?> existing = states.get(descriptor.getName());
        if (existing == null) {
            LoggedState<K, N, ?, ?> created = create(descriptor, delegate);
            states.put(descriptor.getName(), created);
            return (I) created;
        }
        requireSameKind(existing, descriptor);
        rebind(existing, descriptor, delegate);
        return (I) existing;
    }

    private <N> LoggedState<K, N, ?, ?> create(StateDescriptor<?, ?> descriptor, State delegate) {
        StateKind kind =
                StateKind.named(descriptor.getType().name())
                        .orElseThrow(
                                () ->
                                        new UnsupportedOperationException(
                                                "State '"
                                                        + descriptor.getName()
                                                        + "' is of kind "
                                                        + descriptor.getType()
                                                        + ", which the changelog cannot tell of. Use"
                                                        + " one of "
                                                        + StateKind.names()
                                                        + ", or set"
                                                        + " 'state.backend.changelog.enabled' to"
                                                        + " false."));
        return kind.logged(this, descriptor, delegate);
    }

    private static void requireSameKind(
            LoggedState<?, ?, ?, ?> existing, StateDescriptor<?, ?> descriptor) {
        if (existing.type() != descriptor.getType()) {
            throw new IllegalStateException(
                    "State '"
                            + descriptor.getName()
                            + "' is registered as "
                            + existing.type()
                            + " already, now as "
                            + descriptor.getType()
                            + ". Give one of them another name.");
        }
    }

    @SuppressWarnings("unchecked")
    private static <K, N, V, S extends InternalKvState<K, N, V>> void rebind(
            LoggedState<K, N, V, S> state, StateDescriptor<?, ?> descriptor, State delegate) {
        state.rebind(descriptor, (S) delegate);
    }

    /** The logging queue for the one that the delegate has just created or updated. */
    public <T extends Keyed<?>> LoggedPriorityQueue<T> queue(
            String name,
            TypeSerializer<T> serializer,
            KeyGroupedInternalPriorityQueue<T> delegate) {
        return queue(name, serializer, delegate, delegate instanceof HeapPriorityQueueSet);
    }

    /**
     * The same for a delegate's queue that may come later, in place of the given one.
     *
     * @param onHeap whether the delegate's queue is on the heap
     */
    @SuppressWarnings("unchecked")
    public <T extends Keyed<?>> LoggedPriorityQueue<T> queue(
            String name,
            TypeSerializer<T> serializer,
            KeyGroupedInternalPriorityQueue<T> delegate,
            boolean onHeap) {
        LoggedPriorityQueue<T> existing = (LoggedPriorityQueue<T>) queues.get(name);
        if (existing == null) {
            LoggedPriorityQueue<T> created =
                    new LoggedPriorityQueue<>(recorder, name, serializer, delegate, onHeap);
            queues.put(name, created);
            return created;
        }
        existing.rebind(serializer, delegate);
        return existing;
    }

    /** All queues, in no order. */
    public Collection<LoggedPriorityQueue<?>> queues() {
        return Collections.unmodifiableCollection(queues.values());
    }
}
