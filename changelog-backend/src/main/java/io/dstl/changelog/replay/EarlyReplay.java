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
package io.dstl.changelog.replay;

import static java.util.Objects.requireNonNull;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.store.Closeables;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.IOUtils;

/**
 * A replay that begins before the delegate exists, on a thread of its own. Meanwhile the task
 * thread restores the materialized part. Then it leaves the delegate to this replay until the end;
 * or the task goes on beside the replay, if that is allowed and the replay only has to write bytes
 * to RocksDB ({@link BackgroundReplay}).
 *
 * <pre>
 *  task thread                        thread of this replay
 *  begin() -------------------------> takes changes in, without the delegate
 *  restores the delegate
 *  finish() -------- base ----------> writes them to the delegate, and goes on; if the task
 *           &lt;------ released -------- may go on: pauses
 *  goOn() --------- mayGoOn --------> goes on beside the task
 *           &lt;------ needsTask ------- met what it can't do beside the task: pauses
 *  reclaim() ------ reclaimed ------> goes on while the task waits
 *           &lt;-------- over ---------- has ended, or failed
 * </pre>
 *
 * <p>Each word in the middle is the future by which one thread tells the other. None of them
 * completes exceptionally.
 *
 * <p>Owns that thread, which has ended when {@link #close()} returns, and the memory for the
 * changes taken in early. Close it before the delegate is disposed of.
 *
 * @param <K> type of the key
 */
public final class EarlyReplay<K> implements AutoCloseable {
    private final BulkReplay early;
    private final DelegateSupport.Spill spill;
    private final EarlyTarget<K> target;
    private final AnnouncedLogs logs;
    private final Optional<LogBeginnings> beginnings;
    private final CompletableFuture<DelegateTarget<K>> base = new CompletableFuture<>();

    /** The states of the log that the delegate has. Completed when the task gets the delegate. */
    private final CompletableFuture<Map<String, StateMetadata>> released =
            new CompletableFuture<>();

    private final CompletableFuture<Void> mayGoOn = new CompletableFuture<>();
    private final CompletableFuture<Void> needsTask = new CompletableFuture<>();
    private final CompletableFuture<Void> reclaimed = new CompletableFuture<>();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final Thread thread;

    /** Set by the thread before its end. */
    private final ReplayOutcome outcome = new ReplayOutcome();

    private long changes;
    private long millis;

    private EarlyReplay(
            LoggedLayout.Keys keys,
            BulkReplay early,
            DelegateSupport.Spill spill,
            Function<ReplayTarget, LogReplay> replays,
            AnnouncedLogs logs,
            Optional<LogBeginnings> beginnings) {
        this.logs = requireNonNull(logs);
        this.beginnings = requireNonNull(beginnings);
        this.early = requireNonNull(early);
        this.spill = requireNonNull(spill);
        this.target = new EarlyTarget<>(keys, early, spill, new TaskThread(), early.clock());
        LogReplay replay = replays.apply(target);
        this.thread = new Thread(() -> run(replay), Thread.currentThread().getName() + " replays");
        thread.setDaemon(true);
    }

    /**
     * Whether there is something to replay, and the delegate is likely to keep its states as the
     * log suggests.
     */
    public static boolean suits(
            StateBackend delegate,
            List<ChangelogStateBackendHandle> handles,
            BulkSettings settings) {
        return settings.isEnabled()
                && DelegateSupport.get().isRaw(delegate)
                && handles.stream()
                        .anyMatch(handle -> !handle.getNonMaterializedStateHandles().isEmpty());
    }

    /**
     * Begins the replay. Only for a delegate that it {@link #suits}.
     *
     * @param keySerializer of this replay alone
     * @param numberOfKeyGroups of the job
     * @param early of one thread; closed with this
     * @param spill for changes that do not fit into memory; closed with this
     * @param replays makes a replay into a target
     * @param logs announced to the source of the replays
     * @param beginnings present if the task may go on before the replay has ended, provided that
     *     these agree; closed with this
     */
    public static <K> EarlyReplay<K> begin(
            StateBackend delegate,
            TypeSerializer<K> keySerializer,
            int numberOfKeyGroups,
            BulkReplay early,
            DelegateSupport.Spill spill,
            Function<ReplayTarget, LogReplay> replays,
            AnnouncedLogs logs,
            Optional<LogBeginnings> beginnings) {
        boolean queuesAreRaw = DelegateSupport.get().hasRawQueues(delegate);
        EarlyReplay<K> replay =
                new EarlyReplay<>(
                        new LoggedLayout.Keys(keySerializer, numberOfKeyGroups, queuesAreRaw),
                        early,
                        spill,
                        replays,
                        logs,
                        beginnings);
        replay.thread.start();
        return replay;
    }

    private void run(LogReplay replay) {
        try {
            if (beginnings.isPresent() && !beginnings.get().agree()) {
                target.keepTaskWaiting();
            }
            replay.replay(logs);
            changes = replay.changes();
            millis = replay.workMillis();
            outcome.succeeded();
        } catch (Throwable t) {
            outcome.failed(t);
        } finally {
            try {
                // Frees memory and disk now: the base, or what the task does next, may take long.
                Closeables.closeAll(early::close, spill::close);
            } finally {
                over.complete(null);
            }
        }
    }

    /**
     * Leaves the delegate to the replay, and waits for its end, or until the task may go on.
     *
     * @return whether the replay has ended
     * @throws ReplayTarget.ReplayAgainException if the log has to be replayed again, without an
     *     early begin; nothing has been replayed
     * @throws LogReplayException if a log can't be replayed to its end
     * @throws CancelTaskException if the task is cancelled
     */
    public boolean finish(DelegateTarget<K> delegate) throws Exception {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancelTaskException("The task is cancelled");
        }
        base.complete(delegate);
        logs.wake(target::whileIdle);
        await(CompletableFuture.anyOf(released, over));
        if (!over.isDone()) {
            return false;
        }
        Optional<Throwable> failure = outcome.failure();
        if (failure.isPresent()) {
            Optional<ReplayTarget.ReplayAgainException> mismatch =
                    ExceptionUtils.findThrowable(
                            failure.get(), ReplayTarget.ReplayAgainException.class);
            ExceptionUtils.rethrowException(mismatch.isPresent() ? mismatch.get() : failure.get());
        }
        return true;
    }

    /** Completed, by the thread that replays, when it can't go on unless the task waits for it. */
    CompletableFuture<Void> needsTask() {
        return needsTask;
    }

    boolean isReplaying(Thread thread) {
        return thread == this.thread;
    }

    /** The states of the log that the delegate has. Only for a replay that had not ended. */
    Map<String, StateMetadata> released() {
        return released.join();
    }

    /** Ends the pause that the replay makes when the task may go on. */
    void goOn() {
        mayGoOn.complete(null);
    }

    /** Leaves the delegate to the replay, to its end. */
    void reclaim() {
        goOn();
        reclaimed.complete(null);
    }

    /** Completed at the end of the replay. The thread that replays runs what depends on it. */
    CompletableFuture<Void> over() {
        return over;
    }

    /** The failure that the replay ended with. Call it once the replay has ended. */
    Optional<Throwable> failure() {
        return outcome.failure();
    }

    static void await(Future<?> event) {
        try {
            event.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelTaskException(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("Never completed exceptionally", e);
        }
    }

    /**
     * What the replay did. Call it once the replay has ended.
     *
     * @param inBulk of the target that the replay went on with
     */
    public Replayed replayed(BulkReplay inBulk) {
        return new Replayed(changes, millis, inBulk.tally().plus(target.tally()), inBulk.leftOut());
    }

    @Override
    public void close() {
        beginnings.ifPresent(IOUtils::closeQuietly);
        thread.interrupt();
        boolean interrupted = Cancellation.awaitEnd(thread);
        early.close();
        spill.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The task thread, which restores the base. */
    private final class TaskThread implements EarlyTarget.RestoringTask<K> {
        @Override
        public boolean isBaseRestored() {
            return base.isDone();
        }

        @Override
        public DelegateTarget<K> awaitBase() {
            EarlyReplay.await(base);
            return base.join();
        }

        @Override
        public boolean mayRunBeside() {
            return beginnings.isPresent();
        }

        @Override
        public boolean keepTheirSchemas(Set<String> states) {
            return beginnings.orElseThrow().haveAgreedOn(states);
        }

        @Override
        public void readOn() {
            logs.readOn();
        }

        @Override
        public void runBeside(Map<String, StateMetadata> registered) {
            released.complete(registered);
            EarlyReplay.await(mayGoOn);
            logs.readOn();
        }

        @Override
        public void awaitBlocked() {
            needsTask.complete(null);
            EarlyReplay.await(reclaimed);
        }
    }
}
