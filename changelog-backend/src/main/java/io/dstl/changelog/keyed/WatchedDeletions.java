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
package io.dstl.changelog.keyed;

import static java.util.Objects.requireNonNull;

import io.dstl.materializer.UploadLane.Ticket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.flink.api.common.JobID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the deletions of a job one after the other, and leaves one that hangs to itself, so that it
 * does not keep all later ones waiting. Any thread.
 */
final class WatchedDeletions implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedDeletions.class);

    private final JobID job;
    private final Function<Runnable, Ticket> lane;
    private final ScheduledExecutorService timer;
    private final Duration allowed;

    /**
     * @param lane runs them; a ticket that is given up lets the next one begin
     * @param allowed how long one may take
     */
    WatchedDeletions(
            JobID job,
            Function<Runnable, Ticket> lane,
            ScheduledExecutorService timer,
            Duration allowed) {
        this.job = requireNonNull(job);
        this.lane = requireNonNull(lane);
        this.timer = requireNonNull(timer);
        this.allowed = requireNonNull(allowed);
    }

    @Override
    public void execute(Runnable deletion) {
        CompletableFuture<Ticket> ticket = new CompletableFuture<>();
        ticket.complete(lane.apply(() -> run(deletion, ticket)));
    }

    private void run(Runnable deletion, CompletableFuture<Ticket> ticket) {
        Future<?> limit =
                timer.schedule(
                        () -> ticket.thenAccept(this::giveUp),
                        allowed.toMillis(),
                        TimeUnit.MILLISECONDS);
        try {
            deletion.run();
        } finally {
            limit.cancel(false);
        }
    }

    private void giveUp(Ticket ticket) {
        LOG.warn(
                "A deletion of materialized state of job {}, or of its local copies, has taken {}: it"
                        + " is interrupted, and others go on. See that the file system can be"
                        + " reached from here",
                job,
                allowed);
        ticket.giveUp();
    }
}
