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

import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.LogSerializer;
import io.dstl.changelog.record.StateLog;
import io.dstl.changelog.schema.LoggedSchema;
import java.util.Collection;
import java.util.Locale;
import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalMergingState;
import org.apache.flink.runtime.state.internal.InternalReducingState;

/**
 * Reducing and aggregating states. The log has the accumulator that results from a change, as a
 * replay does not know the user's function.
 */
public abstract class AccumulatorKind extends StateKind {
    private AccumulatorKind(StateDescriptor.Type type) {
        super(type, RawState.Form.ACCUMULATOR);
    }

    private static <K, N, A> ChangeApplier applier(
            RegisteredStates.Registration<K, N> registration,
            InternalMergingState<K, N, ?, A, ?> state,
            LoggedSchema<A> accumulators) {
        return new Applier<>(
                registration,
                state,
                registration.isLater() ? accumulators.restored() : state.getValueSerializer());
    }

    static final class Reducing extends AccumulatorKind {
        Reducing() {
            super(StateDescriptor.Type.REDUCING);
        }

        @Override
        @SuppressWarnings("unchecked")
        <K, N, A, B> LoggedState<K, N, ?, ?> logged(
                LoggedStates<K> states, StateDescriptor<?, ?> descriptor, State delegate) {
            return new LoggedMergingState.Reducing<>(
                    states,
                    (ReducingStateDescriptor<A>) descriptor,
                    (InternalReducingState<K, N, A>) delegate);
        }

        @Override
        <K, N, A, B> ChangeApplier register(RegisteredStates.Registration<K, N> registration)
                throws Exception {
            LoggedSchema<A> values = registration.values();
            String name = registration.name();
            InternalReducingState<K, N, A> state =
                    registration.create(
                            new ReducingStateDescriptor<>(
                                    name, new UnknownFunction<>(name), values.registered()),
                            values);
            if (registration.isNew()) {
                registration.writers().use(state, values.settled());
            }
            return applier(registration, state, values);
        }
    }

    static final class Aggregating extends AccumulatorKind {
        Aggregating() {
            super(StateDescriptor.Type.AGGREGATING);
        }

        @Override
        @SuppressWarnings("unchecked")
        <K, N, A, B> LoggedState<K, N, ?, ?> logged(
                LoggedStates<K> states, StateDescriptor<?, ?> descriptor, State delegate) {
            return new LoggedMergingState.Aggregating<>(
                    states,
                    (AggregatingStateDescriptor<A, B, Object>) descriptor,
                    (InternalAggregatingState<K, N, A, B, Object>) delegate);
        }

        @Override
        <K, N, A, B> ChangeApplier register(RegisteredStates.Registration<K, N> registration)
                throws Exception {
            LoggedSchema<A> accumulators = registration.values();
            String name = registration.name();
            InternalAggregatingState<K, N, Object, A, Object> state =
                    registration.create(
                            new AggregatingStateDescriptor<>(
                                    name, new UnknownFunction<>(name), accumulators.registered()),
                            accumulators);
            return applier(registration, state, accumulators);
        }
    }

    /**
     * Writes a reducing or aggregating state and its log, under the current key and namespace. Each
     * is SET_INTERNAL in the log, or CLEAR if the delegate keeps nothing for a null accumulator.
     *
     * <p>The task thread only.
     *
     * @param <N> type of the namespaces
     * @param <A> type of the accumulator
     */
    public interface Writer<N, A> {
        /**
         * Reads the accumulator, folds the input into it, and writes the result.
         *
         * @param input null has the delegate's meaning: RocksDB folds it, the heap clears a
         *     reducing state
         */
        <IN> void add(@Nullable IN input, Fold<A, IN> fold) throws Exception;

        void set(@Nullable A accumulator) throws Exception;

        /**
         * Merges the sources into the target in the delegate; logs nothing. May leave the delegate
         * in another namespace.
         *
         * @param sources not empty
         */
        void merge(N target, Collection<N> sources) throws Exception;

        /**
         * Logs the result of the last {@link #merge} in the target.
         *
         * @param scope of the target, in which the delegate is now
         */
        void logMerged(StateLog.Scope scope) throws Exception;
    }

    /**
     * Folds one input into an accumulator with the user's function.
     *
     * @param <A> type of the accumulator
     * @param <IN> type of the input
     */
    public interface Fold<A, IN> {
        /**
         * @param accumulator null if there is none yet
         */
        A fold(@Nullable A accumulator, IN input) throws Exception;
    }

    /**
     * Reads, folds and writes in place of the delegate, so that the log gets the result without
     * another read, and serializes the result for the log.
     */
    public static final class SerializingWriter<N, A> implements Writer<N, A> {
        private final InternalMergingState<?, N, ?, A, ?> delegate;
        private final StateLog<?, N> log;
        private final LogSerializer<A> serializer = new LogSerializer<>();

        public SerializingWriter(InternalMergingState<?, N, ?, A, ?> delegate, StateLog<?, N> log) {
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
            // Without a current key it fails here, and nothing has changed.
            A before = delegate.getInternal();
            Object key = log.currentKey();
            A folded;
            try {
                folded = fold.fold(before, input);
            } catch (Throwable t) {
                logWhatIsLeft(key, t);
                throw t;
            }
            if (!key.equals(log.currentKey())) {
                // The delegate would now store the result under the other key.
                IllegalStateException refusal =
                        new IllegalStateException(
                                String.format(
                                        Locale.ROOT,
                                        "The function of state '%s' was called for the key %s and has made"
                                                + " %s the current one. A function must leave the current"
                                                + " key as it is; nothing was changed.",
                                        log.stateName(),
                                        key,
                                        log.currentKey()));
                logWhatIsLeft(key, refusal);
                throw refusal;
            }
            set(folded);
        }

        /**
         * The heap hands out the accumulator itself, which the function may have changed before it
         * failed; and the user may catch the failure.
         */
        private void logWhatIsLeft(Object key, Throwable failure) {
            try {
                if (delegate.getValueSerializer().isImmutableType()) {
                    return;
                }
                if (key.equals(log.currentKey())) {
                    A left = delegate.getInternal();
                    if (left != null) {
                        log(log.currentScope(), left);
                    }
                } else {
                    log.lose(failure);
                }
            } catch (Throwable t) {
                log.lose(failure);
                failure.addSuppressed(t);
            }
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
        public void logMerged(StateLog.Scope scope) throws Exception {
            log(scope, delegate.getInternal());
        }

        private void log(StateLog.Scope scope, @Nullable A accumulator) throws Exception {
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

    /**
     * Applies the changes of a reducing or aggregating state. Each carries the resulting
     * accumulator, so no user function runs here. A merge of namespaces, which only Flink's own
     * backend logs, carries only the namespaces: it is deferred until the function is known.
     */
    static final class Applier<K, N, A> extends StateKind.Applier<K, N> {
        private final InternalMergingState<K, N, ?, A, ?> state;
        private final DeferredMerges.OfState<K, N, A> deferredMerges;
        private final TypeSerializer<A> serializer;

        Applier(
                RegisteredStates.Registration<K, N> registration,
                InternalMergingState<K, N, ?, A, ?> state,
                TypeSerializer<A> serializer) {
            super(registration, state);
            this.state = state;
            this.deferredMerges = registration.merges();
            this.serializer = serializer;
        }

        @Override
        void applyTo(K key, N namespace, ChangeOp op, RecordInput record) throws Exception {
            switch (op) {
                case SET_INTERNAL:
                    state.updateInternal(serializer.deserialize(record));
                    deferredMerges.forget(key, namespace);
                    break;
                case CLEAR:
                    state.clear();
                    deferredMerges.forget(key, namespace);
                    break;
                case MERGE_NS:
                    N target = readNamespace(record);
                    deferredMerges.merge(state, key, target, readNamespaces(record));
                    break;
                default:
                    throw unexpected(
                            op,
                            "SET_INTERNAL, CLEAR, MERGE_NS, as it is a reducing or aggregating state");
            }
        }
    }

    /**
     * Stands for the user's function until the user registers the state. A replay sets results and
     * calls no function, so a call means that the state was used without being registered.
     */
    public static final class UnknownFunction<A>
            implements ReduceFunction<A>, AggregateFunction<Object, A, Object> {
        private static final long serialVersionUID = 1L;

        private final String stateName;

        public UnknownFunction(String stateName) {
            this.stateName = stateName;
        }

        @Override
        public A reduce(A one, A other) {
            throw unknown();
        }

        @Override
        public A createAccumulator() {
            throw unknown();
        }

        @Override
        public A add(Object value, A accumulator) {
            throw unknown();
        }

        @Override
        public Object getResult(A accumulator) {
            throw unknown();
        }

        @Override
        public A merge(A one, A other) {
            throw unknown();
        }

        private IllegalStateException unknown() {
            return new IllegalStateException(
                    "The user function of state '"
                            + stateName
                            + "' is not known: the state was restored from a log and used before it"
                            + " was registered with its descriptor.");
        }
    }
}
