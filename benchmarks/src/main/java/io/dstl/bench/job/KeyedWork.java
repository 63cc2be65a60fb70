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

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Does to the state of a key what an update wants.
 *
 * @param <S> the kind of state
 */
abstract class KeyedWork<S extends State> extends KeyedProcessFunction<Long, Long, Long> {
    private static final long serialVersionUID = 1L;

    private transient S state;

    /** The work of a workload without windows. */
    static KeyedWork<?> of(JobArguments arguments) {
        switch (arguments.kind()) {
            case VALUE:
                return new ValueWork(arguments.valueBytes());
            case RMW:
                return new RmwWork(arguments.valueBytes());
            case TIMERS:
                return new TimerWork(arguments.valueBytes());
            case MAP:
                return new MapWork(arguments.valueBytes());
            case LIST:
                return new ListWork(arguments.valueBytes());
            default:
                throw new IllegalArgumentException(arguments.kind() + " has windows");
        }
    }

    @Override
    public final void open(OpenContext context) {
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
}
