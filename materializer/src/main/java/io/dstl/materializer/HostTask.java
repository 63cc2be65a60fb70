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
package io.dstl.materializer;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a task that its {@link Materializer}, its full checkpoints and its replay use. Owns
 * none.
 */
public final class HostTask {

    private static final Logger LOG = LoggerFactory.getLogger(HostTask.class);

    private final String name;
    private final MailboxExecutor mailbox;
    private final UploadLane uploads;
    private final Consumer<SnapshotResult<KeyedStateHandle>> deletion;
    private final Consumer<Throwable> failExternally;
    private final UnaryOperator<Throwable> redaction;

    /**
     * @param name with the subtask, for logs and errors
     * @param mailbox runs commands on the task thread
     * @param uploads runs the uploads; may block there
     * @param deletion deletes a result of an upload that nobody takes over; any thread, does not
     *     block
     * @param failExternally fails the job; any thread
     * @param redaction removes secrets from a failure that is logged or fails the job
     */
    public HostTask(
            String name,
            MailboxExecutor mailbox,
            UploadLane uploads,
            Consumer<SnapshotResult<KeyedStateHandle>> deletion,
            Consumer<Throwable> failExternally,
            UnaryOperator<Throwable> redaction) {
        this.name = requireNonNull(name);
        this.mailbox = requireNonNull(mailbox);
        this.uploads = requireNonNull(uploads);
        this.deletion = requireNonNull(deletion);
        this.failExternally = requireNonNull(failExternally);
        this.redaction = requireNonNull(redaction);
    }

    public String name() {
        return name;
    }

    /**
     * Runs the command on the task thread. If the mailbox takes no more commands, the task is about
     * to end, and the command does not run. Any thread.
     *
     * @return false if the mailbox takes no more commands
     */
    public boolean post(ThrowingRunnable<Exception> command, String description) {
        try {
            mailbox.execute(command, description);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.debug("{}: not any more, {} ends", description, name, e);
            return false;
        }
    }

    public UploadLane uploads() {
        return uploads;
    }

    /** Deletes a result that nobody takes over. Does not block. Any thread. */
    void delete(SnapshotResult<KeyedStateHandle> result) {
        deletion.accept(result);
    }

    Throwable shown(Throwable failure) {
        return redaction.apply(failure);
    }

    void fail(Throwable cause) {
        failExternally.accept(cause);
    }
}
