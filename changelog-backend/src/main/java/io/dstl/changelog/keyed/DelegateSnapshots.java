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

import io.dstl.changelog.keyed.KeyedCheckpoints.SnapshotFuture;
import io.dstl.materializer.Materialization;
import io.dstl.materializer.Materialization.MaterializationId;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.function.Supplier;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.clock.Clock;

/**
 * Takes snapshots of the delegate, each at a known position of the log.
 *
 * <p>Owns the ids that the delegate takes for checkpoint ids. They grow with each snapshot, and
 * start above every id that the delegate knows from before a restore, since it compares them.
 *
 * <p>Threading: the task thread.
 */
final class DelegateSnapshots<K> {
    private final AbstractKeyedStateBackend<K> delegate;
    private final StateChangelogWriter<?> writer;
    private final LoggedStateDirectory<K> states;
    private final Supplier<TaskOwnedStreams> taskOwned;
    private final Clock clock;

    private MaterializationId last;

    /** Of the last materialization, not of a savepoint. */
    private Optional<MaterializationId> lastBegun = Optional.empty();

    /** The number of states that were registered then. */
    private int registered;

    DelegateSnapshots(
            AbstractKeyedStateBackend<K> delegate,
            StateChangelogWriter<?> writer,
            LoggedStateDirectory<K> states,
            Supplier<TaskOwnedStreams> taskOwned,
            Clock clock,
            MaterializationId lastRestored) {
        this.delegate = requireNonNull(delegate);
        this.writer = requireNonNull(writer);
        this.states = requireNonNull(states);
        this.taskOwned = requireNonNull(taskOwned);
        this.clock = requireNonNull(clock);
        this.last = requireNonNull(lastRestored);
    }

    /** The end of the log now, exclusive. */
    SequenceNumber logEnd() {
        return writer.nextSequenceNumber();
    }

    /**
     * Takes the synchronous part of a snapshot into task-owned files. The log after it is readable
     * on top of the snapshot alone: the queues that the delegate leaves out of its snapshots are
     * written in full at once, as the checkpoint of this snapshot has to hold them.
     */
    Materialization take(CheckpointOptions options) throws Exception {
        Materialization begun = begin(options);
        try {
            states.rewriteQueues().finish();
        } catch (Throwable t) {
            begun.upload().cancel(true);
            throw t;
        }
        return begun;
    }

    /**
     * Takes the synchronous part of a snapshot into task-owned files. The log after it is readable
     * on top of the snapshot alone as soon as {@link LoggedStateDirectory#rewriteQueues} has ended.
     */
    Materialization begin(CheckpointOptions options) throws Exception {
        SequenceNumber upTo = logEnd();
        last = last.next();
        TaskOwnedStreams streams = taskOwned.get();
        states.settle();
        RunnableFuture<SnapshotResult<KeyedStateHandle>> upload =
                delegate.snapshot(last.value(), clock.absoluteTimeMillis(), streams, options);
        lastBegun = Optional.of(last);
        registered = states.names().size();
        states.startLog();
        return new Materialization(last, upTo, new ClosingStreams(upload, streams), streams);
    }

    /** Whether this is the last materialization, and no state was registered since. */
    boolean hasAllStates(MaterializationId id) {
        return lastBegun.equals(Optional.of(id)) && registered == states.names().size();
    }

    /**
     * An upload that leaves no stream open, however it ends, and no file if nobody gets its result.
     * One that was cancelled may have ended well all the same. Of one that has failed Flink deletes
     * what was stored, in one attempt, when the store has most likely just refused the next file.
     *
     * <p>Thread-safe.
     */
    private static final class ClosingStreams
            extends SnapshotFuture<SnapshotResult<KeyedStateHandle>> {
        private final Runnable upload;
        private final TaskOwnedStreams streams;

        ClosingStreams(
                RunnableFuture<SnapshotResult<KeyedStateHandle>> upload, TaskOwnedStreams streams) {
            super(upload);
            this.upload = upload;
            this.streams = streams;
        }

        @Override
        public void run() {
            try {
                streams.run(upload);
            } finally {
                if (!hasResult()) {
                    streams.discard();
                }
            }
        }

        private boolean hasResult() {
            if (!isDone() || isCancelled()) {
                return false;
            }
            try {
                get();
                return true;
            } catch (CancellationException | ExecutionException e) {
                return false;
            } catch (InterruptedException e) {
                throw new IllegalStateException("Nobody waits for what is done", e);
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            streams.close();
            return cancelled;
        }
    }

    /**
     * Takes a snapshot that stands alone, for a native savepoint. Its id is of the same series, as
     * the delegate names local directories after it.
     */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> takeSavepoint(
            long timestamp, CheckpointStreamFactory streams, CheckpointOptions options)
            throws Exception {
        last = last.next();
        states.settle();
        return delegate.snapshot(last.value(), timestamp, streams, options);
    }

    /** The snapshot is part of a completed checkpoint: the next one may reuse its files. */
    void confirm(MaterializationId id) throws Exception {
        delegate.notifyCheckpointComplete(id.value());
    }

    /** The snapshot has failed or was cancelled. */
    void forget(MaterializationId id) {
        try {
            delegate.notifyCheckpointAborted(id.value());
        } catch (Exception e) {
            throw new FlinkRuntimeException("The delegate cannot forget snapshot " + id, e);
        }
    }
}
