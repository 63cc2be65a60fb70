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

import io.dstl.e2e.flights.input.Flight;
import io.dstl.e2e.flights.input.FlightCursor.RowPosition;
import java.io.IOException;
import java.util.Objects;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * A split of the source: one share of the aircraft, and how far their flights have been read.
 *
 * <p>All flights of an aircraft are in one lane, and a lane is read in event order by one reader at
 * a time. So the flights of an aircraft reach its state in event order, whatever the parallelism,
 * and however the lanes wander between readers.
 */
public final class Lane implements SourceSplit {
    /** As many as Flink's default maximum parallelism: none of that many readers goes without. */
    public static final int COUNT = 128;

    private final int number;
    private final RowPosition next;

    public Lane(int number, RowPosition next) {
        if (number < 0 || number >= COUNT) {
            throw new IllegalArgumentException("no lane " + number + "; there are " + COUNT);
        }
        this.number = number;
        this.next = next;
    }

    /** The number of the lane that {@code flight} is in. */
    public static int numberOf(Flight flight) {
        return Math.floorMod(flight.aircraft.hashCode(), COUNT);
    }

    /** Between 0 and {@link #COUNT}, exclusive. */
    public int number() {
        return number;
    }

    /** Every flight of this lane before this row has been emitted, none from it on. */
    public RowPosition next() {
        return next;
    }

    @Override
    public String splitId() {
        return "lane-" + number;
    }

    @Override
    public boolean equals(Object o) {
        if (!(o instanceof Lane)) {
            return false;
        }
        Lane other = (Lane) o;
        return number == other.number && next.equals(other.next);
    }

    @Override
    public int hashCode() {
        return Objects.hash(number, next);
    }

    @Override
    public String toString() {
        return splitId() + " at " + next;
    }

    /** A lane in a checkpoint: lane number (int), repetition (int), row (long), big-endian. */
    static final class LaneSerializer implements SimpleVersionedSerializer<Lane> {
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
}
