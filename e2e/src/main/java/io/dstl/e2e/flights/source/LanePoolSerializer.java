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
package io.dstl.e2e.flights.source;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** The pool in a checkpoint: the number of lanes (int), then the lanes. */
final class LanePoolSerializer implements SimpleVersionedSerializer<LanePool> {
    @Override
    public int getVersion() {
        return new LaneSerializer().getVersion();
    }

    @Override
    public byte[] serialize(LanePool pool) throws IOException {
        List<Lane> lanes = pool.lanes();
        DataOutputSerializer out =
                new DataOutputSerializer(Integer.BYTES + lanes.size() * LaneSerializer.BYTES);
        out.writeInt(lanes.size());
        for (Lane lane : lanes) {
            LaneSerializer.write(lane, out);
        }
        return out.getCopyOfBuffer();
    }

    @Override
    public LanePool deserialize(int version, byte[] bytes) throws IOException {
        LaneSerializer.checkVersion(version);
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        int count = in.readInt();
        List<Lane> lanes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            lanes.add(LaneSerializer.read(in));
        }
        return new LanePool(lanes);
    }
}
