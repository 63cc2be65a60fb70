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

import io.dstl.e2e.flights.oracle.Oracle;
import io.dstl.e2e.flights.oracle.Oracle.ExpectedRows;
import io.dstl.e2e.flights.result.ResultFiles;
import io.dstl.e2e.flights.result.ResultRow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Holds the rows that the job has written against those of the {@link Oracle}, as multisets: a row
 * that is missing, changed, there twice or there without reason is one difference each.
 */
public final class ResultCheck {
    private final ExpectedRows expected;
    private final Comparison.Builder comparison;
    private final Set<String> found = new HashSet<>();

    private ResultCheck(ExpectedRows expected) {
        this.expected = expected;
        this.comparison = new Comparison.Builder(expected.flights());
    }

    /**
     * Compares what {@code output} should hold with what it does.
     *
     * @param input the flights file that the job read
     * @param scale how often it read it
     * @param output the job's output directory; only committed files count
     */
    public static Comparison compare(Path input, int scale, Path output) throws IOException {
        ResultCheck check = new ResultCheck(Oracle.rows(input, scale));
        ResultFiles.in(output).forEachLine(line -> check.take(ResultRow.parse(line)));
        check.expected.all().forEach(check::takeMissing);
        return check.comparison.build();
    }

    private void take(ResultRow row) {
        row.flights().ifPresent(comparison::foundFlights);
        Optional<ResultRow> wanted = expected.about(row.subject());
        if (wanted.isEmpty()) {
            comparison.difference("unexpected: " + row.line());
        } else if (!found.add(row.subject())) {
            comparison.difference("once more: " + row.line());
        } else if (!wanted.get().line().equals(row.line())) {
            comparison.difference("changed: " + row.line() + " instead of " + wanted.get().line());
        } else {
            comparison.equalRow();
        }
    }

    private void takeMissing(ResultRow row) {
        if (!found.contains(row.subject())) {
            comparison.difference("missing: " + row.line());
        }
    }

    /** What a {@link ResultCheck} has found. */
    public static final class Comparison {
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
}
