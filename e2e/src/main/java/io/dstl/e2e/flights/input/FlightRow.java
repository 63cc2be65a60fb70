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

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** One line of a flights file, taken apart; turns into a {@link Flight} or says why not. */
final class FlightRow {
    private static final String UNKNOWN = "NA";
    private static final int MINUTE_DIGITS = 100;
    private static final long MILLIS_PER_MINUTE = 60_000L;

    private final String file;
    private final long line;
    private final String[] fields;

    FlightRow(String file, long line, String text) throws MalformedFlightException {
        this.file = file;
        this.line = line;
        this.fields = text.split(",", -1);
        if (fields.length != Column.values().length) {
            throw malformed(
                    fields.length + " fields in '" + text + "'; give exactly " + Column.HEADER);
        }
    }

    /** The flight of this row; its aircraft is the bare tail number. */
    Flight flight() throws MalformedFlightException {
        Flight flight = new Flight();
        flight.scheduled = scheduled();
        flight.aircraft = isUnknown(Column.TAILNUM) ? UNKNOWN : text(Column.TAILNUM);
        flight.carrier = known(Column.CARRIER);
        flight.number = number(Column.FLIGHT);
        flight.origin = known(Column.ORIGIN);
        flight.destination = known(Column.DEST);
        flight.distance = number(Column.DISTANCE);
        flight.departureDelay = numberOrNull(Column.DEP_DELAY);
        flight.arrivalDelay = numberOrNull(Column.ARR_DELAY);
        flight.airTime = numberOrNull(Column.AIR_TIME);
        return flight;
    }

    /** The hour comes in UTC; of the local hhmm only the minute is needed. */
    private long scheduled() throws MalformedFlightException {
        int minute = number(Column.SCHED_DEP_TIME) % MINUTE_DIGITS;
        return hour().toEpochMilli() + minute * MILLIS_PER_MINUTE;
    }

    private Instant hour() throws MalformedFlightException {
        String hour = known(Column.TIME_HOUR);
        try {
            return Instant.parse(hour);
        } catch (DateTimeException e) {
            throw unusable(Column.TIME_HOUR, "an hour such as 2013-01-01T10:00:00Z", e);
        }
    }

    private int number(Column column) throws MalformedFlightException {
        known(column);
        return numberOrNull(column);
    }

    private Integer numberOrNull(Column column) throws MalformedFlightException {
        if (isUnknown(column)) {
            return null;
        }
        try {
            return Integer.valueOf(text(column));
        } catch (NumberFormatException e) {
            throw unusable(column, "a whole number", e);
        }
    }

    private String known(Column column) throws MalformedFlightException {
        if (isUnknown(column)) {
            throw unusable(column, "a value; only delays, times and tail numbers may be NA", null);
        }
        return text(column);
    }

    private boolean isUnknown(Column column) {
        return text(column).isEmpty() || text(column).equals(UNKNOWN);
    }

    private String text(Column column) {
        return fields[column.ordinal()];
    }

    private MalformedFlightException unusable(Column column, String remedy, Throwable cause) {
        String complaint = column.title() + " is '" + text(column) + "'; give " + remedy;
        return new MalformedFlightException(file, line, complaint, cause);
    }

    private MalformedFlightException malformed(String complaint) {
        return new MalformedFlightException(file, line, complaint, null);
    }

    /** The columns of a flights file, in the order of the file. */
    enum Column {
        TIME_HOUR,
        SCHED_DEP_TIME,
        DEP_TIME,
        DEP_DELAY,
        ARR_DELAY,
        CARRIER,
        FLIGHT,
        TAILNUM,
        ORIGIN,
        DEST,
        AIR_TIME,
        DISTANCE;

        /** The first line of every flights file. */
        static final String HEADER =
                Arrays.stream(values()).map(Column::title).collect(Collectors.joining(","));

        String title() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A row that is no flight: names the file, the line, the column, the value and the remedy. */
    public static final class MalformedFlightException extends IOException {
        MalformedFlightException(String file, long line, String complaint, Throwable cause) {
            super(file + ", line " + line + ": " + complaint, cause);
        }
    }
}
