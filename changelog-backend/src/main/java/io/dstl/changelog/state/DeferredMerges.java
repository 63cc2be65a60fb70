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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalMergingState;

/**
 * The merged namespaces of reducing and aggregating states whose user function is not known yet.
 *
 * <p>Flink's own backend logs a merge as the names of its namespaces. A replay takes the
 * accumulators of the sources out of the delegate. They wait here, with that of the target, until
 * the user registers the state and with it the function that merges them. A later change of the
 * target overwrites them. As a session window's merge is followed by the element that caused it,
 * almost nothing waits at the end of a log.
 *
 * <p>Owns the accumulators that wait. Used by the thread that replays, and by the task thread
 * afterwards, as long as the backend lives.
 */
public final class DeferredMerges<K> {
    private final AbstractKeyedStateBackend<K> delegate;
    private final Map<String, OfState<K, ?, ?>> states = new TreeMap<>();

    public DeferredMerges(AbstractKeyedStateBackend<K> delegate) {
        this.delegate = delegate;
    }

    /** The merges of a state, which stay the same if the state's metadata comes again. */
    @SuppressWarnings("unchecked")
    <N, A> OfState<K, N, A> of(String name) {
        return (OfState<K, N, A>)
                states.computeIfAbsent(name, ignored -> new OfState<K, N, A>(delegate));
    }

    /** The names of the states with merges that wait. */
    public Set<String> states() {
        Set<String> names = new TreeSet<>();
        states.forEach(
                (name, ofState) -> {
                    if (!ofState.isEmpty()) {
                        names.add(name);
                    }
                });
        return names;
    }

    /**
     * Completes the merges of a state that the user registers. Does nothing if there are none.
     *
     * @param descriptor with the function that works on the delegate's values
     * @param state the delegate's
     * @throws Exception what the user's function throws; the merges then still wait
     */
    @SuppressWarnings("unchecked")
    public void resolve(StateDescriptor<?, ?> descriptor, InternalKvState<K, ?, ?> state)
            throws Exception {
        OfState<K, ?, ?> ofState = states.get(descriptor.getName());
        if (ofState != null && !ofState.isEmpty()) {
            ((OfState<K, Object, Object>) ofState)
                    .resolve(
                            (InternalMergingState<K, Object, ?, Object, ?>) state,
                            merger(descriptor));
        }
    }

    @SuppressWarnings("unchecked")
    private static <A> Merger<A> merger(StateDescriptor<?, ?> descriptor) {
        if (descriptor instanceof ReducingStateDescriptor) {
            ReduceFunction<A> function =
                    ((ReducingStateDescriptor<A>) descriptor).getReduceFunction();
            return function::reduce;
        }
        AggregateFunction<?, A, ?> function =
                ((AggregatingStateDescriptor<?, A, ?>) descriptor).getAggregateFunction();
        return function::merge;
    }

    /** Merges two accumulators, neither of which is used afterwards. */
    @FunctionalInterface
    interface Merger<A> {
        A merge(A one, A other) throws Exception;
    }

    /** The merges of one state. */
    static final class OfState<K, N, A> {
        private final AbstractKeyedStateBackend<K> delegate;
        private final Map<Scope<K, N>, List<A>> waiting = new LinkedHashMap<>();

        OfState(AbstractKeyedStateBackend<K> delegate) {
            this.delegate = delegate;
        }

        boolean isEmpty() {
            return waiting.isEmpty();
        }

        /**
         * Merges the sources into the target as far as possible; the key is the delegate's current.
         */
        void merge(InternalMergingState<K, N, ?, A, ?> state, K key, N target, List<N> sources)
                throws Exception {
            List<A> ofSources = new ArrayList<>();
            for (N source : sources) {
                ofSources.addAll(take(state, key, source));
            }
            List<A> merged = new ArrayList<>(take(state, key, target));
            merged.addAll(ofSources);
            if (merged.size() == 1) {
                state.setCurrentNamespace(target);
                state.updateInternal(merged.get(0));
            } else if (merged.size() > 1) {
                waiting.put(new Scope<>(key, target), merged);
            }
        }

        private List<A> take(InternalMergingState<K, N, ?, A, ?> state, K key, N namespace)
                throws Exception {
            List<A> waited = waiting.remove(new Scope<>(key, namespace));
            if (waited != null) {
                return waited;
            }
            state.setCurrentNamespace(namespace);
            A accumulator = state.getInternal();
            if (accumulator == null) {
                return List.of();
            }
            state.clear();
            return List.of(accumulator);
        }

        /** Drops what waits for a scope that has been set or cleared. */
        void forget(K key, N namespace) {
            if (!waiting.isEmpty()) {
                waiting.remove(new Scope<>(key, namespace));
            }
        }

        /**
         * Merges what waits and hands it to the state. The delegate's key is the same afterwards.
         */
        void resolve(InternalMergingState<K, N, ?, A, ?> state, Merger<A> merger) throws Exception {
            K keyBefore = delegate.getCurrentKey();
            for (Map.Entry<Scope<K, N>, List<A>> entry : waiting.entrySet()) {
                delegate.setCurrentKey(entry.getKey().key);
                state.setCurrentNamespace(entry.getKey().namespace);
                A merged = mergeAll(entry.getValue(), merger);
                if (merged == null) {
                    // With time-to-live, all of them have expired.
                    state.clear();
                } else {
                    state.updateInternal(merged);
                }
            }
            waiting.clear();
            if (keyBefore != null) {
                delegate.setCurrentKey(keyBefore);
            } else {
                KeyCursor.unset(delegate);
            }
        }

        private static <A> A mergeAll(List<A> accumulators, Merger<A> merger) throws Exception {
            A merged = accumulators.get(0);
            for (A next : accumulators.subList(1, accumulators.size())) {
                merged = merger.merge(merged, next);
            }
            return merged;
        }

        private static final class Scope<K, N> {
            private final K key;
            private final N namespace;

            Scope(K key, N namespace) {
                this.key = key;
                this.namespace = namespace;
            }

            @Override
            public boolean equals(Object other) {
                return other instanceof Scope
                        && key.equals(((Scope<?, ?>) other).key)
                        && namespace.equals(((Scope<?, ?>) other).namespace);
            }

            @Override
            public int hashCode() {
                return Objects.hash(key, namespace);
            }
        }
    }
}
