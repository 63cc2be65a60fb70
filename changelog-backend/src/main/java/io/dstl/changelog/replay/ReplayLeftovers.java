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

import static java.util.Objects.requireNonNull;

import io.dstl.changelog.schema.SchemaFit;
import io.dstl.changelog.state.DeferredMerges;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.internal.InternalKvState;

/**
 * What a replay leaves to the backend beside the delegate's content: the priority queues, and the
 * merges that wait for their user function.
 *
 * <p>First the thread that replays uses it, then the task thread for as long as the backend lives.
 */
public final class ReplayLeftovers<K> {
    private final Map<String, Queue<?>> queues = new LinkedHashMap<>();
    private final DeferredMerges<K> merges;

    ReplayLeftovers(DeferredMerges<K> merges) {
        this.merges = merges;
    }

    /** The priority queues that the log named, by name. */
    public Map<String, Queue<?>> queues() {
        return Collections.unmodifiableMap(queues);
    }

    /**
     * The names of the states with merges that wait. Their content in the delegate is incomplete.
     * Until the merges are resolved, the replayed logs must stay part of each checkpoint, so no
     * materialization may replace them.
     */
    public Set<String> statesWithDeferredMerges() {
        return merges.states();
    }

    /**
     * Completes the merges that wait for the user's function. Call it when the user registers a
     * state, after the delegate has registered it, and before the state is handed out. Does nothing
     * for a state without such merges.
     *
     * @param descriptor with the function that works on the delegate's values: for a state with
     *     time-to-live the wrapped one
     * @param state the delegate's state
     * @throws Exception what the user's function throws; the merges then still wait
     */
    public void resolveMerges(StateDescriptor<?, ?> descriptor, InternalKvState<K, ?, ?> state)
            throws Exception {
        merges.resolve(descriptor, state);
    }

    /**
     * Lets the delegate refuse a queue whose schema does not go with the log's. Call it once the
     * replay has ended, before the user's queue is created.
     */
    public void beforeQueue(String name, TypeSerializer<?> elements) {
        Queue<?> ofLog = queues.get(name);
        if (ofLog != null
                && !SchemaFit.isCompatible(elements, ofLog.serializer().snapshotConfiguration())) {
            ofLog.content();
        }
    }

    /**
     * Gives the delegate the log's schemas of all queues, also of those that the task does not
     * create. Call it once the replay has ended, before a snapshot of the delegate.
     *
     * @param created by the task
     */
    public void settleQueues(Set<String> created) {
        queues.values().stream()
                .filter(queue -> !created.contains(queue.name()))
                .forEach(Queue::content);
    }

    void put(Queue<?> queue) {
        queues.put(queue.name(), queue);
    }

    /** A priority queue of the delegate that a log named, and the serializer it was logged with. */
    public static final class Queue<T> {
        private final String name;
        private final Supplier<KeyGroupedInternalPriorityQueue<T>> content;
        private final TypeSerializer<T> serializer;

        Queue(
                String name,
                Supplier<KeyGroupedInternalPriorityQueue<T>> content,
                TypeSerializer<T> serializer) {
            this.name = requireNonNull(name);
            this.content = requireNonNull(content);
            this.serializer = requireNonNull(serializer);
        }

        public String name() {
            return name;
        }

        /**
         * The queue, which is created if the replay did not need it. Call it once the replay has
         * ended. Valid until the delegate is asked to create the queue anew.
         */
        public KeyGroupedInternalPriorityQueue<T> content() {
            return content.get();
        }

        public TypeSerializer<T> serializer() {
            return serializer;
        }
    }
}
