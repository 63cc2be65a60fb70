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
package io.dstl.e2e.scenario;

import io.dstl.e2e.scenario.FlightRate.FlightCount;
import io.dstl.harness.cluster.LocalCluster;
import io.dstl.harness.progress.Progress;
import io.dstl.harness.report.Figure;
import io.dstl.harness.rest.CheckpointStatistics;
import io.dstl.harness.rest.JobStatus;
import io.dstl.harness.rest.JobSubmission.JobId;
import io.dstl.harness.wait.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * Follows one job until it gets somewhere, and shows how far it is meanwhile. For one thread.
 *
 * <p>A job that fails, or a process that dies, ends the waiting with the reason. Does not own the
 * job.
 */
final class JobWatch {
    /** The operator that reads each flight once. */
    private static final String COUNTING_OPERATOR = "aircraft";

    private static final String MATERIALIZATIONS =
            "ChangelogMaterialization_completedMaterialization";

    private static final Duration STALL_LIMIT = Duration.ofSeconds(120);

    private final LocalCluster cluster;
    private final JobId job;
    private final String label;
    private final FlightCount total;
    private final Await await;
    private final Progress progress;

    /** Where the counters of the job's present tasks started. */
    private FlightCount start;

    private FlightCount reached;
    private int completed;

    /** Not during a restart: the counters may be those of the tasks that died. */
    private boolean counting = true;

    /**
     * @param label what the reader knows the job by
     * @param start how many flights the state that the job starts from accounts for
     */
    JobWatch(Stage stage, LocalCluster cluster, JobId job, String label, FlightCount start) {
        this.cluster = cluster;
        this.job = job;
        this.label = label;
        this.start = start;
        this.reached = start;
        this.total = stage.total;
        this.await = stage.await();
        this.progress = stage.progress();
    }

    JobId job() {
        return job;
    }

    /**
     * How far the job has come; after a restart an estimate, too high by less than a checkpoint.
     */
    FlightCount reached() {
        return reached;
    }

    CheckpointStatistics checkpoints() throws IOException, InterruptedException {
        return cluster.rest().checkpoints(job);
    }

    /** Waits until the job has read that share of its input and completed so many checkpoints. */
    CheckpointStatistics awaitShare(double share, int checkpoints)
            throws IOException, InterruptedException {
        String what =
                String.format(
                        Locale.ROOT,
                        "%.0f%% of the input and %d checkpoints",
                        share * 100,
                        checkpoints);
        return awaitState(
                what,
                seen -> {
                    if (seen.status.finished()) {
                        throw new IllegalStateException(
                                "job "
                                        + job
                                        + " finished before "
                                        + what
                                        + ": give a larger --scale or a lower --rate");
                    }
                    return reached.shareOf(total) >= share
                            && seen.checkpoints.completed >= checkpoints;
                });
    }

    /** Waits until the tasks are back at work and a checkpoint has been completed since. */
    CheckpointStatistics awaitRestored(int restoredBefore)
            throws IOException, InterruptedException {
        counting = false;
        CheckpointStatistics restored =
                awaitState(
                        "the job's restart from a checkpoint",
                        seen ->
                                seen.checkpoints.restored > restoredBefore
                                        && (seen.status.allTasksAtWork() || seen.status.finished())
                                        && isNewer(seen.checkpoints));
        start = reached;
        counting = true;
        return restored;
    }

    /**
     * Waits until each operator with keyed state has materialized it once, and a checkpoint that
     * began after that is complete: the log that the job was restored from is no longer needed.
     */
    void awaitMaterialized() throws IOException, InterruptedException {
        awaitState(
                "the first materialization",
                seen -> cluster.rest().smallest(job, MATERIALIZATIONS).orElse(0) >= 1);
        int before = completed;
        awaitState(
                "checkpoints after the first materialization",
                seen -> seen.checkpoints.completed >= before + 2);
    }

    /** Waits until the input is read and the results are committed. */
    CheckpointStatistics awaitFinished() throws IOException, InterruptedException {
        return awaitState("the end of the job", seen -> seen.status.finished());
    }

    /** Cancels the job, and waits for its end. */
    CheckpointStatistics cancel() throws IOException, InterruptedException {
        cluster.rest().cancel(job);
        return awaitState("the end of the job", seen -> seen.status.canceled());
    }

    /** Cancels the job; returns the checkpoint that it leaves. */
    String cancelAndRetain() throws IOException, InterruptedException {
        return cancel().latest
                .orElseThrow(() -> new IllegalStateException("job " + job + " left no checkpoint"))
                .path;
    }

    /** Whether the job is where it is awaited. */
    private interface Goal {
        boolean reachedBy(Seen seen) throws IOException, InterruptedException;
    }

    private static boolean isNewer(CheckpointStatistics seen) {
        return seen.latest.isPresent()
                && seen.restoredFrom.isPresent()
                && seen.latest.get().id > seen.restoredFrom.getAsLong();
    }

    private CheckpointStatistics awaitState(String what, Goal there)
            throws IOException, InterruptedException {
        LocalCluster.Question<CheckpointStatistics> question =
                new LocalCluster.Question<CheckpointStatistics>() {
                    @Override
                    public Optional<CheckpointStatistics> ask()
                            throws IOException, InterruptedException {
                        return look(there);
                    }

                    @Override
                    public long progress() {
                        return reached.flights() + completed;
                    }
                };
        return await.until(what + " (" + label + ")", STALL_LIMIT, cluster.probe(question));
    }

    private Optional<CheckpointStatistics> look(Goal there)
            throws IOException, InterruptedException {
        Seen seen = new Seen(cluster.rest().status(job), checkpoints());
        if (seen.status.failed()) {
            throw new IOException(
                    "job " + job + " failed: " + cluster.rest().rootException(job).orElse("?"));
        }
        if (counting) {
            FlightCount seenNow = start.plus(seen.status.recordsRead(COUNTING_OPERATOR));
            reached = reached.max(seenNow).min(total);
        }
        completed = seen.checkpoints.completed;
        progress.show(line(seen));
        return there.reachedBy(seen) ? Optional.of(seen.checkpoints) : Optional.empty();
    }

    private String line(Seen seen) {
        String last =
                seen.checkpoints
                        .latest
                        .map(found -> Figure.DURATION.format(Figure.DURATION.of(found)))
                        .orElse("–");
        return String.format(
                Locale.ROOT,
                "%-13s  %-9s %3.0f%%  %,d of %,d flights  %d checkpoints, the last in %s",
                label,
                seen.status.state().toLowerCase(Locale.ROOT),
                reached.shareOf(total) * 100,
                reached.flights(),
                total.flights(),
                seen.checkpoints.completed,
                last);
    }

    /** What the API said in one round. */
    private static final class Seen {
        private final JobStatus status;
        private final CheckpointStatistics checkpoints;

        Seen(JobStatus status, CheckpointStatistics checkpoints) {
            this.status = status;
            this.checkpoints = checkpoints;
        }
    }
}
