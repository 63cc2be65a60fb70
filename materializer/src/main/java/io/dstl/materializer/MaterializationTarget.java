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

import io.dstl.materializer.Materialization.MaterializationId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;

/**
 * The keyed state backend of one task, as far as it is materialized.
 *
 * <p><b>Threading.</b> Every method is called on the task thread (through its mailbox); only the
 * {@link RunnableFuture} of a {@link Materialization} runs elsewhere.
 *
 * <p><b>Order.</b> {@link #begin} is called when the target is {@link #ready}, and not again before
 * the materialization it returned has ended by exactly one of {@link #complete}, {@link #fail} or
 * {@link #cancel}. If {@link #prepareLog} or {@link #complete} throws, the materialization has not
 * ended, and {@link #fail} follows.
 */
public interface MaterializationTarget {

    /**
     * Whether a materialization may begin: not before the last one is confirmed, for example. The
     * outcome of a checkpoint may change the answer. May block until the replay of the log has
     * ended.
     */
    boolean ready();

    /** Size of the last checkpoint; empty before the first checkpoint with the current base. */
    Optional<LogSize> size();

    /**
     * Work for another thread, so that {@link #begin} keeps the task thread for a short time only.
     *
     * @return empty if there is nothing to do, or too little to do it again
     */
    Optional<WorkAhead> flushAhead(Flush which);

    /** May block; its failures are ignored. */
    @FunctionalInterface
    interface WorkAhead {
        /**
         * @return for how long it has only waited, for what would have been done without it too
         */
        Duration run();
    }

    /** The place of such work ahead of one snapshot. */
    enum Flush {
        FIRST,
        /** Some has just ended, and this is about what the task has written meanwhile. */
        AGAIN,
        /** The same, and the snapshot follows at once. */
        LAST
    }

    /**
     * Puts {@link #begin} off to the next completed checkpoint, if it would keep the task thread
     * for long. Called when the target is ready, and only then.
     *
     * @return whether it is put off: not for ever, in a row
     */
    boolean putOff();

    /**
     * Takes the synchronous part of a snapshot of the delegate, under an id of the target's own
     * series, since the target takes other snapshots as well.
     *
     * @return empty if there is nothing to materialize: no change since the last one
     * @throws Exception if the delegate's synchronous part fails; no materialization has begun then
     */
    Optional<Materialization> begin() throws Exception;

    /**
     * The snapshot is durable. Writes the next part of the log that has to be complete before
     * {@link #complete} may be called; checkpoints may be taken between two parts.
     *
     * @return empty when all parts are written; else a future that any thread completes as soon as
     *     the log takes the next part
     */
    Optional<CompletableFuture<?>> prepareLog(Materialization materialization) throws Exception;

    /**
     * The snapshot is durable and the log after it is whole: the next checkpoint refers to this
     * snapshot and no longer to the log before it. If this throws, that is not so, and the caller
     * deletes the result.
     */
    void complete(Materialization materialization, SnapshotResult<KeyedStateHandle> result)
            throws Exception;

    /**
     * Whether the store works but wants fewer requests. Such a failure does not count: a restart of
     * the job would read the whole state from that store.
     */
    boolean isThrottled(Throwable failure);

    /** The snapshot failed; the log before it stays. */
    void fail(MaterializationId id, Throwable cause);

    /** The snapshot is given up, as the task ends. */
    void cancel(MaterializationId id);
}
