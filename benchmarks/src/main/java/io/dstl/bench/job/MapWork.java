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

import java.util.Map;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;

/** Puts or removes one of the key's entries. */
final class MapWork extends KeyedWork<MapState<Integer, byte[]>> {
    private static final long serialVersionUID = 1L;

    private final int valueBytes;

    MapWork(int valueBytes) {
        this.valueBytes = valueBytes;
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
            to.put(entry, Payload.of(update, valueBytes));
        }
    }

    @Override
    long digest(long key, MapState<Integer, byte[]> of) throws Exception {
        long digest = 0;
        for (Map.Entry<Integer, byte[]> entry : of.entries()) {
            digest +=
                    StateModel.digest(
                            StateModel.slot(key, entry.getKey()), Payload.update(entry.getValue()));
        }
        return digest;
    }
}
