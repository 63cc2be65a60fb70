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
package io.dstl.bench.run;

import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.report.Samples;
import io.dstl.bench.run.Phase.Unfinished;
import io.dstl.bench.run.Tally.Folder;
import io.dstl.harness.proxy.FaultProxy;
import io.dstl.harness.store.Bucket;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * What is measured undisturbed, and beside it what the run has in the bucket. The bucket is listed
 * past the proxy, so that neither latencies nor counted requests come of it.
 */
final class SpacePhase implements Phase {
    private static final String STARTED = "startedMaterialization";
    private static final String COMPLETED = "completedMaterialization";
    private static final String DURATION = "lastDurationOfMaterialization";
    private static final String SYNCHRONOUS = "lastSynchronousDuration";
    private static final String RESTARTS = "restarts";
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(2);
    private static final Duration BETWEEN_LISTINGS = Duration.ofSeconds(10);

    /** Of what is measured undisturbed. */
    private static final Set<String> MEASURED =
            Set.of(
                    "completed",
                    RESTARTS,
                    "durationMillis.p50",
                    "durationMillis.p99",
                    MeasuredPhase.SYNCHRONOUS_P99,
                    "fullMegabytes.p50",
                    "fullMegabytes.p99",
                    "recordsPerSecond",
                    "taskManagerCpuPerMillionRecords");

    private final Timing timing;
    private final FaultProxy proxy;
    private final Bucket bucket;
    private final String root;
    private Instant nextListing = Instant.MIN;

    /**
     * @param root the folder of the run in the bucket
     */
    SpacePhase(Timing timing, FaultProxy proxy, Bucket bucket, String root) {
        this.timing = timing;
        this.proxy = proxy;
        this.bucket = bucket;
        this.root = root;
    }

    /** Whether it is one of those that the benchmark of space is about. */
    static boolean shows(Quantity quantity) {
        return MEASURED.contains(quantity.key())
                || SpaceSamples.quantities().stream()
                        .anyMatch(one -> one.key().equals(quantity.key()));
    }

    @Override
    public String title() {
        return "space";
    }

    @Override
    public List<Quantity> quantities() {
        List<Quantity> all = new ArrayList<>(SpaceSamples.quantities());
        all.addAll(new MeasuredPhase(timing, proxy).quantities());
        return all;
    }

    @Override
    public List<Finding> of(BenchJob job) throws Unfinished, IOException, InterruptedException {
        SpaceSamples samples = new SpaceSamples();
        double[] before = new double[1];
        MeasuredPhase measured =
                new MeasuredPhase(
                        timing,
                        proxy,
                        BETWEEN_LOOKS,
                        now -> {
                            if (nextListing.equals(Instant.MIN)) {
                                before[0] = job.total(COMPLETED);
                            }
                            look(samples, job, now);
                        });
        List<Finding> others = measured.of(job);
        if (!hasRestarted(others)) {
            samples.materializations(job.total(COMPLETED) - before[0]);
        }
        List<Finding> findings = new ArrayList<>(samples.findings());
        findings.addAll(others);
        return findings;
    }

    private static boolean hasRestarted(List<Finding> measured) {
        return measured.stream()
                .filter(one -> one.quantity().key().equals(RESTARTS))
                .anyMatch(one -> !one.plain().equals(0.0));
    }

    private void look(SpaceSamples samples, BenchJob job, Instant now)
            throws IOException, InterruptedException {
        samples.materialization(job.largest(DURATION));
        job.bySubtask(STARTED, SYNCHRONOUS)
                .forEach((task, last) -> samples.inTaskThread(task, last.get(0), last.get(1)));
        if (!now.isBefore(nextListing)) {
            nextListing = now.plus(BETWEEN_LISTINGS);
            samples.bucket(bucket.list(root + "/"));
        }
    }

    /** How the figures were found, for the reader of the report. */
    static String describe() {
        return String.format(
                Locale.ROOT,
                "listed every %d s; metrics of materializations every %d s",
                BETWEEN_LISTINGS.toSeconds(),
                BETWEEN_LOOKS.toSeconds());
    }

    /** What a run had in the bucket, and what its materializations took, look by look. */
    static final class SpaceSamples {
        private static final Quantity REST =
                Quantity.of("At rest in the bucket p50, MB", "restMegabytes.p50", "%.1f");
        private static final Quantity REST_MOST =
                Quantity.of("At rest in the bucket, most, MB", "restMegabytes.max", "%.1f");
        private static final Quantity REST_LOG =
                Quantity.of("of that the log p50, MB", "restMegabytes.log", "%.1f");
        private static final Quantity OBJECTS =
                Quantity.of("Objects in the bucket p50", "restObjects.p50", "%.0f");
        private static final Quantity MATERIALIZATIONS =
                Quantity.of("Materializations, all tasks", "materializations.count", "%.0f");
        private static final Quantity USUAL =
                Quantity.of(
                        "Materialization, of the slower task, p50, ms",
                        "materializations.usualMillis",
                        "%.0f");
        private static final Quantity DURATION =
                Quantity.of(
                        "Materialization, the longest seen, ms",
                        "materializations.durationMillis",
                        "%.0f");
        private static final Quantity SYNCHRONOUS_P99 =
                Quantity.of(
                        "of that in the task thread p99, ms",
                        "materializations.synchronousMillis.p99",
                        "%.0f");
        private static final Quantity SYNCHRONOUS =
                Quantity.of(
                        "of that in the task thread, the longest seen, ms",
                        "materializations.synchronousMillis",
                        "%.0f");

        private static final double MEGABYTE = 1e6;

        private final List<Double> bytes = new ArrayList<>();
        private final List<Double> logBytes = new ArrayList<>();
        private final List<Double> objects = new ArrayList<>();
        private final List<Double> durations = new ArrayList<>();
        private final List<Double> synchronous = new ArrayList<>();
        private final Map<String, Double> startedBefore = new HashMap<>();
        private OptionalDouble materializations = OptionalDouble.empty();

        /** Of all runs, in the order of the table. */
        static List<Quantity> quantities() {
            return List.of(
                    REST,
                    REST_MOST,
                    REST_LOG,
                    OBJECTS,
                    MATERIALIZATIONS,
                    USUAL,
                    DURATION,
                    SYNCHRONOUS_P99,
                    SYNCHRONOUS);
        }

        /**
         * One look at the bucket.
         *
         * @param found the sizes of the run's objects, in bytes, by key
         */
        void bucket(Map<String, Long> found) {
            bytes.add(found.values().stream().mapToDouble(size -> size).sum());
            logBytes.add(
                    found.entrySet().stream()
                            .filter(object -> Folder.LOG.holds(object.getKey()))
                            .mapToDouble(Map.Entry::getValue)
                            .sum());
            objects.add((double) found.size());
        }

        /**
         * One look at the metrics.
         *
         * @param duration of the last materialization of the task where it took longest, in ms; a
         *     task without one reports less than 0
         */
        void materialization(OptionalDouble duration) {
            duration.ifPresent(durations::add);
        }

        /**
         * What one task reports at a look; Flink's own changelog does not. Counts if another
         * materialization has started since the look before; of several the last.
         *
         * @param started how many materializations have
         * @param millis of the last one, on the task thread; less than 0 before the first
         */
        void inTaskThread(String task, double started, double millis) {
            Double before = startedBefore.put(task, started);
            if (before != null && before != started && millis >= 0) {
                synchronous.add(millis);
            }
        }

        /**
         * Not known, and not to be called, where the tasks were started anew meanwhile.
         *
         * @param count that were completed in the measured time
         */
        void materializations(double count) {
            materializations = OptionalDouble.of(count);
        }

        /** Needs one look at the bucket at least; what no look found is left out. */
        List<Finding> findings() {
            List<Finding> findings = new ArrayList<>();
            findings.add(Finding.of(REST, Samples.median(array(bytes)) / MEGABYTE));
            findings.add(Finding.of(REST_MOST, Samples.quantile(array(bytes), 1) / MEGABYTE));
            findings.add(Finding.of(REST_LOG, Samples.median(array(logBytes)) / MEGABYTE));
            findings.add(Finding.of(OBJECTS, Samples.median(array(objects))));
            findings.add(
                    materializations.isPresent()
                            ? Finding.of(MATERIALIZATIONS, materializations.getAsDouble())
                            : Finding.none(MATERIALIZATIONS, MeasuredPhase.RESTARTED));
            addQuantile(findings, USUAL, durations, 0.5);
            addQuantile(findings, DURATION, durations, 1);
            addQuantile(findings, SYNCHRONOUS_P99, synchronous, 0.99);
            addQuantile(findings, SYNCHRONOUS, synchronous, 1);
            return findings;
        }

        private static void addQuantile(
                List<Finding> to, Quantity quantity, List<Double> seen, double quantile) {
            double[] known = seen.stream().mapToDouble(x -> x).filter(x -> x >= 0).toArray();
            if (known.length > 0) {
                to.add(Finding.of(quantity, Samples.quantile(known, quantile)));
            }
        }

        private static double[] array(List<Double> values) {
            return values.stream().mapToDouble(Double::doubleValue).toArray();
        }
    }
}
