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

import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;

/** A keyed backend whose log is watched while {@link GoldenScenario} runs against it. */
public interface ScenarioTarget {

    /** Names the records that follow, up to the next mark. */
    void mark(String step);

    void setCurrentKey(int key);

    <N, S extends State, T, IS extends S> IS state(
            TypeSerializer<N> namespaceSerializer, StateDescriptor<S, T> descriptor)
            throws Exception;

    <N> KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, N>> queue(
            String name, TypeSerializer<TimerHeapInternalTimer<Integer, N>> serializer);
}
