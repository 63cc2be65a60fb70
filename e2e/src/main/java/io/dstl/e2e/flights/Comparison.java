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
package io.dstl.e2e.flights;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a {@link ResultCheck} has found. */
public final class Comparison {
    /** More than this many differences are counted, but not kept. */
    public static final int SHOWN = 20;

    private final long flightsExpected;
    private final long flightsFound;
    private final long equalRows;
    private final long differences;
    private final List<String> shown;

    private Comparison(Builder builder) {
        flightsExpected = builder.flightsExpected;
        flightsFound = builder.flightsFound;
        equalRows = builder.equalRows;
        differences = builder.differences;
        shown = List.copyOf(builder.shown);
    }

    /** How many flights the input holds, over all repetitions. */
    public long flightsExpected() {
        return flightsExpected;
    }

    /** How many flights the aircraft rows found account for. */
    public long flightsFound() {
        return flightsFound;
    }

    /** How many rows are as they should be. */
    public long equalRows() {
        return equalRows;
    }

    /** How many rows are missing, changed, duplicated or unexpected. */
    public long differences() {
        return differences;
    }

    /** The first {@link #SHOWN} differences, each readable by itself. */
    public List<String> shown() {
        return shown;
    }

    /** Whether every flight is accounted for and every row is right. */
    public boolean isClean() {
        return differences == 0 && flightsFound == flightsExpected;
    }

    /** Such as {@code 336,776 of 336,776 flights, 0 differences}. */
    public String summary() {
        return String.format(
                Locale.ROOT,
                "%,d of %,d flights, %,d differences",
                flightsFound,
                flightsExpected,
                differences);
    }

    @Override
    public String toString() {
        return summary();
    }

    /** Counts up while rows are compared. For one thread. */
    static final class Builder {
        private final long flightsExpected;
        private final List<String> shown = new ArrayList<>();
        private long flightsFound;
        private long equalRows;
        private long differences;

        Builder(long flightsExpected) {
            this.flightsExpected = flightsExpected;
        }

        void foundFlights(long flights) {
            flightsFound += flights;
        }

        void equalRow() {
            equalRows++;
        }

        void difference(String text) {
            differences++;
            if (shown.size() < SHOWN) {
                shown.add(text);
            }
        }

        Comparison build() {
            return new Comparison(this);
        }
    }
}
