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
package io.dstl.bench.jmh;

import java.util.List;
import java.util.Locale;

/** How much is run: what a figure's weight depends on. */
public final class JmhScale {
    private static final int MILLIS = 500;
    private static final int CHECKPOINTS = 5;

    private final int forks;
    private final int warmUps;
    private final int iterations;
    private final int keys;
    private final int changes;
    private final int logUpdates;

    private JmhScale(
            int forks, int warmUps, int iterations, int keys, int changes, int logUpdates) {
        this.forks = forks;
        this.warmUps = warmUps;
        this.iterations = iterations;
        this.keys = keys;
        this.changes = changes;
        this.logUpdates = logUpdates;
    }

    /** For figures to quote. */
    public static JmhScale full(int forks) {
        return new JmhScale(checked(forks), 5, 9, 200_000, 300_000, 300_000);
    }

    /** For a look: too short for the compiler to be done with everything. */
    public static JmhScale quick(int forks) {
        return new JmhScale(checked(forks), 1, 2, 200_000, 100_000, 100_000);
    }

    /** To see that all of it runs: its figures mean nothing. */
    public static JmhScale smoke() {
        return new JmhScale(1, 0, 1, 2_000, 5_000, 5_000);
    }

    /**
     * The same, with other logs.
     *
     * @param updates of each
     */
    public JmhScale withLogsOf(int updates) {
        if (updates < 1) {
            throw new IllegalArgumentException("--log-updates is " + updates + ": give 1 or more");
        }
        return new JmhScale(forks, warmUps, iterations, keys, changes, updates);
    }

    private static int checked(int forks) {
        if (forks < 1) {
            throw new IllegalArgumentException("--forks is " + forks + ": give 1 or more");
        }
        return forks;
    }

    int forks() {
        return forks;
    }

    /** Between two checkpoints, as in a second of the storage benchmark's busiest runs. */
    int interval() {
        return Math.min(30_000, changes / 4);
    }

    /** Updates in an iteration, with the same number of checkpoints in each. */
    int batch() {
        return CHECKPOINTS * interval();
    }

    /** Checkpoints before all that. */
    int rehearsals() {
        return changes / 300;
    }

    int keys() {
        return keys;
    }

    /** Of a log that is weighed and replayed. */
    int logUpdates() {
        return logUpdates;
    }

    /** For what is timed over a number of operations. */
    List<String> counted() {
        return List.of("-wi", Integer.toString(warmUps), "-i", Integer.toString(iterations));
    }

    /** For what is timed over stretches of time. */
    List<String> timed() {
        String time = MILLIS + "ms";
        return List.of(
                "-wi",
                Integer.toString(warmUps),
                "-w",
                time,
                "-i",
                Integer.toString(iterations),
                "-r",
                time);
    }

    /** For what runs once at a time. */
    List<String> shots() {
        return List.of("-wi", warmUps == 0 ? "0" : "1", "-i", warmUps == 0 ? "1" : "5");
    }

    /** For the first one of a JVM. */
    static List<String> firstShot() {
        return List.of("-wi", "0", "-i", "1");
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "forks of each, in turn: %d; %d × %,d updates (a serializer alone: %d ms) after %d as"
                        + " long for warm-up; %,d keys, a checkpoint after %,d updates; logs of"
                        + " %,d updates",
                forks,
                iterations,
                batch(),
                MILLIS,
                warmUps,
                keys,
                interval(),
                logUpdates);
    }
}
