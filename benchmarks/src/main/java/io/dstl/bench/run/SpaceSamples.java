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

import io.dstl.bench.report.Finding;
import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** What a run had in the bucket, and what its materializations took, look by look. */
final class SpaceSamples {
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
    private static final Quantity DURATION =
            Quantity.of(
                    "Materialization, the longest seen, ms",
                    "materializations.durationMillis",
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
    private double materializations;

    /** Of all runs, in the order of the table. */
    static List<Quantity> quantities() {
        return List.of(REST, REST_MOST, REST_LOG, OBJECTS, MATERIALIZATIONS, DURATION, SYNCHRONOUS);
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
     * @param duration of the last materialization of the task where it took longest, in ms; a task
     *     without one reports less than 0
     * @param inTaskThread of that the synchronous part, the same way; Flink's own changelog does
     *     not report it
     */
    void materialization(OptionalDouble duration, OptionalDouble inTaskThread) {
        duration.ifPresent(durations::add);
        inTaskThread.ifPresent(synchronous::add);
    }

    /**
     * @param count that were completed in the measured time
     */
    void materializations(double count) {
        materializations = count;
    }

    /** Needs one look at the bucket at least; what no look found is left out. */
    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.of(REST, Samples.median(array(bytes)) / MEGABYTE));
        findings.add(Finding.of(REST_MOST, Samples.quantile(array(bytes), 1) / MEGABYTE));
        findings.add(Finding.of(REST_LOG, Samples.median(array(logBytes)) / MEGABYTE));
        findings.add(Finding.of(OBJECTS, Samples.median(array(objects))));
        findings.add(Finding.of(MATERIALIZATIONS, materializations));
        addLongest(findings, DURATION, durations);
        addLongest(findings, SYNCHRONOUS, synchronous);
        return findings;
    }

    private static void addLongest(List<Finding> to, Quantity quantity, List<Double> seen) {
        double longest = seen.stream().mapToDouble(Double::doubleValue).max().orElse(-1);
        if (longest >= 0) {
            to.add(Finding.of(quantity, longest));
        }
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
