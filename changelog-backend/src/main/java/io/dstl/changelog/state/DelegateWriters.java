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

import io.dstl.changelog.record.StateLog;
import java.util.Optional;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalMergingState;
import org.apache.flink.runtime.state.internal.InternalValueState;

/**
 * Writers that serialize once, for the delegate and the log together. Where a method returns empty,
 * as for a state of another delegate, the {@code SerializingWriter} of the kind is used.
 *
 * <p>A writer takes the state's serializer at each write. So it uses the same one as the state's
 * reads, even after a migration or another registration. The log's METADATA describes that one.
 *
 * <p>Threading: the task thread.
 */
public interface DelegateWriters {
    <N, V> Optional<ValueKind.Writer<V>> ofValue(
            InternalValueState<?, N, V> state, StateLog<?, N> log);

    <N, E> Optional<ListKind.Writer<E>> ofList(
            InternalListState<?, N, E> state, StateLog<?, N> log);

    <N, UK, UV> Optional<MapKind.Writer<UK, UV>> ofMap(
            InternalMapState<?, N, UK, UV> state, StateLog<?, N> log);

    /**
     * The writer of a reducing or an aggregating state.
     *
     * @param keepsAll whether a value stays until it is removed: it never expires
     */
    <N, A> Optional<AccumulatorKind.Writer<N, A>> ofAccumulator(
            InternalMergingState<?, N, ?, A, ?> state, StateLog<?, N> log, boolean keepsAll);

    /** The current key as the delegate has serialized it, for any of the states above. */
    <N> Optional<StateLog.DelegateKey<N>> keyOf(InternalKvState<?, N, ?> state);

    /**
     * Puts a null value under the current key and namespace, as {@link #ofMap} does, and logs
     * nothing. For a state whose own {@code put} lets the serializer write the null: most
     * serializers refuse, so a log with a null could not be replayed.
     *
     * @return false if the caller has to use the state's own {@code put}
     */
    <UK> boolean putNull(InternalMapState<?, ?, UK, ?> state, UK mapKey) throws Exception;

    /**
     * The serializer whose schema the log gets.
     *
     * @param kept the one that a state of any delegate has
     * @return the same, or one that writes the same bytes
     */
    <V> TypeSerializer<V> logged(TypeSerializer<V> kept);

    /**
     * The schema without what this Flink puts around serializers in memory. Flink writes it with
     * that to a base, and to the log of its own backend.
     *
     * @return the same, or one whose values have the same bytes
     */
    <V> TypeSerializerSnapshot<V> logged(TypeSerializerSnapshot<V> read);

    /**
     * Completes what Flink omits when it registers a state again.
     *
     * @param registered the serializer that the state has just been registered with
     */
    <V> void adopt(State state, TypeSerializer<V> registered);

    /** Does the same as {@link #adopt}, without regard to the serializer before. */
    <V> void use(State state, TypeSerializer<V> serializer);
}
