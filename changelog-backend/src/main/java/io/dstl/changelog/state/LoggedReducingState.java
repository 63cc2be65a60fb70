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
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.state.internal.InternalReducingState;

/** A reducing state that logs the reduced value. */
final class LoggedReducingState<K, N, V>
        extends LoggedMergingState<K, N, V, V, V, InternalReducingState<K, N, V>>
        implements InternalReducingState<K, N, V> {
    private ReduceFunction<V> function;

    LoggedReducingState(
            ChangeRecorder<K> recorder,
            ReducingStateDescriptor<V> descriptor,
            InternalReducingState<K, N, V> delegate) {
        super(recorder, descriptor, delegate);
        this.function = descriptor.getReduceFunction();
    }

    @Override
    @SuppressWarnings("unchecked")
    void rebind(StateDescriptor<?, ?> newDescriptor, InternalReducingState<K, N, V> newDelegate) {
        super.rebind(newDescriptor, newDelegate);
        function = ((ReducingStateDescriptor<V>) newDescriptor).getReduceFunction();
    }

    @Override
    public V fold(@Nullable V accumulator, V input) throws Exception {
        return accumulator == null ? input : function.reduce(accumulator, input);
    }
}
