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
package io.dstl.e2e.chaos;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** How long a chaos run goes on, and from what seed. Immutable. */
public final class ChaosPlan {
    /** What comes before and after the faults, on a quiet machine with two cores. */
    private static final Duration AROUND = Duration.ofMinutes(2);

    private static final Duration LEAST = Duration.ofSeconds(90);

    /**
     * Flights per second: few, so that a slow machine has the time to catch up after each fault.
     * What the run is about takes place at each checkpoint, not at each record.
     */
    private static final int RATE = 300;

    /** What is left of the input in the end is read faster, but not so that checkpoints starve. */
    private static final int RATE_AT_END = 10 * RATE;

    /**
     * A slow machine needs longer to get over each fault, and the input is to outlast that too: up
     * to so many times as long as faults begin, and at most so much longer.
     */
    private static final int SLACK = 2;

    private static final Duration MOST_SLACK = Duration.ofMinutes(10);

    private final Duration faults;
    private final long seed;

    private ChaosPlan(Duration faults, long seed) {
        this.faults = faults;
        this.seed = seed;
    }

    /**
     * @param minutes of the whole run, about; at least 1
     */
    public static ChaosPlan of(int minutes, long seed) {
        if (minutes < 1) {
            throw new IllegalArgumentException(
                    "--chaos is " + minutes + ": give the minutes that it takes, 1 or more");
        }
        Duration faults = Duration.ofMinutes(minutes).minus(AROUND);
        return new ChaosPlan(faults.compareTo(LEAST) < 0 ? LEAST : faults, seed);
    }

    /** For how long faults begin. */
    Duration faults() {
        return faults;
    }

    long seed() {
        return seed;
    }

    /**
     * Whether a JobManager stays the leader while its connection to ZooKeeper is away: under every
     * other seed, as operators have it one way or the other.
     */
    boolean tolerant() {
        return seed % 2 == 0;
    }

    /** Flights per second under faults. */
    int rate() {
        return RATE;
    }

    /** Flights per second once the faults are over. */
    int rateAtEnd() {
        return RATE_AT_END;
    }

    /** So many that the input outlasts the faults. */
    long flights() {
        Duration slack = faults.multipliedBy(SLACK);
        Duration bounded = slack.compareTo(MOST_SLACK) > 0 ? MOST_SLACK : slack;
        return faults.plus(bounded).toSeconds() * RATE;
    }

    /**
     * The flights that a chaos run reads: as many as its faults last for, and some more. Immutable.
     */
    static final class ChaosInput {
        final Path file;

        /** How often it is to be read. */
        final int scale;

        private ChaosInput(Path file, int scale) {
            this.file = file;
            this.scale = scale;
        }

        /**
         * Writes the begin of a flights file to another one, so long that it has that many flights
         * when it is read {@link #scale} times.
         */
        static ChaosInput cut(Path whole, long flights, Path target) throws IOException {
            long rows = rows(whole);
            if (rows == 0) {
                throw new IOException(whole + " has no flights: give another --input");
            }
            int scale = (int) ((flights + rows - 1) / rows);
            long each = (flights + scale - 1) / scale;
            try (BufferedReader in = open(whole);
                    BufferedWriter out =
                            new BufferedWriter(
                                    new OutputStreamWriter(
                                            new GZIPOutputStream(Files.newOutputStream(target)),
                                            StandardCharsets.UTF_8))) {
                // The first line is the header.
                for (long line = 0; line <= each; line++) {
                    out.write(in.readLine());
                    out.write('\n');
                }
            }
            return new ChaosInput(target, scale);
        }

        private static long rows(Path file) throws IOException {
            try (BufferedReader in = open(file)) {
                return Math.max(0, in.lines().count() - 1);
            }
        }

        private static BufferedReader open(Path file) throws IOException {
            return new BufferedReader(
                    new InputStreamReader(
                            new GZIPInputStream(Files.newInputStream(file)),
                            StandardCharsets.UTF_8));
        }
    }
}
