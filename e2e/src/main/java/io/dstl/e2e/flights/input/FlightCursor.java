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
package io.dstl.e2e.flights.input;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * Reads the file over and over, from any row on, as one stream in event order.
 *
 * <p>Owns the open file. For one thread.
 */
public final class FlightCursor implements Closeable {
    private final FlightInput input;
    private final int repetitions;
    private RowPosition next;
    private FlightFile file;
    private long lastScheduled = Long.MIN_VALUE;

    /** Starts with the row at {@code start}; ends after {@code repetitions} repetitions. */
    public FlightCursor(FlightInput input, int repetitions, RowPosition start) {
        this.input = input;
        this.repetitions = repetitions;
        this.next = start;
    }

    /** The position of the flight that {@link #next()} will return. */
    public RowPosition position() {
        return next;
    }

    /** The next flight, empty after the last one of the last repetition. */
    public Optional<Flight> next() throws IOException {
        while (next.repetition() < repetitions) {
            Optional<Flight> flight = openFile().next();
            if (flight.isPresent()) {
                return Optional.of(take(flight.get()));
            }
            close();
            next = next.nextRepetition();
        }
        return Optional.empty();
    }

    private FlightFile openFile() throws IOException {
        if (file == null) {
            file = input.open();
            file.skip(next.row());
        }
        return file;
    }

    private Flight take(Flight flight) throws IOException {
        Flight shifted = new Repetition(next.repetition()).shift(flight);
        if (shifted.scheduled < lastScheduled) {
            throw new IOException(
                    next
                            + " is scheduled before the row ahead of it; sort the file by scheduled"
                            + " departure and let it span at most "
                            + Repetition.SHIFT.toDays()
                            + " days");
        }
        lastScheduled = shifted.scheduled;
        next = next.nextRow();
        return shifted;
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
            file = null;
        }
    }
}
