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

import io.dstl.changelog.state.ScenarioTarget;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;

/** Registers states after a replay, as the backend does for user code. */
final class ReplayedTarget implements ScenarioTarget {
    private final ReplayFixture fixture;

    ReplayedTarget(ReplayFixture fixture) {
        this.fixture = fixture;
    }

    @Override
    public void mark(String step) {}

    @Override
    public void setCurrentKey(int key) {
        fixture.delegate.setCurrentKey(key);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <N, S extends State, T, I extends S> I state(
            TypeSerializer<N> namespaceSerializer, StateDescriptor<S, T> descriptor)
            throws Exception {
        I state = fixture.delegate.createOrUpdateInternalState(namespaceSerializer, descriptor);
        fixture.target.restored().resolveMerges(descriptor, (InternalKvState<Integer, ?, ?>) state);
        return state;
    }

    @Override
    public <N> KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, N>> queue(
            String name, TypeSerializer<TimerHeapInternalTimer<Integer, N>> serializer) {
        return fixture.delegate.create(name, serializer);
    }
}
