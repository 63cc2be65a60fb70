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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.changelog.option.ReplayOptions;
import io.dstl.changelog.replay.BackgroundReplay;
import io.dstl.materializer.ReplayRate;
import java.util.List;
import java.util.Optional;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The logs that the tasks of a process replay while they run. A checkpoint waits for all of them,
 * so together they must not take longer than its timeout allows. A log that is refused is replayed
 * before its task runs, when no checkpoint has begun.
 *
 * <p>Thread-safe.
 */
final class BackgroundLoad {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundLoad.class);

    private final int processors;

    @GuardedBy("this")
    private long bytes;

    /**
     * @param processors that the replays share, each of which takes one
     */
    BackgroundLoad(int processors) {
        this.processors = processors;
    }

    /**
     * Admits the replay of one task's logs, until the result is closed. Logs the refusal.
     *
     * @param task that is being restored
     * @param rate at which one processor replays
     */
    Optional<AutoCloseable> admit(
            KeyedStateBackendParameters<?> task,
            List<ChangelogStateBackendHandle> handles,
            ReplayRate rate) {
        Environment env = task.getEnv();
        // With NO_CLAIM the first checkpoint of a job's first attempt is a full one.
        boolean beforeFull =
                env.getTaskInfo().getAttemptNumber() == 0
                        || MaterializedBase.Handles.remote(handles)
                                .reachBeyond(task.getKeyGroupRange());
        return admit(
                task.getOperatorIdentifier(),
                BackgroundReplay.contentBytes(handles, ReplayOptions.isLogCompressed(env)),
                ReplayOptions.longestInBackground(env, rate.bytesPerSecond(), beforeFull));
    }

    /**
     * Admits the replay of one task's logs, until the result is closed. Logs the refusal.
     *
     * @param operator for the log
     * @param ofTask bytes of its logs
     * @param longest bytes that one processor replays in the time that there is
     */
    Optional<AutoCloseable> admit(String operator, long ofTask, long longest) {
        long others;
        double most = (double) longest * processors;
        synchronized (this) {
            others = bytes;
            if (ofTask <= longest && others + ofTask <= most) {
                bytes += ofTask;
                return Optional.of(() -> leave(ofTask));
            }
        }
        LOG.info(
                "{} runs only once its logs are replayed: they have up to {} bytes, those of other"
                        + " tasks that run {}, and a checkpoint would wait for that. With more than"
                        + " {}, or {} in all, it could expire",
                operator,
                ofTask,
                others,
                longest,
                (long) most);
        return Optional.empty();
    }

    private synchronized void leave(long ofTask) {
        bytes -= ofTask;
    }
}
