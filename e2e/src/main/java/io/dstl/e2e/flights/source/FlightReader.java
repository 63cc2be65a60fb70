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
import io.dstl.e2e.flights.input.FlightCursor;
import io.dstl.e2e.flights.input.FlightCursor.FlightInput;
import io.dstl.e2e.flights.input.FlightCursor.RowPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the whole file once for all its lanes and emits their flights, in event order; the rows of
 * other lanes are passed over.
 *
 * <p>Event time of the emitted flights never decreases, since the lanes are merged in the order of
 * the file and reading begins only when all of them are known. That makes the watermark of the
 * reader as a whole right, and a lane needs none of its own.
 *
 * <p>Called by the task thread only; the availability future is completed by the timer's.
 */
final class FlightReader implements SourceReader<Flight, Lane> {
    private static final Logger LOG = LoggerFactory.getLogger(FlightReader.class);

    private enum State {
        COLLECTING_LANES,
        READING,
        ENDED,
        CLOSED
    }

    private final FlightInput input;
    private final int repetitions;
    private final Pace.Starter pacing;
    private final ReaderLanes lanes = new ReaderLanes();

    private State state = State.COLLECTING_LANES;
    private CompletableFuture<Void> available = new CompletableFuture<>();
    private FlightCursor cursor;
    private Pace pace;
    private long passed;

    /** {@code pacing} is asked once, when reading begins. */
    FlightReader(FlightInput input, int repetitions, Pace.Starter pacing) {
        this.input = input;
        this.repetitions = repetitions;
        this.pacing = pacing;
    }

    @Override
    public void start() {
        // The lanes come unasked.
    }

    @Override
    public void addSplits(List<Lane> added) {
        if (state != State.COLLECTING_LANES) {
            throw new IllegalStateException("got " + added + " after the last lane was announced");
        }
        lanes.add(added);
    }

    @Override
    public void notifyNoMoreSplits() {
        if (state != State.COLLECTING_LANES) {
            return;
        }
        if (lanes.isEmpty()) {
            become(State.ENDED, "there are more readers than lanes");
        } else {
            cursor = new FlightCursor(input, repetitions, lanes.first());
            pace = pacing.start();
            become(State.READING, "all lanes are known");
        }
        available.complete(null);
    }

    @Override
    public InputStatus pollNext(ReaderOutput<Flight> output) throws IOException {
        switch (state) {
            case COLLECTING_LANES:
                return InputStatus.NOTHING_AVAILABLE;
            case READING:
                return read(output);
            case ENDED:
                return InputStatus.END_OF_INPUT;
            default:
                throw new IllegalStateException("the reader is closed");
        }
    }

    /** Reads up to the next flight of a lane of this reader. */
    private InputStatus read(ReaderOutput<Flight> output) throws IOException {
        while (pace.permits(passed)) {
            RowPosition position = cursor.position();
            Optional<Flight> next = cursor.next();
            if (next.isEmpty()) {
                become(State.ENDED, "the last repetition has been read");
                return InputStatus.END_OF_INPUT;
            }
            passed++;
            Flight flight = next.get();
            if (lanes.wants(Lane.numberOf(flight), position)) {
                output.collect(flight, flight.scheduled);
                return InputStatus.MORE_AVAILABLE;
            }
        }
        available = pace.pause();
        return InputStatus.NOTHING_AVAILABLE;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return available;
    }

    @Override
    public List<Lane> snapshotState(long checkpointId) {
        return cursor == null ? lanes.all() : lanes.at(cursor.position());
    }

    @Override
    public void close() throws Exception {
        become(State.CLOSED, "the task has ended");
        if (cursor != null) {
            cursor.close();
        }
    }

    private void become(State next, String reason) {
        LOG.info("Reader goes from {} to {}: {}", state, next, reason);
        state = next;
    }

    /** The lanes of one reader and where each of them goes on. For one thread. */
    static final class ReaderLanes {
        private final Map<Integer, Lane> lanes = new TreeMap<>();

        void add(Collection<Lane> added) {
            added.forEach(this::add);
        }

        private void add(Lane lane) {
            Lane present = lanes.putIfAbsent(lane.number(), lane);
            if (present != null) {
                throw new IllegalStateException("got " + lane + " beside " + present);
            }
        }

        boolean isEmpty() {
            return lanes.isEmpty();
        }

        /** Where the lane that is furthest behind goes on; there must be a lane. */
        RowPosition first() {
            return lanes.values().stream()
                    .map(Lane::next)
                    .min(Comparator.naturalOrder())
                    .orElseThrow(() -> new IllegalStateException("a reader without lanes"));
        }

        /**
         * Whether the row at {@code position}, of lane {@code number}, is still to be emitted here.
         */
        boolean wants(int number, RowPosition position) {
            Lane lane = lanes.get(number);
            return lane != null && lane.next().compareTo(position) <= 0;
        }

        /** The lanes as they stand when every row before {@code position} has been emitted. */
        List<Lane> at(RowPosition position) {
            List<Lane> result = new ArrayList<>(lanes.size());
            for (Lane lane : lanes.values()) {
                boolean behind = lane.next().compareTo(position) < 0;
                result.add(behind ? new Lane(lane.number(), position) : lane);
            }
            return result;
        }

        List<Lane> all() {
            return new ArrayList<>(lanes.values());
        }
    }
}
