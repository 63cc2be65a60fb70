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

import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.schema.SchemaFit;
import io.dstl.store.Closeables;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendLocalHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.function.ThrowingConsumer;

/**
 * The rest of a replay, which runs while the task runs: it writes bytes to RocksDB, for states that
 * are registered there. Until the end the delegate lacks changes. So whoever reads the delegate,
 * changes it or takes a snapshot of it has to {@link #awaitEnd() await the end} before. A
 * checkpoint that is no snapshot of the delegate does not need the replay: it has the replayed log
 * until a materialization replaces that log. But it completes {@link #after} the replay.
 *
 * <p>Begins with a pause, which leaves the processors to the task's start, until {@link #goOn()} or
 * until somebody waits for the end.
 *
 * <p>Owns the replay and its thread. Close it before the delegate is disposed of.
 *
 * <p>Threading: the task thread, except for {@link #cancel()} and {@link #goOn()}; any thread runs
 * what depends on {@link #after}.
 */
public final class BackgroundReplay implements AutoCloseable {

    /** Bytes of content that a compressed one stands for at most: Snappy copies 64 with 3. */
    private static final long MOST_OF_A_COMPRESSED_BYTE = 22;

    private final Closeable cancellation;
    private final Map<String, StateMetadata> registered;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** Null once the replay has ended, as it holds memory. */
    @Nullable private volatile EarlyReplay<?> replay;

    private final ReplayOutcome outcome = new ReplayOutcome();
    private volatile boolean cancelled;

    /**
     * @param replay that has let the task run; closed with this
     * @param cancellation closed to end the replay soon
     * @param whenOver called once, by the thread that replays or in here, with the failure of the
     *     replay, if any; an exception that it throws counts as such a failure
     */
    public BackgroundReplay(
            EarlyReplay<?> replay,
            Closeable cancellation,
            ThrowingConsumer<Optional<Throwable>, Exception> whenOver) {
        this.replay = requireNonNull(replay);
        this.cancellation = requireNonNull(cancellation);
        this.registered = replay.released();
        replay.over().thenRun(() -> end(replay, whenOver));
    }

    private void end(
            EarlyReplay<?> over, ThrowingConsumer<Optional<Throwable>, Exception> whenOver) {
        Throwable cause = null;
        try {
            Optional<Throwable> failure = over.failure();
            cause = failure.orElse(null);
            whenOver.accept(failure);
            if (cause == null) {
                outcome.succeeded();
            } else {
                outcome.failed(cause);
            }
        } catch (Throwable t) {
            outcome.failed(ExceptionUtils.firstOrSuppressed(t, cause));
        } finally {
            replay = null;
            ended.complete(null);
        }
    }

    /**
     * Runs the action, on any thread, if the replay needs the task to wait for its end. A task with
     * nothing to do would never wait by itself.
     */
    public void whenTaskIsNeeded(Runnable action) {
        EarlyReplay<?> underWay = replay;
        if (underWay != null) {
            underWay.needsTask().thenRun(action);
        }
    }

    /**
     * Completes with the same result once the log was read to its end and is in the delegate. Fails
     * if the replay fails, and at once if the result does. Until then a checkpoint must not replace
     * earlier ones: they may be all that is left if a part of this log is lost.
     */
    public <T> CompletableFuture<T> after(CompletableFuture<T> result) {
        CompletableFuture<T> both =
                result.thenCombine(
                        ended,
                        (done, over) -> {
                            checkReplayed();
                            return done;
                        });
        result.exceptionally(
                failure -> {
                    both.completeExceptionally(failure);
                    return null;
                });
        return both;
    }

    /**
     * Whether a checkpoint's logs may be replayed while the task runs, if their {@link
     * LogBeginnings} agree. They have to be verified by checksums, as a replay in bulk does not
     * detect damage. Local backups do not suit: if one is missing, the restore takes the log from
     * the store, which it can't once it is over.
     */
    public static boolean suits(List<ChangelogStateBackendHandle> handles) {
        return handles.stream().noneMatch(ChangelogStateBackendLocalHandle.class::isInstance)
                && LogBeginnings.areFew(handles)
                && LogBeginnings.logs(handles).stream()
                        .flatMap(log -> LoggedChangeSet.of(log, log.getKeyGroupRange()).stream())
                        .allMatch(LoggedChangeSet::isVerified);
    }

    /**
     * The size of the logs, without compression. Flink knows none of a log of which this task has a
     * part, after a change of parallelism: then the most that its segments, which the logs of other
     * tasks share, can have.
     *
     * @param compressed whether these segments may be compressed
     */
    public static long contentBytes(List<ChangelogStateBackendHandle> handles, boolean compressed) {
        long known = 0;
        Set<StreamStateHandle> segments = new HashSet<>();
        for (ChangelogStateHandle log : LogBeginnings.logs(handles)) {
            known += log.getStateSize();
            if (log.getStateSize() == 0 && log instanceof ChangelogStateHandleStreamImpl) {
                ((ChangelogStateHandleStreamImpl) log)
                        .getHandlesAndOffsets()
                        .forEach(set -> segments.add(set.f0));
            }
        }
        long stored = segments.stream().mapToLong(StateObject::getStateSize).sum();
        return known + (compressed ? MOST_OF_A_COMPRESSED_BYTE * stored : stored);
    }

    /**
     * Whether a state may be registered before the end: the registration touches nothing of the
     * delegate's content of the state.
     */
    public boolean mayRegister(TypeSerializer<?> namespaces, StateDescriptor<?, ?> descriptor) {
        StateMetadata logged = registered.get(descriptor.getName());
        return logged != null
                && !descriptor.isQueryable()
                && SchemaFit.takes(logged, namespaces, descriptor);
    }

    /**
     * Whether a queue may be created after the end: no reason is known why its creation would fail.
     */
    public boolean mayCreateLater(String name, TypeSerializer<?> elements) {
        StateMetadata logged = registered.get(name);
        return logged == null || SchemaFit.takesQueue(logged, elements);
    }

    /**
     * Whether the log may yet describe the state with types that a registration before the end does
     * not know of. Register such a state so that it can be registered again, once the replay has
     * ended.
     */
    public boolean mayGrow(String state) {
        StateMetadata logged = registered.get(state);
        return logged != null && !logged.isFixed();
    }

    /** Ends the pause before the replay, if it still lasts. Any thread; does not wait. */
    public void goOn() {
        EarlyReplay<?> underWay = replay;
        if (underWay != null) {
            underWay.goOn();
        }
    }

    /** Whether {@link #awaitEnd()} would return without waiting. Any thread. */
    public boolean isOver() {
        return ended.isDone();
    }

    /**
     * Waits for the end of the replay, whose rest may use the delegate without limits. Does nothing
     * on the thread that replays: a mailbox without a thread runs its mails on that one.
     *
     * @return whether the replay has ended
     * @throws FlinkRuntimeException if the log can't be replayed to its end; each time
     * @throws CancelTaskException if the task is cancelled
     */
    public boolean awaitEnd() {
        EarlyReplay<?> underWay = replay;
        if (underWay != null) {
            if (underWay.isReplaying(Thread.currentThread())) {
                return false;
            }
            underWay.reclaim();
            EarlyReplay.await(ended);
        }
        checkReplayed();
        return true;
    }

    private void checkReplayed() {
        Optional<Throwable> failure = outcome.failure();
        if (failure.isPresent()) {
            if (cancelled) {
                throw new CancelTaskException(failure.get());
            }
            throw new FlinkRuntimeException(
                    "The log that the task was restored from can't be replayed to its end",
                    failure.get());
        }
    }

    /**
     * Called when the task is cancelled. Any thread; does not wait.
     *
     * @throws UncheckedIOException if the log that is being read could not be closed
     */
    public void cancel() {
        cancelled = true;
        goOn();
        try {
            cancellation.close();
        } catch (IOException e) {
            throw new UncheckedIOException("What is read of the log could not be closed", e);
        }
    }

    /** Ends the replay and waits for its end. */
    @Override
    public void close() {
        EarlyReplay<?> underWay = replay;
        Closeables.closeAll(
                this::cancel,
                () -> {
                    if (underWay != null) {
                        underWay.close();
                    }
                });
    }
}
