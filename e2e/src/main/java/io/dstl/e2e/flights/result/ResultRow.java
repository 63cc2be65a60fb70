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
package io.dstl.e2e.flights.result;

import java.time.Instant;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One line of the result: what it is about (kind and id) and what it says, separated by tabs. In a
 * right result no two rows are about the same.
 */
public final class ResultRow {
    private static final char TAB = '\t';
    private static final Pattern FLIGHTS =
            Pattern.compile(RowKind.AIRCRAFT.title() + "\t[^\t]*\tflights=(\\d{1,18})( .*)?");

    private final String line;
    private final int subjectEnd;

    private ResultRow(String line, int subjectEnd) {
        this.line = line;
        this.subjectEnd = subjectEnd;
    }

    /** Starts a row about {@code id}. */
    public static Builder about(RowKind kind, String id) {
        return new Builder(kind.title() + TAB + id);
    }

    /** Starts a row about {@code id} at the event time {@code millis}. */
    public static Builder about(RowKind kind, String id, long millis) {
        return about(kind, id + '@' + Instant.ofEpochMilli(millis));
    }

    /** Takes any line: one that is no row of a result is about itself and says nothing. */
    public static ResultRow parse(String line) {
        int id = line.indexOf(TAB) + 1;
        int contentTab = id == 0 ? -1 : line.indexOf(TAB, id);
        return new ResultRow(line, contentTab < 0 ? line.length() : contentTab);
    }

    /** What the row is about: kind and id. */
    public String subject() {
        return line.substring(0, subjectEnd);
    }

    /** The row as written. */
    public String line() {
        return line;
    }

    /** The number of flights that a row about an aircraft accounts for; empty for any other. */
    public OptionalLong flights() {
        Matcher matcher = FLIGHTS.matcher(line);
        return matcher.matches()
                ? OptionalLong.of(Long.parseLong(matcher.group(1)))
                : OptionalLong.empty();
    }

    /** Writes one row, field by field. */
    public static final class Builder {
        private final StringBuilder line;
        private char separator = TAB;

        private Builder(String subject) {
            this.line = new StringBuilder(subject);
        }

        /** Adds {@code name=value}; {@code null} stands for unknown. */
        public Builder with(String name, Object value) {
            line.append(separator).append(name).append('=').append(value == null ? "NA" : value);
            separator = ' ';
            return this;
        }

        /** Adds an event time, in milliseconds, readably. */
        public Builder withTime(String name, long millis) {
            return with(name, Instant.ofEpochMilli(millis));
        }

        /** The finished row. */
        public String line() {
            return line.toString();
        }
    }

    /** What a row of the result is about. */
    public enum RowKind {
        /** All flights of one aircraft, at the end of the input. */
        AIRCRAFT,
        /** An aircraft that did not leave New York again in time. */
        MISSED,
        /** One airport in one sliding window. */
        SLIDING,
        /** One airport in one session. */
        SESSION,
        /** A movement that came after its window had fired: never in a right result. */
        LATE,
        /** A timer that fired though it had been removed: never in a right result. */
        STRAY;

        String title() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
