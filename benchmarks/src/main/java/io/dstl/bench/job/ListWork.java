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

import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;

/** Adds an element to the key's list, which it sometimes clears before. */
final class ListWork extends KeyedWork<ListState<byte[]>> {
    private static final long serialVersionUID = 1L;

    private final int valueBytes;

    ListWork(int valueBytes) {
        this.valueBytes = valueBytes;
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
        to.add(Payload.of(update, valueBytes));
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
