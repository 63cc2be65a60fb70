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
package io.dstl.bench.storage;

import io.dstl.bench.proxy.Disturbance;
import io.dstl.bench.proxy.FaultProxy;
import io.dstl.bench.proxy.Span;
import io.dstl.e2e.cluster.LocalCluster;
import io.dstl.e2e.report.CheckpointRun;
import io.dstl.e2e.report.Event;
import io.dstl.e2e.report.Timeline;
import io.dstl.e2e.rest.CheckpointStatistics;
import io.dstl.e2e.rest.CompletedCheckpoint;
import io.dstl.e2e.store.S3Store;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One variant, from the start of its cluster to its end: warm-up, what is measured, then the faults
 * one after the other. The proxy is its own, so that every variant meets the same latencies.
 */
final class VariantRun {
    private final Variant variant;
    private final StoragePlan plan;
    private final BenchCluster clusters;
    private final Instruments instruments;
    private final Disturbance disturbance;
    private final List<Event> events = new ArrayList<>();

    VariantRun(Variant variant, StoragePlan plan, BenchCluster clusters, Instruments instruments) {
        this.variant = variant;
        this.plan = plan;
        this.clusters = clusters;
        this.instruments = instruments;
        this.disturbance = new Disturbance(plan.seed(), instruments::nanos);
    }

    VariantResult on(S3Store store) throws Exception {
        try (FaultProxy proxy =
                        FaultProxy.start(
                                store.endpoint(),
                                plan.newLatencies(),
                                disturbance,
                                instruments.clock());
                LocalCluster cluster = clusters.start(variant, proxy.endpoint())) {
            cluster.awaitUp(BenchCluster.TASK_MANAGERS);
            BenchJob job = BenchJob.submit(variant, cluster, plan, instruments);
            job.awaitFirstCheckpoint();
            job.runFor("warm-up", plan.timing().warmUp());
            Measured measured = measure(job, proxy);
            List<Endured> endured = new ArrayList<>();
            if (variant.changelog()) {
                for (Fault fault : plan.faults()) {
                    endured.add(endure(fault, job));
                }
            }
            CheckpointStatistics seen = job.checkpoints();
            RequestFile.write(
                    proxy.journal(),
                    seen.history(),
                    plan.paths().run().resolve("requests-" + variant.label() + ".csv"));
            return new VariantResult(
                    variant,
                    measured,
                    endured,
                    new CheckpointRun(variant.label(), seen),
                    new Timeline(variant.label(), seen.history(), events));
        }
    }

    private Measured measure(BenchJob job, FaultProxy proxy)
            throws IOException, InterruptedException {
        Sample before = job.sample();
        job.runFor("measured", plan.timing().measured());
        Sample after = job.sample();
        job.awaitTriggeredAfter(after.at());
        Measured measured =
                new Measured(
                        before,
                        after,
                        job.checkpoints().history(),
                        new Tally(proxy.journal().during(Span.between(before.at(), after.at()))));
        say(
                String.format(
                        Locale.ROOT,
                        "%d checkpoints, p50 %.0f ms, p99 %.0f ms, longest %.0f ms",
                        measured.completed(),
                        measured.durationMillis(0.5),
                        measured.durationMillis(0.99),
                        measured.durationMillis(1)));
        return measured;
    }

    private Endured endure(Fault fault, BenchJob job) throws IOException, InterruptedException {
        Sample before = job.sample();
        Instant start = instruments.clock().instant();
        Instant end = start.plus(fault.length());
        fault.begin(disturbance);
        events.add(new Event(start, fault.title()));
        job.runFor("fault", fault.length());
        CompletedCheckpoint first = job.awaitTriggeredAfter(end);
        events.add(new Event(end, "over"));
        Sample after = job.sample();
        Endured endured =
                new Endured(
                        fault,
                        after.checkpoints().restored() - before.checkpoints().restored(),
                        after.checkpoints().failed() - before.checkpoints().failed(),
                        Duration.between(end, first.triggered().plus(first.duration())));
        say(
                String.format(
                        Locale.ROOT,
                        "%s: %d restarts, %d failed checkpoints, next checkpoint after %d ms",
                        fault.title(),
                        endured.restarts(),
                        endured.failed(),
                        endured.recovery().toMillis()));
        return endured;
    }

    private void say(String line) {
        instruments.progress().say(variant.label() + ": " + line);
    }
}
