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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;

/**
 * What can be materialized: one keyed state backend of one task.
 *
 * <p><b>Threading.</b> Every method is called on the task thread (through its mailbox); only the
 * {@link RunnableFuture} of a {@link Materialization} runs elsewhere.
 *
 * <p><b>Order.</b> {@link #begin} is called when the target is {@link #ready}, and not called again
 * before the materialization it returned has ended by exactly one of {@link #complete}, {@link
 * #fail} or {@link #cancel}; a {@link #prepareLog} or {@link #complete} that throws has not ended
 * it and is followed by {@link #fail}.
 */
public interface MaterializationTarget {

    /**
     * Whether one may begin: if not, the outcome of a checkpoint may change that, such as the
     * confirmation of the last materialization.
     */
    boolean ready();

    /** What the last checkpoint consists of; empty as long as none with the current base has. */
    Optional<LogSize> size();

    /**
     * What to do on another thread, so that {@link #begin} keeps the task thread for a short time
     * only. It may block, and what it fails with is of no consequence.
     *
     * @return empty if there is nothing to do
     */
    Optional<Runnable> ahead();

    /**
     * Takes the synchronous part of a snapshot of the delegate, under an id of the target's own
     * series, since it takes other snapshots as well.
     *
     * @return empty when there is nothing to materialize: no change since the last one
     * @throws Exception if the delegate's synchronous part fails; nothing has begun then
     */
    Optional<Materialization> begin() throws Exception;

    /**
     * The snapshot is durable. Writes the next part of what the log after it has to hold before
     * {@link #complete} may be called; checkpoints may be taken between two parts.
     *
     * @return empty when there is no more to be written; else completed, by any thread, as soon as
     *     the log takes the next part
     */
    Optional<CompletableFuture<?>> prepareLog(Materialization materialization) throws Exception;

    /**
     * The snapshot is durable and the log after it is whole: the next checkpoint refers to it, and
     * no longer to the log before it.
     */
    void complete(Materialization materialization, SnapshotResult<KeyedStateHandle> result)
            throws Exception;

    /** The snapshot failed; the log before it stays. */
    void fail(MaterializationId id, Throwable cause);

    /** The snapshot is given up, as the task ends. */
    void cancel(MaterializationId id);
}
