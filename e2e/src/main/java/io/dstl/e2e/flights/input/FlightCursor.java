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
import java.time.Duration;
import java.util.Objects;
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

    /** Where the flights file is. Opening it again gives the same rows in the same order. */
    @FunctionalInterface
    public interface FlightInput {
        /** The file at its first row; the caller closes it. */
        FlightFile open() throws IOException;
    }

    /**
     * The n-th time that the file is read: its flights are those of other aircraft, in another
     * year.
     */
    public static final class Repetition {
        /**
         * More than the file spans, so that event time never decreases from one repetition to the
         * next; and a multiple of a day, so that windows fall alike in each.
         */
        static final Duration SHIFT = Duration.ofDays(365);

        private final int number;

        public Repetition(int number) {
            this.number = number;
        }

        /** Changes {@code flight}, as it stands in the file, into the one of this repetition. */
        public Flight shift(Flight flight) {
            flight.scheduled += number * SHIFT.toMillis();
            flight.aircraft += "-" + number;
            return flight;
        }
    }

    /** A row of the repeated file: how many repetitions and then how many rows come before it. */
    public static final class RowPosition implements Comparable<RowPosition> {
        public static final RowPosition START = new RowPosition(0, 0);

        private final int repetition;
        private final long row;

        public RowPosition(int repetition, long row) {
            if (repetition < 0 || row < 0) {
                throw new IllegalArgumentException(
                        "no row " + row + " of repetition " + repetition + "; both count from 0");
            }
            this.repetition = repetition;
            this.row = row;
        }

        public int repetition() {
            return repetition;
        }

        public long row() {
            return row;
        }

        RowPosition nextRow() {
            return new RowPosition(repetition, row + 1);
        }

        RowPosition nextRepetition() {
            return new RowPosition(repetition + 1, 0);
        }

        @Override
        public int compareTo(RowPosition other) {
            int byRepetition = Integer.compare(repetition, other.repetition);
            return byRepetition != 0 ? byRepetition : Long.compare(row, other.row);
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof RowPosition && compareTo((RowPosition) o) == 0;
        }

        @Override
        public int hashCode() {
            return Objects.hash(repetition, row);
        }

        @Override
        public String toString() {
            return "row " + row + " of repetition " + repetition;
        }
    }
}
