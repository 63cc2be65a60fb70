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

import io.dstl.bench.job.ValueJob;
import io.dstl.e2e.cluster.FlinkProcess;
import io.dstl.e2e.cluster.LocalCluster;
import io.dstl.e2e.progress.Progress;
import io.dstl.e2e.rest.CheckpointStatistics;
import io.dstl.e2e.rest.CompletedCheckpoint;
import io.dstl.e2e.rest.JobId;
import io.dstl.e2e.rest.JobStatus;
import io.dstl.e2e.rest.JobSubmission;
import io.dstl.e2e.wait.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** A job on a cluster of one TaskManager, watched from outside. For one thread. */
final class BenchJob {
    /** Longer than any checkpoint may take before Flink gives it up. */
    private static final Duration LIMIT = Duration.ofMinutes(11);

    private final String label;
    private final LocalCluster cluster;
    private final JobId job;
    private final Await await;
    private final Clock clock;
    private final Progress progress;

    private BenchJob(
            String label,
            LocalCluster cluster,
            JobId job,
            Await await,
            Clock clock,
            Progress progress) {
        this.label = label;
        this.cluster = cluster;
        this.job = job;
        this.await = await;
        this.clock = clock;
        this.progress = progress;
    }

    static BenchJob submit(
            Variant variant, LocalCluster cluster, StoragePlan plan, Instruments instruments)
            throws IOException, InterruptedException {
        Path jar = plan.paths().jobJar();
        Workload workload = plan.workload();
        JobId job =
                cluster.rest()
                        .run(
                                cluster.rest().upload(jar),
                                JobSubmission.fresh(
                                        workload.mainClass(),
                                        workload.arguments(),
                                        Workload.PARALLELISM));
        return new BenchJob(
                variant.label(),
                cluster,
                job,
                instruments.await(),
                instruments.clock(),
                instruments.progress());
    }

    /** Waits until the first checkpoint is complete. */
    void awaitFirstCheckpoint() throws IOException, InterruptedException {
        awaitSeen("the first checkpoint", seen -> seen.latest());
    }

    /** Lets that much time pass while the job runs. */
    void runFor(String what, Duration time) throws IOException, InterruptedException {
        Instant end = clock.instant().plus(time);
        awaitSeen(
                what, seen -> clock.instant().isBefore(end) ? Optional.empty() : Optional.of(end));
    }

    /**
     * Waits until a checkpoint that was triggered at or after that moment is complete, and with it,
     * as only one is under way at a time, all that were triggered before.
     */
    CompletedCheckpoint awaitTriggeredAfter(Instant moment)
            throws IOException, InterruptedException {
        return awaitSeen(
                "a checkpoint",
                seen ->
                        seen.history().stream()
                                .filter(one -> !one.triggered().isBefore(moment))
                                .findFirst());
    }

    Sample sample() throws IOException, InterruptedException {
        JobStatus status = cluster.rest().status(job);
        return new Sample(
                clock.instant(), checkpoints(), status.recordsRead(ValueJob.STATE), cpu());
    }

    CheckpointStatistics checkpoints() throws IOException, InterruptedException {
        return cluster.rest().checkpoints(job);
    }

    private Duration cpu() {
        FlinkProcess taskManager = cluster.taskManagers().get(0);
        return ProcessHandle.of(taskManager.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "the system does not tell how much CPU "
                                                + taskManager.name()
                                                + " has used"));
    }

    /** What is looked for among the checkpoints; empty while it is not there. */
    private interface Wanted<T> {
        Optional<T> in(CheckpointStatistics seen);
    }

    private <T> T awaitSeen(String what, Wanted<T> wanted)
            throws IOException, InterruptedException {
        return await.until(
                what + " (" + label + ")", LIMIT, cluster.probe(() -> look(what, wanted)));
    }

    private <T> Optional<T> look(String what, Wanted<T> wanted)
            throws IOException, InterruptedException {
        JobStatus status = cluster.rest().status(job);
        if (status.failed() || status.finished()) {
            throw new IOException(
                    "job "
                            + job
                            + " is "
                            + status.state()
                            + ": "
                            + cluster.rest().rootException(job).orElse("no reason is known"));
        }
        CheckpointStatistics seen = checkpoints();
        progress.show(
                String.format(
                        Locale.ROOT,
                        "%-6s %-20s %s, %d checkpoints, %d failed, %d restarts",
                        label,
                        what,
                        status.state().toLowerCase(Locale.ROOT),
                        seen.completed(),
                        seen.failed(),
                        seen.restored()));
        return wanted.in(seen);
    }
}
