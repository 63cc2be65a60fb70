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

import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;

/** Replaces the value of the key. */
final class ValueWork extends KeyedWork<ValueState<byte[]>> {
    private static final long serialVersionUID = 1L;

    private final int valueBytes;

    ValueWork(int valueBytes) {
        this.valueBytes = valueBytes;
    }

    @Override
    ValueState<byte[]> bind() {
        return getRuntimeContext().getState(descriptor());
    }

    @Override
    ValueStateDescriptor<byte[]> descriptor() {
        return new ValueStateDescriptor<>("last", BytePrimitiveArraySerializer.INSTANCE);
    }

    @Override
    void apply(long update, ValueState<byte[]> to) throws Exception {
        to.update(Payload.of(update, valueBytes));
    }

    @Override
    long digest(long key, ValueState<byte[]> of) throws Exception {
        return StateModel.digest(key, Payload.update(of.value()));
    }
}
