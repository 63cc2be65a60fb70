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
import io.dstl.changelog.record.LogSerializer;
import io.dstl.changelog.record.StateLog;
import java.io.IOException;
import org.apache.flink.runtime.state.internal.InternalValueState;

/** Serializes for the log what the delegate was given as an object. */
public final class SerializingValueWriter<N, V> implements ValueWriter<V> {
    private final InternalValueState<?, N, V> delegate;
    private final StateLog<?, N> log;
    private final LogSerializer<V> serializer = new LogSerializer<>();

    public SerializingValueWriter(InternalValueState<?, N, V> delegate, StateLog<?, N> log) {
        this.delegate = delegate;
        this.log = log;
    }

    @Override
    public void set(V value) throws IOException {
        delegate.update(value);
        log.record(
                log.currentScope(),
                ChangeOp.SET,
                serializer.of(delegate.getValueSerializer()),
                value);
    }
}
