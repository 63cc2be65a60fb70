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

import io.dstl.e2e.flights.input.RowPosition;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** A lane in a checkpoint: lane number (int), repetition (int), row (long), big-endian. */
final class LaneSerializer implements SimpleVersionedSerializer<Lane> {
    static final int BYTES = Integer.BYTES + Integer.BYTES + Long.BYTES;
    private static final int VERSION = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(Lane lane) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(BYTES);
        write(lane, out);
        return out.getCopyOfBuffer();
    }

    @Override
    public Lane deserialize(int version, byte[] bytes) throws IOException {
        checkVersion(version);
        return read(new DataInputDeserializer(bytes));
    }

    static void checkVersion(int version) throws IOException {
        if (version != VERSION) {
            throw new IOException(
                    "lane format "
                            + version
                            + " is unknown, only "
                            + VERSION
                            + " is; restore with the version of the job that wrote it");
        }
    }

    static void write(Lane lane, DataOutputSerializer out) throws IOException {
        out.writeInt(lane.number());
        out.writeInt(lane.next().repetition());
        out.writeLong(lane.next().row());
    }

    static Lane read(DataInputDeserializer in) throws IOException {
        int number = in.readInt();
        int repetition = in.readInt();
        return new Lane(number, new RowPosition(repetition, in.readLong()));
    }
}
