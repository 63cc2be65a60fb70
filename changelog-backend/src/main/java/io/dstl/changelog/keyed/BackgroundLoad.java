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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.changelog.option.ReplayOptions;
import io.dstl.changelog.replay.BackgroundReplay;
import io.dstl.materializer.ReplayRate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which logs the tasks of a process replay while they run. A checkpoint waits for all of
 * them, and the job restarts if it expires. A log that is refused is replayed before its task runs,
 * when no checkpoint has begun.
 *
 * <p>A measured rate is that of a task beside those that were restored with it. Until one is known,
 * all tasks share a guess for each processor.
 *
 * <p>If such a replay is cancelled, as by a checkpoint that expires, the next attempt of its job
 * has none: the guess may have been wrong, and would be so again.
 *
 * <p>Thread-safe.
 */
final class BackgroundLoad {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundLoad.class);

    /** Jobs that are remembered. */
    private static final int MOST_JOBS = 64;

    private final int processors;

    /** The last attempt of each job in which such a replay was cancelled; the oldest first. */
    @GuardedBy("this")
    private final Map<JobID, Integer> cancelled = new LinkedHashMap<>();

    @GuardedBy("this")
    private long bytes;

    /**
     * @param processors that the replays share
     */
    BackgroundLoad(int processors) {
        this.processors = processors;
    }

    /**
     * Admits the replay of one task's logs, until the result is closed. Logs the refusal.
     *
     * @param task that is being restored
     * @param rate at which this process has replayed logs
     * @param isCancelled asked when the result is closed
     */
    Optional<AutoCloseable> admit(
            KeyedStateBackendParameters<?> task,
            List<ChangelogStateBackendHandle> handles,
            ReplayRate rate,
            BooleanSupplier isCancelled) {
        Environment env = task.getEnv();
        int attempt = env.getTaskInfo().getAttemptNumber();
        // With NO_CLAIM the first checkpoint of a job's first attempt is a full one.
        boolean beforeFull =
                attempt == 0
                        || MaterializedBase.Handles.remote(handles)
                                .reachBeyond(task.getKeyGroupRange());
        OptionalDouble measured = rate.bytesPerSecond();
        long longest =
                ReplayOptions.longestInBackground(
                        ReplayOptions.checkpointTimeout(env), measured, beforeFull);
        return admit(
                new Logs(
                        task.getOperatorIdentifier(),
                        task.getJobID(),
                        attempt,
                        BackgroundReplay.contentBytes(handles, ReplayOptions.isLogCompressed(env)),
                        isCancelled),
                longest,
                measured.isPresent() ? Double.MAX_VALUE : (double) longest * processors);
    }

    /**
     * @param longest bytes of one task's logs
     * @param most bytes of all such logs together
     */
    Optional<AutoCloseable> admit(Logs logs, long longest, double most) {
        if (wasCancelled(logs)) {
            LOG.info(
                    "{} runs only once its logs are replayed: in the attempt before, a replay beside"
                            + " its task was cancelled, as by a checkpoint that expired",
                    logs.operator);
            return Optional.empty();
        }
        long all;
        synchronized (this) {
            all = bytes + logs.bytes;
            if (logs.bytes <= longest && all <= most) {
                bytes = all;
                return Optional.of(() -> end(logs));
            }
        }
        LOG.info(
                "{} runs only once its logs are replayed: they have up to {} bytes, with those of"
                        + " other tasks {}, and a checkpoint would wait for that. With more than {},"
                        + " or {} in all, it could expire",
                logs.operator,
                logs.bytes,
                all,
                longest,
                (long) most);
        return Optional.empty();
    }

    private synchronized boolean wasCancelled(Logs logs) {
        Integer attempt = cancelled.get(logs.job);
        if (attempt != null && logs.attempt > attempt + 1) {
            cancelled.remove(logs.job);
            return false;
        }
        return attempt != null && logs.attempt > attempt;
    }

    private synchronized void end(Logs logs) {
        bytes -= logs.bytes;
        if (logs.isCancelled.getAsBoolean()) {
            cancelled.remove(logs.job);
            cancelled.put(logs.job, logs.attempt);
            if (cancelled.size() > MOST_JOBS) {
                cancelled.remove(cancelled.keySet().iterator().next());
            }
        }
    }

    /** Bytes of the logs that are admitted now. */
    synchronized long bytes() {
        return bytes;
    }

    /** The logs of one task, in one attempt. */
    static final class Logs {
        private final String operator;
        private final JobID job;
        private final int attempt;
        private final long bytes;
        private final BooleanSupplier isCancelled;

        /**
         * @param operator for the log lines
         * @param bytes without compression
         * @param isCancelled whether their replay was cancelled; asked at its end
         */
        Logs(String operator, JobID job, int attempt, long bytes, BooleanSupplier isCancelled) {
            this.operator = requireNonNull(operator);
            this.job = requireNonNull(job);
            this.attempt = attempt;
            this.bytes = bytes;
            this.isCancelled = requireNonNull(isCancelled);
        }
    }
}
