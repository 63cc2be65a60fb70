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
import io.dstl.changelog.record.ChangeRecorder;
import java.util.Collection;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.state.internal.InternalMergingState;

/**
 * A state that a user's function folds its input into. What is logged is the accumulator that came
 * out: a replay must not run user functions, which it does not know.
 *
 * <p>{@link #add} reads, folds and writes itself where the delegate would have, so that the result
 * is at hand for the log without another read.
 *
 * @param <IN> type of the input
 * @param <A> type of the accumulator
 * @param <OUT> type of the result
 */
abstract class LoggedMergingState<
                K, N, IN, A, OUT, S extends InternalMergingState<K, N, IN, A, OUT>>
        extends LoggedState<K, N, A, S> implements InternalMergingState<K, N, IN, A, OUT> {

    LoggedMergingState(ChangeRecorder<K> recorder, StateDescriptor<?, ?> descriptor, S delegate) {
        super(recorder, descriptor, delegate);
    }

    /**
     * Folds one input into an accumulator with the user's function.
     *
     * @param accumulator null if there is none yet
     */
    abstract A fold(@Nullable A accumulator, IN input) throws Exception;

    @Override
    public final void add(IN input) throws Exception {
        if (input == null) {
            // The delegates differ in what null means; only they know.
            delegate().add(null);
            logAccumulator(delegate().getInternal());
        } else {
            updateInternal(fold(delegate().getInternal(), input));
        }
    }

    @Override
    public final void updateInternal(A accumulator) throws Exception {
        delegate().updateInternal(accumulator);
        logAccumulator(accumulator);
    }

    private void logAccumulator(@Nullable A accumulator) throws Exception {
        if (accumulator == null) {
            log().record(scope(), ChangeOp.CLEAR);
        } else {
            log().record(scope(), ChangeOp.SET_INTERNAL, logSerializer(), accumulator);
        }
    }

    /**
     * Logs what the merge came to, and the sources as cleared. The sources first: a target that is
     * its own source keeps its value.
     */
    @Override
    public final void mergeNamespaces(N target, Collection<N> sources) throws Exception {
        delegate().mergeNamespaces(target, sources);
        if (sources == null || sources.isEmpty()) {
            return;
        }
        for (N source : sources) {
            if (source != null) {
                log().record(log().fixedScope(source), ChangeOp.CLEAR);
            }
        }
        logMerged(target);
        restoreNamespace();
    }

    private void logMerged(N target) throws Exception {
        delegate().setCurrentNamespace(target);
        A merged = delegate().getInternal();
        if (merged != null) {
            log().record(log().fixedScope(target), ChangeOp.SET_INTERNAL, logSerializer(), merged);
        }
    }

    @Override
    public final A getInternal() throws Exception {
        return delegate().getInternal();
    }

    @Override
    public final OUT get() throws Exception {
        return delegate().get();
    }
}
