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

import io.dstl.changelog.record.ChangeRecorder;
import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;

/** An aggregating state that logs the accumulator. */
final class LoggedAggregatingState<K, N, IN, A, OUT>
        extends LoggedMergingState<K, N, IN, A, OUT, InternalAggregatingState<K, N, IN, A, OUT>>
        implements InternalAggregatingState<K, N, IN, A, OUT> {
    private AggregateFunction<IN, A, OUT> function;

    LoggedAggregatingState(
            ChangeRecorder<K> recorder,
            AggregatingStateDescriptor<IN, A, OUT> descriptor,
            InternalAggregatingState<K, N, IN, A, OUT> delegate) {
        super(recorder, descriptor, delegate);
        this.function = descriptor.getAggregateFunction();
    }

    @Override
    @SuppressWarnings("unchecked")
    void rebind(
            StateDescriptor<?, ?> newDescriptor,
            InternalAggregatingState<K, N, IN, A, OUT> newDelegate) {
        super.rebind(newDescriptor, newDelegate);
        function = ((AggregatingStateDescriptor<IN, A, OUT>) newDescriptor).getAggregateFunction();
    }

    @Override
    public A fold(@Nullable A accumulator, IN input) {
        A previous = accumulator == null ? function.createAccumulator() : accumulator;
        return function.add(input, previous);
    }
}
