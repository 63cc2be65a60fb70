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

import io.dstl.e2e.flights.input.FlightCursor.RowPosition;
import io.dstl.e2e.flights.source.Lane.LaneSerializer;
import io.dstl.e2e.flights.source.LaneEnumerator.LanePool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Hands every reader its lanes when it registers, all at once, and then tells it that there are no
 * more: a reader that waits for that word never meets a lane behind its watermark.
 *
 * <p>Lanes that a restored reader brings along are its own; only those in the pool are dealt.
 * Called by the source coordinator's thread only.
 */
public final class LaneEnumerator implements SplitEnumerator<Lane, LanePool> {
    private final SplitEnumeratorContext<Lane> context;
    private final LanePool pool;

    LaneEnumerator(SplitEnumeratorContext<Lane> context, LanePool pool) {
        this.context = context;
        this.pool = pool;
    }

    @Override
    public void start() {
        // Lanes are dealt on registration.
    }

    @Override
    public void addReader(int reader) {
        List<Lane> lanes = pool.takeFor(reader, context.currentParallelism());
        if (!lanes.isEmpty()) {
            context.assignSplits(new SplitsAssignment<>(Map.of(reader, lanes)));
        }
        context.signalNoMoreSplits(reader);
    }

    @Override
    public void handleSplitRequest(int reader, String host) {
        throw new IllegalStateException("reader " + reader + " asked for a lane; none does");
    }

    @Override
    public void addSplitsBack(List<Lane> lanes, int reader) {
        lanes.forEach(pool::put);
    }

    @Override
    public LanePool snapshotState(long checkpointId) {
        return new LanePool(pool.lanes());
    }

    @Override
    public void close() {
        // Nothing is held.
    }

    /** The lanes that no reader has: the state of the enumerator. For one thread. */
    public static final class LanePool {
        private final Map<Integer, Lane> lanes = new TreeMap<>();

        LanePool(Collection<Lane> lanes) {
            lanes.forEach(this::put);
        }

        /** All lanes, at their first row. */
        static LanePool full() {
            return new LanePool(
                    IntStream.range(0, Lane.COUNT)
                            .mapToObj(number -> new Lane(number, RowPosition.START))
                            .collect(Collectors.toList()));
        }

        void put(Lane lane) {
            Lane present = lanes.putIfAbsent(lane.number(), lane);
            if (present != null) {
                throw new IllegalStateException(lane + " came back, but the pool has " + present);
            }
        }

        /** Takes out the lanes meant for {@code reader} when there are {@code readers} in all. */
        List<Lane> takeFor(int reader, int readers) {
            List<Lane> taken =
                    lanes.values().stream()
                            .filter(lane -> lane.number() % readers == reader)
                            .collect(Collectors.toList());
            taken.forEach(lane -> lanes.remove(lane.number()));
            return taken;
        }

        List<Lane> lanes() {
            return new ArrayList<>(lanes.values());
        }
    }

    /** The pool in a checkpoint: the number of lanes (int), then the lanes. */
    static final class LanePoolSerializer implements SimpleVersionedSerializer<LanePool> {
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
}
