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
package io.dstl.parity.state;

import java.util.Optional;
import java.util.function.BiFunction;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.AppendingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;

/**
 * A state that makes one result of what is added to it.
 *
 * @param <R> the result
 */
final class AppendingCase<R> extends StateCase {

    private interface Registration {
        AppendingState<Long, ?> with(RuntimeContext context, AppendingCase<?> of);
    }

    private final Registration registration;
    private final BiFunction<Optional<R>, Long, R> model;

    /**
     * @param model adds a number to the result before, which is empty at first and after a clear
     */
    private AppendingCase(
            String name,
            boolean mortal,
            Registration registration,
            BiFunction<Optional<R>, Long, R> model) {
        super(name, mortal);
        this.registration = registration;
        this.model = model;
    }

    /** The sum of what was added. */
    static AppendingCase<Long> reducing(String name, boolean mortal) {
        return new AppendingCase<>(
                name,
                mortal,
                (context, of) ->
                        context.getReducingState(
                                of.described(
                                        new ReducingStateDescriptor<>(
                                                name, Long::sum, Long.class))),
                (before, number) -> before.orElse(0L) + number);
    }

    /** Sum and count of what was added: the accumulator is not what goes in or comes out. */
    static AppendingCase<Mean> aggregating(String name, boolean mortal) {
        return new AppendingCase<>(
                name,
                mortal,
                (context, of) ->
                        context.getAggregatingState(
                                of.described(
                                        new AggregatingStateDescriptor<>(
                                                name,
                                                new Mean.Of<Long>(number -> number),
                                                Mean.class))),
                (before, number) -> before.orElseGet(Mean::new).with(number));
    }

    @Override
    public Cell inFlink(RuntimeContext context) {
        AppendingState<Long, ?> state = registration.with(context, this);
        return new Cell() {
            @Override
            public void apply(long ordinal, int choice) throws Exception {
                if (choice == 0) {
                    state.clear();
                } else {
                    state.add(ordinal);
                }
            }

            @Override
            public String show() throws Exception {
                return String.valueOf(state.get());
            }
        };
    }

    @Override
    public Cell inModel() {
        return new Cell() {
            private Optional<R> result = Optional.empty();

            @Override
            public void apply(long ordinal, int choice) {
                result = choice == 0 ? Optional.empty() : Optional.of(model.apply(result, ordinal));
            }

            @Override
            public String show() {
                return result.map(String::valueOf).orElse("null");
            }
        };
    }
}
