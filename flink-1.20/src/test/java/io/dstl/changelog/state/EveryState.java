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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/** One state of each kind in one backend, logged or not. */
final class EveryState {
    static final int KEYS = 6;
    static final long NAMESPACES = 3;

    /** Registers a state. */
    interface Registrar {
        <S extends State, T, I extends S> I register(StateDescriptor<S, T> descriptor)
                throws Exception;
    }

    private final AbstractKeyedStateBackend<Integer> backend;
    final InternalValueState<Integer, Long, String> value;
    final InternalListState<Integer, Long, String> list;
    final InternalMapState<Integer, Long, String, Long> map;
    final InternalReducingState<Integer, Long, Long> reducing;
    final InternalAggregatingState<Integer, Long, Integer, Long, String> aggregating;
    final KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> queue;

    private EveryState(
            AbstractKeyedStateBackend<Integer> backend,
            Registrar registrar,
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> queue)
            throws Exception {
        this.backend = backend;
        this.queue = queue;
        value = registrar.register(new ValueStateDescriptor<>("value", StringSerializer.INSTANCE));
        list = registrar.register(new ListStateDescriptor<>("list", StringSerializer.INSTANCE));
        map =
                registrar.register(
                        new MapStateDescriptor<>(
                                "map", StringSerializer.INSTANCE, LongSerializer.INSTANCE));
        reducing =
                registrar.register(
                        new ReducingStateDescriptor<>(
                                "reducing", Long::sum, LongSerializer.INSTANCE));
        aggregating =
                registrar.register(
                        new AggregatingStateDescriptor<>(
                                "aggregating",
                                new GoldenScenario.SumToText(),
                                LongSerializer.INSTANCE));
    }

    static EveryState logged(LoggedBackend<Integer> backend) throws Exception {
        return new EveryState(
                backend.delegate,
                new Registrar() {
                    @Override
                    public <S extends State, T, I extends S> I register(
                            StateDescriptor<S, T> descriptor) throws Exception {
                        return backend.state(LongSerializer.INSTANCE, descriptor);
                    }
                },
                backend.queue("queue", timers()));
    }

    static EveryState unlogged(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        return new EveryState(
                backend,
                new Registrar() {
                    @Override
                    public <S extends State, T, I extends S> I register(
                            StateDescriptor<S, T> descriptor) throws Exception {
                        return backend.createOrUpdateInternalState(
                                LongSerializer.INSTANCE,
                                descriptor,
                                StateSnapshotTransformFactory.noTransform(),
                                true);
                    }
                },
                backend.create("queue", timers(), true));
    }

    private static TimerSerializer<Integer, VoidNamespace> timers() {
        return new TimerSerializer<>(IntSerializer.INSTANCE, VoidNamespaceSerializer.INSTANCE);
    }

    /** Enters a key and, in each state, a namespace. */
    void enter(int key, long namespace) {
        backend.setCurrentKey(key);
        List<InternalKvState<Integer, Long, ?>> all =
                List.of(value, list, map, reducing, aggregating);
        all.forEach(state -> state.setCurrentNamespace(namespace));
    }

    /**
     * All that was in the backend, a line for each key and namespace. Empties the queue: RocksDB's
     * iterator leaves out timers earlier than the one that emptied its cache before.
     */
    List<String> drain() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            for (long namespace = 0; namespace < NAMESPACES; namespace++) {
                enter(key, namespace);
                lines.add("key " + key + " namespace " + namespace + ": " + entered());
            }
        }
        lines.add("queue: " + drainQueue());
        return lines;
    }

    private String entered() throws Exception {
        Map<String, Long> entries = new TreeMap<>();
        for (Map.Entry<String, Long> entry : map.entries()) {
            entries.put(entry.getKey(), entry.getValue());
        }
        return value.value()
                + " "
                + list.getInternal()
                + " "
                + entries
                + " "
                + reducing.get()
                + " "
                + aggregating.get();
    }

    private List<String> drainQueue() {
        List<String> timers = new ArrayList<>();
        while (!queue.isEmpty()) {
            TimerHeapInternalTimer<Integer, VoidNamespace> timer = queue.poll();
            timers.add(timer.getTimestamp() + "/" + timer.getKey());
        }
        return timers;
    }
}
