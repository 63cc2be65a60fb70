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
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.util.clock.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which logs the tasks of a process replay while they run. A checkpoint waits for all of
 * them, and the job restarts if it expires. A log that is refused is replayed before its task runs,
 * when no checkpoint has begun.
 *
 * <p>The first checkpoint of a job may be a full one, which uploads the whole state after the
 * replay: Flink takes such ones with NO_CLAIM until one completes. So until this process has seen
 * that, less time is left for a replay.
 *
 * <p>If such a replay is cancelled when its task has run beside it for as long as a checkpoint may
 * take, the job has none here until a checkpoint completes: it would restart for the same reason
 * again and again. No checkpoint begins before the task runs, however long its base takes.
 *
 * <p>Thread-safe.
 */
final class BackgroundLoad {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundLoad.class);

    /** Jobs that are remembered. */
    static final int MOST_JOBS = 1000;

    /** What is known of a job's checkpoints. */
    private enum Checkpoints {
        COMPLETE,
        EXPIRE
    }

    private final int processors;
    private final Clock clock;

    /** In the order in which what is known of them was seen. */
    @GuardedBy("this")
    private final Map<JobID, Checkpoints> jobs = new LinkedHashMap<>();

    @GuardedBy("this")
    private final List<Admitted> admitted = new ArrayList<>();

    /**
     * @param processors that the replays share
     */
    BackgroundLoad(int processors, Clock clock) {
        this.processors = processors;
        this.clock = requireNonNull(clock);
    }

    /**
     * Admits the replay of one task's logs, until the result is closed. Logs the refusal.
     *
     * @param task that is being restored
     * @param rate at which this process has replayed logs
     * @param isCancelled asked when the result is closed
     */
    Optional<Admission> admit(
            KeyedStateBackendParameters<?> task,
            List<ChangelogStateBackendHandle> handles,
            ReplayRate rate,
            BooleanSupplier isCancelled) {
        Environment env = task.getEnv();
        Duration timeout = ReplayOptions.checkpointTimeout(env);
        boolean beforeFull =
                !isProven(task.getJobID())
                        || MaterializedBase.Handles.remote(handles)
                                .reachBeyond(task.getKeyGroupRange());
        return admit(
                new Logs(
                        task.getOperatorIdentifier(),
                        task.getJobID(),
                        BackgroundReplay.contentBytes(handles, ReplayOptions.isLogCompressed(env)),
                        timeout,
                        isCancelled),
                ReplayOptions.longestInBackground(timeout, rate.bytesPerSecond(), beforeFull));
    }

    /**
     * @param longest bytes of one task's logs. All such logs together may have as many for each
     *     processor: the rate is that of a task, with how many others beside it is not known. Where
     *     jobs differ, as by their checkpoints' timeouts, each log counts as the part that it is of
     *     its own longest
     */
    Optional<Admission> admit(Logs logs, long longest) {
        long others;
        long left;
        synchronized (this) {
            others = bytes();
            double processorsLeft =
                    processors - admitted.stream().mapToDouble(Admitted::processors).sum();
            left = Math.max(0, Math.min(longest, Math.round(longest * processorsLeft)));
            if (jobs.get(logs.job) != Checkpoints.EXPIRE && logs.bytes <= left) {
                Admitted next = new Admitted(logs, longest);
                admitted.add(next);
                return Optional.of(next);
            }
        }
        if (logs.bytes <= left) {
            LOG.info(
                    "{} runs only once its logs are replayed: a replay beside a task of this job has"
                            + " taken as long as a checkpoint may, and no checkpoint has completed"
                            + " since",
                    logs.operator);
        } else {
            LOG.info(
                    "{} runs only once its logs are replayed: they have up to {} bytes, beside {} of"
                            + " other tasks, and a checkpoint would wait for that. With more than {}"
                            + " it could expire",
                    logs.operator,
                    logs.bytes,
                    others,
                    left);
        }
        return Optional.empty();
    }

    /** A checkpoint of the job has completed. */
    synchronized void completed(JobID job) {
        if (!isProven(job)) {
            remember(job, Checkpoints.COMPLETE);
        }
    }

    /**
     * Whether a checkpoint of the job has completed, and no replay may have let one expire since.
     */
    synchronized boolean isProven(JobID job) {
        return jobs.get(job) == Checkpoints.COMPLETE;
    }

    @GuardedBy("this")
    private void remember(JobID job, Checkpoints seen) {
        jobs.remove(job);
        jobs.put(job, seen);
        if (jobs.size() > MOST_JOBS) {
            jobs.remove(jobs.keySet().iterator().next());
        }
    }

    /** Bytes of the logs that are admitted now. */
    synchronized long bytes() {
        return admitted.stream().mapToLong(each -> each.logs.bytes).sum();
    }

    /** Of the replay of one task's logs, until it is closed. Thread-safe. */
    interface Admission extends AutoCloseable {

        /** The task no longer waits for the replay: checkpoints do from now on. */
        void taskRuns();

        @Override
        void close();
    }

    /** The logs of one task, while they are replayed. */
    private final class Admitted implements Admission {
        private final Logs logs;
        private final long longest;

        @GuardedBy("BackgroundLoad.this")
        private OptionalLong runsSince = OptionalLong.empty();

        Admitted(Logs logs, long longest) {
            this.logs = logs;
            this.longest = longest;
        }

        @Override
        public void taskRuns() {
            synchronized (BackgroundLoad.this) {
                runsSince = OptionalLong.of(clock.relativeTimeMillis());
            }
        }

        @Override
        public void close() {
            synchronized (BackgroundLoad.this) {
                admitted.remove(this);
                if (mayHaveLetACheckpointExpire()) {
                    remember(logs.job, Checkpoints.EXPIRE);
                }
            }
        }

        @GuardedBy("BackgroundLoad.this")
        private boolean mayHaveLetACheckpointExpire() {
            long now = clock.relativeTimeMillis();
            return runsSince.isPresent()
                    && now - runsSince.getAsLong() >= logs.timeout.toMillis()
                    && logs.isCancelled.getAsBoolean();
        }

        /** How many keep them as long as a replay of their job may take. */
        double processors() {
            return logs.bytes == 0 ? 0 : (double) logs.bytes / longest;
        }
    }

    /** The logs of one task. */
    static final class Logs {
        private final String operator;
        private final JobID job;
        private final long bytes;
        private final Duration timeout;
        private final BooleanSupplier isCancelled;

        /**
         * @param operator for the log lines
         * @param bytes without compression
         * @param timeout of a checkpoint
         * @param isCancelled whether their replay was cancelled; asked at its end
         */
        Logs(
                String operator,
                JobID job,
                long bytes,
                Duration timeout,
                BooleanSupplier isCancelled) {
            this.operator = requireNonNull(operator);
            this.job = requireNonNull(job);
            this.bytes = bytes;
            this.timeout = requireNonNull(timeout);
            this.isCancelled = requireNonNull(isCancelled);
        }
    }
}
