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
import io.dstl.harness.proxy.FaultProxy;
import io.dstl.harness.store.Bucket;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What is measured undisturbed, and beside it what the run has in the bucket. The bucket is listed
 * past the proxy, so that neither latencies nor counted requests come of it.
 */
final class SpacePhase implements Phase {
    private static final String COMPLETED = "completedMaterialization";
    private static final String DURATION = "lastDurationOfMaterialization";
    private static final String SYNCHRONOUS = "lastSynchronousDuration";
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(2);
    private static final Duration BETWEEN_LISTINGS = Duration.ofSeconds(10);

    /** Of what is measured undisturbed. */
    private static final Set<String> MEASURED =
            Set.of(
                    "completed",
                    "durationMillis.p50",
                    "durationMillis.p99",
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
    public Duration length() {
        return timing.warmUp().plus(timing.measured());
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
        samples.materializations(job.total(COMPLETED) - before[0]);
        List<Finding> findings = new ArrayList<>(samples.findings());
        findings.addAll(others);
        return findings;
    }

    private void look(SpaceSamples samples, BenchJob job, Instant now)
            throws IOException, InterruptedException {
        samples.materialization(job.largest(DURATION), job.largest(SYNCHRONOUS));
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
}
