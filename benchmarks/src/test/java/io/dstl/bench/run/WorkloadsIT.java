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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dstl.bench.job.JobArguments.WorkloadKind;
import io.dstl.bench.job.Updates;
import io.dstl.bench.profile.TaskProfile.Work;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.run.Benchmark.BenchCluster;
import io.dstl.bench.run.Variant.RunName;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.progress.Instruments;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import io.dstl.harness.store.Bucket;
import io.dstl.harness.store.S3Store;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each workload on ours at the same time; their one TaskManager is profiled and killed. */
class WorkloadsIT {
    private static final RunName NAME = new RunName(Variant.DSTL, 1);

    /** The processes end before the optimizing compiler has earned what it costs. */
    private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1";

    private final Instruments instruments =
            Instruments.printing(new PrintStream(OutputStream.nullOutputStream()));

    @TempDir private Path directory;

    @Test
    void afterAKillTheStateIsExact() throws Exception {
        int slots = WorkloadKind.values().length * Workload.PARALLELISM;
        try (S3Store store =
                S3Store.Kind.of("embedded")
                        .start(directory.resolve("store"), instruments.await())) {
            new Bucket(store, BenchCluster.BUCKET).create();
            BenchCluster clusters =
                    new BenchCluster(plan(WorkloadKind.VALUE), instruments.await(), slots);
            try (LocalCluster cluster = clusters.start(NAME, store.endpoint())) {
                cluster.awaitUp(BenchCluster.TASK_MANAGERS);
                Map<WorkloadKind, BenchJob> jobs = submitAll(cluster);
                profile(jobs.get(WorkloadKind.VALUE));
                killAmid(jobs);
                for (Map.Entry<WorkloadKind, BenchJob> job : jobs.entrySet()) {
                    check(job.getKey(), job.getValue());
                }
            }
        }
    }

    private Map<WorkloadKind, BenchJob> submitAll(LocalCluster cluster) throws Exception {
        Map<WorkloadKind, BenchJob> jobs = new EnumMap<>(WorkloadKind.class);
        for (WorkloadKind kind : WorkloadKind.values()) {
            jobs.put(kind, BenchJob.submit(NAME, cluster, plan(kind), instruments));
        }
        for (BenchJob job : jobs.values()) {
            job.awaitFirstCheckpoint();
        }
        return jobs;
    }

    private void profile(BenchJob job) throws Exception {
        BenchPlan plan = plan(WorkloadKind.VALUE);
        List<Finding> found = plan.profilePhase(NAME).of(job);
        assertThat(plan.paths().profile(NAME)).isNotEmptyFile();
        double percent = 0;
        for (int i = 0; i < Work.values().length; i++) {
            assertThat(found.get(i).quantity().key()).startsWith("profile.percent.");
            percent += (Double) found.get(i).plain();
        }
        assertThat(percent).isCloseTo(100, within(1e-6));
    }

    /** Each job has a checkpoint behind it, and updates that are in the log only. */
    private static void killAmid(Map<WorkloadKind, BenchJob> jobs) throws Exception {
        for (BenchJob job : jobs.values()) {
            job.expectRestart();
        }
        jobs.get(WorkloadKind.VALUE).killTaskManager();
        for (BenchJob job : jobs.values()) {
            Instant back = job.awaitBackAtWork();
            CompletedCheckpoint next = job.awaitTriggeredAfter(back);
            assertThat(next.fullSize).isPositive();
        }
    }

    private void check(WorkloadKind kind, BenchJob job) throws Exception {
        BenchPlan plan = plan(kind);
        TotalsPhase totals =
                new TotalsPhase(plan.job(NAME), plan.paths().results(NAME), Workload.PARALLELISM);
        List<Finding> found = totals.of(job);
        assertThat(found).as(kind.label()).hasSize(2);
        assertThat((Double) found.get(0).plain()).as(kind.label()).isPositive();
        assertThat(found.get(1).plain()).as(kind.label()).isEqualTo(1.0);
    }

    private BenchPlan plan(WorkloadKind kind) {
        Path project = Path.of("..").toAbsolutePath().normalize();
        return new BenchPlan(
                        new BenchPaths(
                                project,
                                directory.resolve(kind.label()),
                                Path.of(System.getProperty("java.home"))))
                .workload(new Workload(kind, new Updates(200, 0.5), 500, 100))
                .rhythm(Duration.ofSeconds(1), Duration.ofSeconds(3))
                .timing(new Timing(Duration.ZERO, Duration.ofSeconds(10)))
                .settings(
                        Map.of(
                                "env.java.opts.jobmanager", SHORT_LIVED,
                                "env.java.opts.taskmanager", SHORT_LIVED))
                .tolerableFailures(10)
                .recoveryLimit(Duration.ofMinutes(5));
    }
}
