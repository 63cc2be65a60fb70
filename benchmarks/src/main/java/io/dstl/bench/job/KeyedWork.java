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
package io.dstl.bench.job;

import io.dstl.bench.job.Updates.Payload;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.util.Collector;

/**
 * Does to the state of a key what an update wants.
 *
 * @param <S> the kind of state
 */
abstract class KeyedWork<S extends State> extends KeyedProcessFunction<Long, Long, Long> {
    private final int valueBytes;
    private transient S state;

    private KeyedWork(int valueBytes) {
        this.valueBytes = valueBytes;
    }

    /** The work of a workload without windows. */
    static KeyedWork<?> of(JobArguments arguments) {
        switch (arguments.kind()) {
            case VALUE:
                return new Replace(arguments.valueBytes());
            case RMW:
                return new ReadAndReplace(arguments.valueBytes());
            case TIMERS:
                return new SetTimer(arguments.valueBytes());
            case MAP:
                return new PutOrRemove(arguments.valueBytes());
            case LIST:
                return new AddToList(arguments.valueBytes());
            default:
                throw new IllegalArgumentException(arguments.kind() + " has windows");
        }
    }

    @Override
    public void open(OpenContext context) {
        state = bind();
    }

    @Override
    public final void processElement(Long update, Context context, Collector<Long> out)
            throws Exception {
        arrive(update, context);
    }

    /** Called with each update, which most kinds of work do at once. */
    void arrive(long update, Context context) throws Exception {
        apply(update, state);
    }

    final S state() {
        return state;
    }

    /** What an update writes. */
    final byte[] content(long update) {
        return Payload.of(update, valueBytes);
    }

    /** The state, from the runtime context. */
    abstract S bind();

    abstract StateDescriptor<S, ?> descriptor();

    abstract void apply(long update, S to) throws Exception;

    /**
     * What the key's state comes to, as the model has it.
     *
     * @throws IllegalStateException when a value is not as it was written
     */
    abstract long digest(long key, S of) throws Exception;

    /** Runs the work, and in the end writes down what the state of all keys comes to. */
    static final class Operator extends KeyedProcessOperator<Long, Long, Long> {
        private final KeyedWork<?> work;
        private final String results;

        Operator(KeyedWork<?> work, String results) {
            super(work);
            this.work = work;
            this.results = results;
        }

        @Override
        public void finish() throws Exception {
            super.finish();
            TotalsFile.write(
                    results,
                    TotalsFile.STATE,
                    getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
                    digest(work));
        }

        private <S extends State> long digest(KeyedWork<S> of) throws Exception {
            KeyedStateBackend<Long> backend = getKeyedStateBackend();
            long[] digest = new long[1];
            backend.applyToAllKeys(
                    VoidNamespace.INSTANCE,
                    VoidNamespaceSerializer.INSTANCE,
                    of.descriptor(),
                    (key, state) -> digest[0] += of.digest(key, state));
            return digest[0];
        }
    }

    /** Keeps one value of each key. */
    private abstract static class OfValue extends KeyedWork<ValueState<byte[]>> {
        private final String name;

        OfValue(int valueBytes, String name) {
            super(valueBytes);
            this.name = name;
        }

        @Override
        ValueState<byte[]> bind() {
            return getRuntimeContext().getState(descriptor());
        }

        @Override
        final ValueStateDescriptor<byte[]> descriptor() {
            return new ValueStateDescriptor<>(name, BytePrimitiveArraySerializer.INSTANCE);
        }

        @Override
        final long digest(long key, ValueState<byte[]> of) throws Exception {
            return StateModel.digest(key, Payload.update(of.value()));
        }
    }

    /** Replaces the value of the key. */
    private static final class Replace extends OfValue {
        Replace(int valueBytes) {
            super(valueBytes, "last");
        }

        @Override
        void apply(long update, ValueState<byte[]> to) throws Exception {
            to.update(content(update));
        }
    }

    /** Reads the value of the key, and writes what follows from it and the update. */
    private static class ReadAndReplace extends OfValue {
        ReadAndReplace(int valueBytes) {
            super(valueBytes, "chain");
        }

        @Override
        final void apply(long update, ValueState<byte[]> to) throws Exception {
            byte[] before = to.value();
            long chain = before == null ? 0 : ByteBuffer.wrap(before).getLong();
            to.update(content(StateModel.chain(chain, update)));
        }
    }

    /**
     * Sets an event-time timer for each update, and reads and writes the value only as it fires:
     * all of them at once, where the watermark makes a leap. Some keys write each second in
     * processing time, whatever becomes of the input.
     */
    private static final class SetTimer extends ReadAndReplace {
        private static final int TICKS_ONE_IN = 16;
        private static final long TICK_MILLIS = 1000;

        private transient ValueState<byte[]> ticks;

        SetTimer(int valueBytes) {
            super(valueBytes);
        }

        @Override
        ValueState<byte[]> bind() {
            ticks =
                    getRuntimeContext()
                            .getState(
                                    new ValueStateDescriptor<>(
                                            "ticks", BytePrimitiveArraySerializer.INSTANCE));
            return super.bind();
        }

        @Override
        void arrive(long update, Context context) throws Exception {
            context.timerService().registerEventTimeTimer(Updates.sequence(update));
            if (context.getCurrentKey() / Updates.SPLITS % TICKS_ONE_IN == 0
                    && ticks.value() == null) {
                tick(context);
            }
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<Long> out)
                throws Exception {
            if (context.timeDomain() == TimeDomain.PROCESSING_TIME) {
                Payload.update(ticks.value());
                tick(context);
            } else {
                int split = (int) (context.getCurrentKey() % Updates.SPLITS);
                apply(Updates.number(split, time), state());
            }
        }

        private void tick(Context context) throws Exception {
            long next =
                    (context.timerService().currentProcessingTime() / TICK_MILLIS + 1)
                            * TICK_MILLIS;
            ticks.update(content(next));
            context.timerService().registerProcessingTimeTimer(next);
        }
    }

    /** Puts or removes one of the key's entries. */
    private static final class PutOrRemove extends KeyedWork<MapState<Integer, byte[]>> {
        PutOrRemove(int valueBytes) {
            super(valueBytes);
        }

        @Override
        MapState<Integer, byte[]> bind() {
            return getRuntimeContext().getMapState(descriptor());
        }

        @Override
        MapStateDescriptor<Integer, byte[]> descriptor() {
            return new MapStateDescriptor<>(
                    "entries", IntSerializer.INSTANCE, BytePrimitiveArraySerializer.INSTANCE);
        }

        @Override
        void apply(long update, MapState<Integer, byte[]> to) throws Exception {
            int entry = StateModel.entry(update);
            if (StateModel.removes(update)) {
                to.remove(entry);
            } else {
                to.put(entry, content(update));
            }
        }

        @Override
        long digest(long key, MapState<Integer, byte[]> of) throws Exception {
            long digest = 0;
            for (Map.Entry<Integer, byte[]> entry : of.entries()) {
                digest +=
                        StateModel.digest(
                                StateModel.slot(key, entry.getKey()),
                                Payload.update(entry.getValue()));
            }
            return digest;
        }
    }

    /** Adds an element to the key's list, which it sometimes clears before. */
    private static final class AddToList extends KeyedWork<ListState<byte[]>> {
        AddToList(int valueBytes) {
            super(valueBytes);
        }

        @Override
        ListState<byte[]> bind() {
            return getRuntimeContext().getListState(descriptor());
        }

        @Override
        ListStateDescriptor<byte[]> descriptor() {
            return new ListStateDescriptor<>("elements", BytePrimitiveArraySerializer.INSTANCE);
        }

        @Override
        void apply(long update, ListState<byte[]> to) throws Exception {
            if (StateModel.clears(update)) {
                to.clear();
            }
            to.add(content(update));
        }

        @Override
        long digest(long key, ListState<byte[]> of) throws Exception {
            long chain = 0;
            for (byte[] element : of.get()) {
                chain = StateModel.chain(chain, Payload.update(element));
            }
            return StateModel.digest(key, chain);
        }
    }
}
