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

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.ChangeRecorder;
import io.dstl.changelog.write.SerializingValueWriter;
import io.dstl.changelog.write.ValueWriter;
import java.io.IOException;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.state.internal.InternalValueState;

/** A value state that logs: an update as SET, an update to null as CLEAR. */
final class LoggedValueState<K, N, V> extends LoggedState<K, N, V, InternalValueState<K, N, V>>
        implements InternalValueState<K, N, V> {
    private ValueWriter<V> writer;

    LoggedValueState(
            ChangeRecorder<K> recorder,
            StateDescriptor<?, ?> descriptor,
            InternalValueState<K, N, V> delegate) {
        super(recorder, descriptor, delegate);
        this.writer = writerOf(delegate);
    }

    private ValueWriter<V> writerOf(InternalValueState<K, N, V> delegate) {
        return DelegateSupport.get()
                .writers()
                .ofValue(delegate, log())
                .orElseGet(() -> new SerializingValueWriter<>(delegate, log()));
    }

    @Override
    void rebind(StateDescriptor<?, ?> newDescriptor, InternalValueState<K, N, V> newDelegate) {
        super.rebind(newDescriptor, newDelegate);
        writer = writerOf(newDelegate);
    }

    @Override
    public V value() throws IOException {
        return delegate().value();
    }

    @Override
    public void update(V value) throws IOException {
        if (value == null) {
            delegate().update(null);
            logClear();
        } else {
            writer.set(value);
        }
    }
}
