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
package io.dstl.changelog.write;

import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.ChangeScope;
import io.dstl.changelog.record.LogSerializer;
import io.dstl.changelog.record.StateLog;
import java.util.Collection;
import java.util.Locale;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.internal.InternalMergingState;

/**
 * Reads, folds and writes where the delegate would have, so that the result is at hand for the log
 * without another read, and serializes it for the log.
 */
public final class SerializingAccumulatorWriter<N, A> implements AccumulatorWriter<N, A> {
    private final InternalMergingState<?, N, ?, A, ?> delegate;
    private final StateLog<?, N> log;
    private final LogSerializer<A> serializer = new LogSerializer<>();

    public SerializingAccumulatorWriter(
            InternalMergingState<?, N, ?, A, ?> delegate, StateLog<?, N> log) {
        this.delegate = delegate;
        this.log = log;
    }

    @Override
    public <IN> void add(@Nullable IN input, Fold<A, IN> fold) throws Exception {
        if (input == null) {
            delegate.add(null);
            log(log.currentScope(), delegate.getInternal());
            return;
        }
        Object key = log.currentKey();
        A folded = fold.fold(delegate.getInternal(), input);
        if (!key.equals(log.currentKey())) {
            // The delegate would now store it under the other key.
            throw new IllegalStateException(
                    String.format(
                            Locale.ROOT,
                            "The function of state '%s' was called for the key %s and has made %s the"
                                    + " current one. A function must leave the current key as it"
                                    + " is; nothing was changed.",
                            log.stateName(),
                            key,
                            log.currentKey()));
        }
        set(folded);
    }

    @Override
    public void set(@Nullable A accumulator) throws Exception {
        delegate.updateInternal(accumulator);
        log(log.currentScope(), accumulator);
    }

    @Override
    public void merge(N target, Collection<N> sources) throws Exception {
        delegate.mergeNamespaces(target, sources);
    }

    @Override
    public void logMerged(ChangeScope scope) throws Exception {
        log(scope, delegate.getInternal());
    }

    private void log(ChangeScope scope, @Nullable A accumulator) throws Exception {
        if (accumulator == null) {
            log.record(scope, ChangeOp.CLEAR);
        } else {
            log.record(
                    scope,
                    ChangeOp.SET_INTERNAL,
                    serializer.of(delegate.getValueSerializer()),
                    accumulator);
        }
    }
}
