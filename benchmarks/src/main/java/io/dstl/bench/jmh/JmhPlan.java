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

import io.dstl.bench.jmh.JmhPlan.JmhScale;
import io.dstl.bench.micro.KeyOrder;
import io.dstl.bench.micro.PayloadKind;
import io.dstl.bench.micro.StateKind;
import io.dstl.bench.run.BenchPaths;
import io.dstl.bench.run.Variant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** All that a run of the micro benchmarks is told. Immutable but for its conditions. */
public final class JmhPlan {
    private final BenchPaths paths;
    private final List<Variant> variants;
    private final JmhScale scale;
    private final Map<String, String> conditions = new LinkedHashMap<>();

    /**
     * @param variants to run in turn
     */
    public JmhPlan(BenchPaths paths, List<Variant> variants, JmhScale scale) {
        this.paths = paths;
        if (variants.contains(Variant.FORST)) {
            throw new IllegalArgumentException(
                    "--variants has forst, which is measured on clusters only: leave it out");
        }
        this.variants = variants.stream().distinct().collect(Collectors.toUnmodifiableList());
        this.scale = scale;
    }

    /** What the reader of the figures has to know besides. */
    public JmhPlan condition(String name, String value) {
        conditions.put(name, value);
        return this;
    }

    BenchPaths paths() {
        return paths;
    }

    List<Variant> variants() {
        return variants;
    }

    JmhScale scale() {
        return scale;
    }

    /** In the order to show. */
    Map<String, String> conditions() {
        Map<String, String> all = new LinkedHashMap<>(conditions);
        all.put("measured", scale.toString());
        return all;
    }

    /** How much is run: what a figure's weight depends on. */
    public static final class JmhScale {
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
                throw new IllegalArgumentException(
                        "--log-updates is " + updates + ": give 1 or more");
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

    /** What one figure is of: the state, what it holds, which keys, and how the log is written. */
    public static final class JmhCase {
        private final StateKind state;
        private final PayloadKind payload;
        private final KeyOrder workload;
        private final boolean compressed;

        /**
         * @param compressed whether the log is, by Snappy
         */
        public JmhCase(
                StateKind state, PayloadKind payload, KeyOrder workload, boolean compressed) {
            this.state = state;
            this.payload = payload;
            this.workload = workload;
            this.compressed = compressed;
        }

        PayloadKind payload() {
            return payload;
        }

        /** For readers: state and content. */
        String subject() {
            return state.label() + " " + payload.label();
        }

        /** For readers: keys and compression. */
        String circumstances() {
            return workload.label() + ", " + (compressed ? "snappy" : "not compressed");
        }

        /** For readers who know the usual circumstances: empty, or what is not as usual. */
        String exception() {
            return compressed ? " (snappy)" : "";
        }

        /** For programs. */
        String key() {
            return String.join(
                    ".",
                    state.label(),
                    payload.label(),
                    workload.label(),
                    compressed ? "snappy" : "none");
        }

        /** As JMH is told. */
        Map<String, String> parameters() {
            Map<String, String> parameters = new LinkedHashMap<>();
            parameters.put("kind", state.label());
            parameters.put("serializer", payload.label());
            parameters.put("workload", workload.label());
            parameters.put("compressed", Boolean.toString(compressed));
            return parameters;
        }
    }
}
