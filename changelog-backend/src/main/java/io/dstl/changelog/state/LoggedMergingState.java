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

import io.dstl.changelog.record.ChangeOp;
import java.util.Collection;
import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalMergingState;
import org.apache.flink.runtime.state.internal.InternalReducingState;

/**
 * A state whose input a user's function folds. It logs the resulting accumulator, as a replay does
 * not know the user's function.
 *
 * <p>{@link #add} reads, folds and writes in place of the delegate, so that the log gets the result
 * without another read.
 *
 * @param <IN> type of the input
 * @param <A> type of the accumulator
 * @param <OUT> type of the result
 */
abstract class LoggedMergingState<
                K, N, IN, A, OUT, S extends InternalMergingState<K, N, IN, A, OUT>>
        extends LoggedState<K, N, A, S>
        implements InternalMergingState<K, N, IN, A, OUT>, AccumulatorKind.Fold<A, IN> {
    private AccumulatorKind.Writer<N, A> writer;

    LoggedMergingState(LoggedStates<K> states, StateDescriptor<?, ?> descriptor, S delegate) {
        super(states, descriptor, delegate);
        openWriter();
    }

    @Override
    void openWriter() {
        writer =
                writers()
                        .ofAccumulator(delegate(), log(), !descriptor().getTtlConfig().isEnabled())
                        .orElseGet(
                                () -> new AccumulatorKind.SerializingWriter<>(delegate(), log()));
    }

    @Override
    public final void add(IN input) throws Exception {
        writer.add(input, this);
    }

    @Override
    public final void updateInternal(A accumulator) throws Exception {
        writer.set(accumulator);
    }

    /**
     * Logs the result of the merge, and the sources as cleared. The sources come first: a target
     * that is its own source keeps its value.
     */
    @Override
    public final void mergeNamespaces(N target, Collection<N> sources) throws Exception {
        if (sources == null || sources.isEmpty()) {
            delegate().mergeNamespaces(target, sources);
            return;
        }
        try {
            writer.merge(target, sources);
            logMerge(target, sources);
        } catch (Throwable t) {
            // The sources are removed one by one before the user's function, which may fail, ends.
            log().lose(t);
            throw t;
        } finally {
            restoreNamespace();
        }
    }

    private void logMerge(N target, Collection<N> sources) throws Exception {
        for (N source : sources) {
            if (source != null) {
                log().record(scopeOf(source), ChangeOp.CLEAR);
            }
        }
        delegate().setCurrentNamespace(target);
        writer.logMerged(scopeOf(target));
    }

    @Override
    public final A getInternal() throws Exception {
        return delegate().getInternal();
    }

    @Override
    public final OUT get() throws Exception {
        return delegate().get();
    }

    /** A reducing state that logs the reduced value. */
    static final class Reducing<K, N, V>
            extends LoggedMergingState<K, N, V, V, V, InternalReducingState<K, N, V>>
            implements InternalReducingState<K, N, V> {
        private ReduceFunction<V> function;

        Reducing(
                LoggedStates<K> states,
                ReducingStateDescriptor<V> descriptor,
                InternalReducingState<K, N, V> delegate) {
            super(states, descriptor, delegate);
            this.function = descriptor.getReduceFunction();
        }

        @Override
        @SuppressWarnings("unchecked")
        void rebind(
                StateDescriptor<?, ?> newDescriptor, InternalReducingState<K, N, V> newDelegate) {
            super.rebind(newDescriptor, newDelegate);
            function = ((ReducingStateDescriptor<V>) newDescriptor).getReduceFunction();
        }

        @Override
        public V fold(@Nullable V accumulator, V input) throws Exception {
            return accumulator == null ? input : function.reduce(accumulator, input);
        }
    }

    /** An aggregating state that logs the accumulator. */
    static final class Aggregating<K, N, IN, A, OUT>
            extends LoggedMergingState<K, N, IN, A, OUT, InternalAggregatingState<K, N, IN, A, OUT>>
            implements InternalAggregatingState<K, N, IN, A, OUT> {
        private AggregateFunction<IN, A, OUT> function;

        Aggregating(
                LoggedStates<K> states,
                AggregatingStateDescriptor<IN, A, OUT> descriptor,
                InternalAggregatingState<K, N, IN, A, OUT> delegate) {
            super(states, descriptor, delegate);
            this.function = descriptor.getAggregateFunction();
        }

        @Override
        @SuppressWarnings("unchecked")
        void rebind(
                StateDescriptor<?, ?> newDescriptor,
                InternalAggregatingState<K, N, IN, A, OUT> newDelegate) {
            super.rebind(newDescriptor, newDelegate);
            function =
                    ((AggregatingStateDescriptor<IN, A, OUT>) newDescriptor).getAggregateFunction();
        }

        @Override
        public A fold(@Nullable A accumulator, IN input) {
            A previous = accumulator == null ? function.createAccumulator() : accumulator;
            return function.add(input, previous);
        }
    }
}
