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

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Fails a checkpoint that is not persisted some time after its timeout. By then the JobManager has
 * aborted it, but the abort may not arrive: a task that has read all its input takes no more mails,
 * and does not end before its checkpoints.
 *
 * <p>Thread-safe.
 */
final class CheckpointDeadline {
    /** An abort is mostly here by then. */
    private static final Duration MARGIN = Duration.ofMinutes(1);

    private final Duration timeout;
    private final ScheduledExecutorService timer;

    /**
     * @param timeout after which the JobManager aborts a checkpoint
     */
    CheckpointDeadline(Duration timeout, ScheduledExecutorService timer) {
        this.timeout = requireNonNull(timeout);
        this.timer = requireNonNull(timer);
    }

    /** Returns the same future, which fails at the deadline unless it completes before. */
    <T> CompletableFuture<T> limit(long checkpointId, CompletableFuture<T> persisted) {
        Future<?> expiry =
                timer.schedule(
                        () -> persisted.completeExceptionally(expired(checkpointId)),
                        timeout.plus(MARGIN).getSeconds(),
                        TimeUnit.SECONDS);
        persisted.whenComplete((result, failure) -> expiry.cancel(false));
        return persisted;
    }

    private TimeoutException expired(long checkpointId) {
        return new TimeoutException(
                "Checkpoint "
                        + checkpointId
                        + " is not persisted, its timeout of "
                        + timeout.getSeconds()
                        + " s is over, and no abort has come. See why the store does not take the"
                        + " log or the state.");
    }
}
