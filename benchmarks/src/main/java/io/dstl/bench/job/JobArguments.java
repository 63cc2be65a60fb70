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
package io.dstl.bench.job;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What the job is told on its command line. Immutable. */
public final class JobArguments {
    private static final Set<WorkloadKind> ASYNC_KINDS =
            EnumSet.of(WorkloadKind.VALUE, WorkloadKind.RMW);

    private final WorkloadKind kind;
    private final Updates updates;
    private final int rate;
    private final int valueBytes;
    private final String results;
    private final boolean async;

    /**
     * @param rate updates per second over all subtasks; 0: as many as there can be
     * @param valueBytes of each value, entry or element; at least 16
     * @param results the directory to write down the totals in
     */
    public JobArguments(
            WorkloadKind kind, Updates updates, int rate, int valueBytes, String results) {
        this(kind, updates, rate, valueBytes, results, false);
    }

    private JobArguments(
            WorkloadKind kind,
            Updates updates,
            int rate,
            int valueBytes,
            String results,
            boolean async) {
        if (rate < 0) {
            throw new IllegalArgumentException("--rate is " + rate + ": give 0 or more");
        }
        if (valueBytes < 2 * Long.BYTES) {
            throw new IllegalArgumentException(
                    "--value-bytes is " + valueBytes + ": give " + 2 * Long.BYTES + " or more");
        }
        this.kind = kind;
        this.updates = updates;
        this.rate = rate;
        this.valueBytes = valueBytes;
        this.results = results;
        this.async = async;
    }

    /** The same by asynchronous state, which only Flink 2 has, where the workload can do that. */
    public JobArguments preferAsync() {
        return new JobArguments(
                kind, updates, rate, valueBytes, results, ASYNC_KINDS.contains(kind));
    }

    static JobArguments parse(String[] args) {
        return new JobArguments(
                WorkloadKind.valueOf(args[0]),
                new Updates(Long.parseLong(args[1]), Double.parseDouble(args[2])),
                Integer.parseInt(args[3]),
                Integer.parseInt(args[4]),
                args[5],
                Boolean.parseBoolean(args[6]));
    }

    /** As the job takes them. */
    public List<String> commandLine() {
        return List.of(
                kind.name(),
                Long.toString(updates.keys()),
                Double.toString(updates.hotShare()),
                Integer.toString(rate),
                Integer.toString(valueBytes),
                results,
                Boolean.toString(async));
    }

    public WorkloadKind kind() {
        return kind;
    }

    public Updates updates() {
        return updates;
    }

    int rate() {
        return rate;
    }

    int valueBytes() {
        return valueBytes;
    }

    String results() {
        return results;
    }

    /** Whether it is asynchronous state that is read and written. */
    public boolean async() {
        return async;
    }

    /** What the job's state is and what an update does to it. */
    public enum WorkloadKind {
        /** A ValueState is replaced without being read. */
        VALUE,
        /** A ValueState is read and written back changed. */
        RMW,
        /** A timer is set, which reads a ValueState and writes it back changed as it fires. */
        TIMERS,
        /** An entry of a MapState is put, or one in eight times removed. */
        MAP,
        /** An element is added to a ListState, which one in sixteen times is cleared before. */
        LIST,
        /** Sliding windows of 10 s every second, which count. */
        WINDOW,
        /** Session windows with a gap of 2 s, which count. */
        SESSION,
        /** SQL: the latest of each key and side by a top-1 rank, and both sides joined. */
        SQL;

        /** For the command line and for files. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        /**
         * What the names of the vertices with state begin with. The records that count are those of
         * the first.
         */
        public List<String> vertices() {
            // The planner names its operators so. Asked where Flink is not on the class path.
            return this == SQL ? List.of("Rank", "Join") : List.of(StateJob.STATE);
        }

        /** In how many windows each update counts; 0 where there are none. */
        int windowsPerUpdate() {
            switch (this) {
                case WINDOW:
                    return 10;
                case SESSION:
                    return 1;
                default:
                    return 0;
            }
        }

        /**
         * Whether the state is that of windows: its size follows from the rate and the keys alone.
         */
        public boolean windowed() {
            return this == WINDOW || this == SESSION;
        }
    }
}
